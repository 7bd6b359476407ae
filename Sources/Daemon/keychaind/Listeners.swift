import Glibc
import LinuxSystem

/// The sockets a daemon listens on.
struct Listeners {
    let sockets: [UnixSocket]
    /// Nil where the socket cannot be looked at.
    let watch: SocketWatch?

    /// Takes over what a service manager listens on for us, else listens at the path, where a daemon that has stopped
    /// gives way; nil when another daemon serves there already.
    ///
    /// - Parameters:
    ///   - owner: the right to the store, which says from then on where the socket is.
    ///   - makesFolder: whether the folder of the socket is made where there is none.
    ///   - log: takes a line when one has given way, and when nobody can watch the socket.
    /// - Throws: `SystemError`: `EADDRINUSE` when something else than a daemon is in the way; `ENOENT` when the socket
    ///   was removed at once; of `write`.
    static func open(
        at path: String, for owner: StoreOwner, makesFolder: Bool, log: (String) -> Void
    ) throws(SystemError) -> Listeners? {
        let inherited = try SocketActivation.sockets()
        if let first = inherited.first {
            let place = try first.localPath()
            try owner.publish(place)
            return Listeners(sockets: inherited, watch: watch(place, owner, log))
        }
        try owner.publish(path)
        if makesFolder, try FileStatus(at: path.folder) == nil { try PrivateDirectory.ensure(path.folder) }
        guard let socket = try listen(at: path, log: log) else { return nil }
        let watch = watch(path, owner, log)
        guard try FileStatus(ofLink: path) != nil else {
            throw SystemError(code: ENOENT, call: "bind", advice: "\(path) was removed")
        }
        return Listeners(sockets: [socket], watch: watch)
    }

    private static func listen(at path: String, log: (String) -> Void) throws(SystemError) -> UnixSocket? {
        do throws(SystemError) { return try UnixSocket.listen(at: path) } catch {
            guard error.code == EADDRINUSE, let predecessor = Predecessor(at: path) else { throw error }
            guard predecessor.giveWay() else { return nil }
            log("The daemon before this one had stopped, and was ended.")
            return try UnixSocket.listen(at: path)
        }
    }

    private static func watch(_ socket: String, _ owner: StoreOwner, _ log: (String) -> Void) -> SocketWatch? {
        do throws(SystemError) { return try SocketWatch(socket, of: owner) } catch {
            log("Nobody watches whether the socket is removed: \(error)")
            return nil
        }
    }
}

extension String {
    /// The path up to its last slash.
    var folder: String { String(self[..<(lastIndex(of: "/").map(index(after:)) ?? startIndex)]) }
}
