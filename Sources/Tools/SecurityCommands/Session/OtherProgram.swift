import CommandOptions
import KeychainClient
import LinuxSystem

/// Commands that are programs of their own, so that `security` starts without what only they need.
enum OtherProgram {
    /// Becomes the program; what it exits with is the command's status.
    ///
    /// - Throws: a failure when it is not installed, or commands are read from standard input.
    static func become(_ name: String, _ words: [Argument], _ session: Session) throws(CommandFailure) -> Never {
        guard !session.isInteractive else {
            throw .failed("\(name) reads its own input", remedy: "Give the command by itself, not to `security -i`.")
        }
        guard let path = InstalledPrograms.find(name) else {
            throw .failed("\(name) is not installed", remedy: "Install it in the folder of `security`.")
        }
        session.flush()
        let json = session.writesJSON ? [Argument("--json")] : []
        do throws(SystemError) {
            try CurrentProcess.become(path, ([Argument(name)] + json + words).map(\.bytes))
        } catch { throw CommandFailure(path, error) }
    }
}

extension Session {
    /// The path of a program in the absolute folders of PATH; nil when none of them has it.
    package func path(ofProgram name: String) -> String? {
        let folders = (environment("PATH") ?? "").split(separator: ":").filter { $0.hasPrefix("/") }
        return folders.map { "\($0)/\(name)" }.first { path in
            guard let status = try? FileStatus(at: path) else { return false }
            return status.isRegularFile && status.mode & 0o111 != 0
        }
    }
}
