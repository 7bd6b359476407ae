import Glibc
import KeychainModel
package import LinuxSystem

/// A Flatpak, by the file `.flatpak-info` at the top of its file system, which the application cannot change. `flatpak
/// run` writes the same words into the user's runtime folder, which the application does not see.
///
/// An unsandboxed program of the user can make both, as it can run the application itself and read its memory: this
/// keeps applications in sandboxes apart from each other, and from nobody else.
package struct FlatpakInstance: Equatable, Sendable {
    package let application: String
    package let identifier: String

    /// Reads the file: a key file with `[Application] name=` and `[Instance] instance-id=`; nil when a name is missing
    /// or cannot be one.
    package init?(info: String) {
        var section: Substring = ""
        var values: [String: Substring] = [:]
        for line in info.split(separator: "\n") {
            if line.hasPrefix("[") {
                section = line
            } else if let equals = line.firstIndex(of: "=") {
                let key = "\(section)\(line[..<equals])"
                if values[key] == nil { values[key] = line[line.index(after: equals)...] }
            }
        }
        guard let application = values["[Application]name"], let identifier = values["[Instance]instance-id"],
            SandboxedApplication.isName(application), SandboxedApplication.isName(identifier), identifier != "..",
            identifier != "."
        else { return nil }
        (self.application, self.identifier) = (String(application), String(identifier))
    }

    /// The application that a process is sandboxed as; nil when it is in no Flatpak.
    ///
    /// - Parameters:
    ///   - runtimeFolder: the user's (`XDG_RUNTIME_DIR`).
    ///   - mustBeKnown: whether a sandbox is refused where there is nothing to compare its words with, or where reading
    ///     them could take long.
    /// - Throws: ``SandboxDoubt/forged(application:why:)`` when what the sandbox says of itself is unreadable, or is
    ///   not what the user's runtime folder says; ``SandboxDoubt/hidden(_:)`` when it cannot be looked at.
    package static func application(
        of process: ProcessView, runtimeFolder: String, mustBeKnown: Bool = false
    ) throws(SandboxDoubt) -> SandboxedApplication? {
        let words: [UInt8]
        do throws(SystemError) {
            let name = ".flatpak-info"
            let found = mustBeKnown ? try process.openAtKernelsRoot(name) : try process.openAtRoot(name)
            guard let file = found else { return nil }
            words = try content(of: file)
        } catch {
            if error.isDenial { throw .hidden(error) }
            throw .forged(application: "an application", why: "its description cannot be read (\(error))")
        }
        guard let instance = FlatpakInstance(info: String(decoding: words, as: UTF8.self)) else {
            throw .forged(application: "an application", why: "the description is none of Flatpak's")
        }
        try instance.check(words, in: runtimeFolder, mustBeKnown: mustBeKnown)
        return SandboxedApplication(.flatpak, instance.application)
    }

    /// Holds the sandbox's words against those in the runtime folder, where this process may look into that.
    private func check(_ words: [UInt8], in runtimeFolder: String, mustBeKnown: Bool) throws(SandboxDoubt) {
        let folder = "\(runtimeFolder)/.flatpak"
        // Without a runtime folder at its usual place there is nothing to compare with.
        guard mustBeKnown || (try? FileStatus(at: runtimeFolder)) != nil else { return }
        do throws(SystemError) {
            guard try FileStatus(at: "\(folder)/\(identifier)") != nil else {
                throw SystemError(code: ENOENT, call: "stat")
            }
        } catch {
            if error.isDenial, !mustBeKnown { return }
            throw isUnknown
        }
        let known = (try? FileDescriptor.open("\(folder)/\(identifier)/info", O_RDONLY | O_NONBLOCK | O_NOFOLLOW))
            .flatMap { try? Self.content(of: $0) }
        guard known == words else { throw isUnknown }
    }

    private var isUnknown: SandboxDoubt {
        .forged(application: application, why: "Flatpak does not know this instance of it")
    }

    private static let longest = 64 << 10

    private static func content(of file: FileDescriptor) throws(SystemError) -> [UInt8] {
        guard try FileStatus(of: file).isRegularFile else { throw SystemError(code: EINVAL, call: "open") }
        var bytes = [UInt8](repeating: 0, count: longest + 1)
        var span = bytes.mutableSpan
        let count = try file.readFully(into: &span)
        guard count <= longest else { throw SystemError(code: EFBIG, call: "read") }
        return Array(bytes.prefix(count))
    }
}
