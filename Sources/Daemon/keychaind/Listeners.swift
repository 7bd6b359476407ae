import Glibc
import LinuxSystem

/// The sockets a daemon listens on.
enum Listeners {
    /// Takes over what a service manager listens on for us, else listens at the path, where a daemon that has stopped
    /// gives way; nil when another daemon serves there already.
    ///
    /// - Parameter log: takes a line when one has given way.
    /// - Throws: `SystemError`: `EADDRINUSE` when something else than a daemon is in the way.
    static func open(at path: String, log: (String) -> Void) throws(SystemError) -> [UnixSocket]? {
        let inherited = try SocketActivation.sockets()
        guard inherited.isEmpty else { return inherited }
        if try FileStatus(at: path.folder) == nil { try PrivateDirectory.ensure(path.folder) }
        do throws(SystemError) { return [try UnixSocket.listen(at: path)] } catch {
            guard error.code == EADDRINUSE, let predecessor = Predecessor(at: path) else { throw error }
            guard predecessor.giveWay() else { return nil }
            log("The daemon before this one had stopped, and was ended.")
            return [try UnixSocket.listen(at: path)]
        }
    }
}

extension String {
    /// The path up to its last slash.
    var folder: String { String(self[..<(lastIndex(of: "/").map(index(after:)) ?? startIndex)]) }
}
