import Glibc
import LinuxSystem

/// The sockets a daemon listens on.
enum Listeners {
    /// Takes over what a service manager listens on for us, else listens at the path; nil when another daemon does already.
    ///
    /// - Throws: `SystemError`: `EADDRINUSE` when something else than a daemon is in the way.
    static func open(at path: String) throws(SystemError) -> [UnixSocket]? {
        let inherited = try SocketActivation.sockets()
        guard inherited.isEmpty else { return inherited }
        if try FileStatus(at: path.folder) == nil { try PrivateDirectory.ensure(path.folder) }
        do throws(SystemError) { return [try UnixSocket.listen(at: path)] } catch {
            guard error.code == EADDRINUSE, answers(path) else { throw error }
            return nil
        }
    }

    private static func answers(_ path: String) -> Bool {
        (try? UnixSocket.connect(to: path, deadline: .after(milliseconds: 1000))) != nil
    }
}

extension String {
    /// The path up to its last slash.
    var folder: String { String(self[..<(lastIndex(of: "/").map(index(after:)) ?? startIndex)]) }
}
