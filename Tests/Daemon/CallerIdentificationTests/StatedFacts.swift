import CallerIdentification
import CodeSignature
import Glibc
import KeychainModel
import KeychainPolicy
import LinuxSystem
import Sandboxes
import TestSupport

/// A caller as a test describes it: without further words, an unsigned program of user 1000 at its own path.
struct StatedFacts: ProcessFacts {
    var user: UInt32 = 1000
    var group: UInt32 = 1000
    var process: Int32 = 4711
    var path = "/home/user/program"
    var file: FileStatus
    var real: UInt32 = 1000
    var signed: Result<ProgramSignature?, Refusal> = .success(nil)
    var claimed: CodeClaim?
    var seesCommonFiles = true
    var ownFolder: String? = "/home/user"
    var nameIsTrue = true
    var script: String?
    var application: Result<SandboxedApplication?, Refusal> = .success(nil)
    var service: String?

    init(_ change: (inout StatedFacts) -> Void = { _ in }) throws {
        file = try Files.make()
        change(&self)
    }

    func realGroup() throws(Refusal) -> UInt32 { real }
    func signature() throws(Refusal) -> ProgramSignature? { try signed.get() }
    func claim() throws(Refusal) -> CodeClaim? { claimed }
    func home() -> String? { ownFolder }
    func hasTrueName() throws(Refusal) -> Bool { nameIsTrue }
    func runs(_ script: InstalledEntitlements.Script) -> Bool { script.path == self.script }
    func sandbox() throws(Refusal) -> SandboxedApplication? { try application.get() }
    func unit() -> String? { service }
}

/// Files as tests describe them. The status comes from a real file, because only the system can make one.
enum Files {
    static let marker: UInt32 = 64_321

    /// The status of a file with an owner (this process's user, unless it may give files away), a group and
    /// permissions.
    static func make(owner: UInt32? = nil, group: UInt32? = nil, mode: UInt32 = 0o755) throws -> FileStatus {
        let directory = try TemporaryDirectory()
        return try makeFile(in: directory, owner: owner, group: group, mode: mode)
    }

    static func makeFile(
        in directory: TemporaryDirectory, name: String = "file", owner: UInt32? = nil, group: UInt32? = nil,
        mode: UInt32 = 0o755
    ) throws -> FileStatus {
        let path = directory.file(name)
        try AtomicFile.replace(path, with: [1].span)
        if owner != nil || group != nil {
            guard unsafe chown(path, owner ?? .max, group ?? .max) == 0 else {
                throw SystemError(code: errno, call: "chown")
            }
        }
        guard unsafe chmod(path, mode) == 0 else { throw SystemError(code: errno, call: "chmod") }
        return try FileStatus(at: path)!
    }

    /// Whether a file that this process marks is honoured where tests make their files.
    static let mayMark: Bool = {
        guard mayGiveAway, let directory = try? TemporaryDirectory(),
            let folder = try? FileDescriptor.open(directory.path, O_RDONLY)
        else { return false }
        return (try? FileSystem(of: folder).ignoresSetID) == false
    }()

    /// Whether this process may give files to other users.
    static var mayGiveAway: Bool { CurrentProcess.user == 0 }
}
