import CodeSignature
import Glibc
import KeychainModel
import LinuxSystem
import Sandboxes

/// A running process: its program was looked at, and the other facts are looked up when they are asked for.
struct LiveProcess: ProcessFacts {
    let user: UInt32
    let group: UInt32
    let process: Int32
    let path: String
    let version: FileVersion
    /// Whether it sees files by the names that everybody sees them by.
    let sharesNames: Bool
    let host: Host
    let outcome: SignatureCache.Outcome
    /// The user's own folder, if a claim was found that needs it.
    let ownFolder: String?
    let readRealGroup: @Sendable () throws(SystemError) -> UInt32

    var file: FileStatus { version.status }

    func realGroup() throws(Refusal) -> UInt32 {
        do throws(SystemError) { return try readRealGroup() } catch { throw .unidentified(error, process: process) }
    }

    func signature() throws(Refusal) -> ProgramSignature? { try outcome.get()?.signature }
    func claim() throws(Refusal) -> CodeClaim? { try outcome.get()?.claim }
    var seesCommonFiles: Bool { sharesNames && (try? ProcessView(process).hasWholeRoot()) ?? false }
    func home() -> String? { ownFolder }

    func hasTrueName() -> Bool { sharesNames || ExecutableName.leads(path, to: file) }

    func runs(_ script: InstalledEntitlements.Script) -> Bool {
        let view = ProcessView(process)
        guard let words = try? view.commandLine(),
            let word = InstalledEntitlements.scriptWord(in: words, script),
            let named = try? view.file(atRelativePath: word), let installed = try? FileStatus(at: script.path)
        else { return false }
        return named.isSameFile(as: installed)
    }

    func sandbox() throws(Refusal) -> SandboxedApplication? {
        do throws(SandboxDoubt) {
            return try SandboxedApplication.find(
                ProcessView(process), sharesNames: sharesNames, hasAppArmor: host.hasAppArmor,
                runtimeFolder: "\(host.runtimeFolders)/\(user)")
        } catch { throw .unknownSandbox(error, process: process) }
    }

    func unit() -> String? { SystemUnit.name(of: process, as: user, on: host) }
}

/// The names of executables.
enum ExecutableName {
    /// Whether a path leads to a file in this process's view of the file system.
    static func leads(_ path: String, to file: FileStatus) -> Bool {
        guard file.links > 0, let found = try? FileStatus(at: path) else { return false }
        return found.isSameFile(as: file)
    }
}

/// The identity that a file would have if the user executed it.
struct ExecutableOnDisk: ProcessFacts {
    let user: UInt32
    let group: UInt32
    let path: String
    let file: FileStatus
    let outcome: SignatureCache.Outcome
    let ownFolder: String?

    var process: Int32 { 0 }
    func realGroup() -> UInt32 { 0 }
    func signature() throws(Refusal) -> ProgramSignature? { try outcome.get()?.signature }
    func claim() throws(Refusal) -> CodeClaim? { try outcome.get()?.claim }
    /// It is shown as it would be if it were started outside of any sandbox.
    var seesCommonFiles: Bool { true }
    func home() -> String? { ownFolder }
    func hasTrueName() -> Bool { ExecutableName.leads(path, to: file) }
    func runs(_ script: InstalledEntitlements.Script) -> Bool { false }
    func sandbox() -> SandboxedApplication? { nil }
    func unit() -> String? { nil }
}
