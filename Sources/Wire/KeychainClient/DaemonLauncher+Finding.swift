import Glibc
package import KeychainModel
import KeychainWire
package import LinuxSystem

/// How the daemon of a store is found. It has locked a file in the store's folder, and has left the path of its socket
/// there: the kernel says whether it lives and which process it is, however the folder is spelt. A listener elsewhere,
/// in a place that another daemon had before, is not taken for it.
extension DaemonLauncher {
    /// How long a program waits for a daemon that has the store and is not reached: it starts, or ends.
    private static let patience = 3000
    private static let pause: UInt32 = 10_000

    /// Connects to the daemon; nil when none runs.
    ///
    /// - Throws: `errSecNotAvailable` when that is not known.
    func connect(by deadline: Deadline) throws(Refusal) -> UnixSocket? {
        if configuration.usesSystemService { return try connectToChosen(by: deadline) { _ in true } }
        if configuration.socketIsGiven {
            // A socket that the settings name is any daemon's of this user, or of the system. A sandbox may have no
            // number for the system's user: its maker chose what is seen there.
            return try connectToChosen(by: deadline) { peer in
                [0, CurrentProcess.user].contains(peer.user) || UserNamespace.hidesUser(behind: peer.user)
            }
        }
        let holder = try holder()
        do throws(SystemError) {
            for path in places(of: holder) {
                if let socket = try connect(to: path, by: deadline), try isOfStore(socket, path, holder) {
                    return socket
                }
            }
            return nil
        } catch { throw .unreachable(configuration, error) }
    }

    private func connectToChosen(
        by deadline: Deadline, _ isBelieved: (PeerNumbers) -> Bool
    ) throws(Refusal) -> UnixSocket? {
        do throws(SystemError) {
            guard let socket = try connect(to: configuration.socket, by: deadline) else { return nil }
            guard isBelieved(try PeerNumbers(of: socket)) else {
                throw SystemError(code: EPERM, call: "connect", advice: "another user listens there")
            }
            return socket
        } catch { throw .unreachable(configuration, error) }
    }

    func holder() throws(Refusal) -> DaemonLink.Holder? {
        do throws(SystemError) { return try DaemonLink.holder(of: configuration.folder) } catch {
            throw .holderUnreachable(DaemonLink.path(in: configuration.folder), error)
        }
    }

    /// Connects to the daemon that has the store; nil when none has.
    ///
    /// - Throws: `errSecNotAvailable` when there is one and it is not reached, or when that is not known.
    func connectToHolder(by end: Deadline) throws(Refusal) -> UnixSocket? {
        let deadline = min(end, .after(milliseconds: Self.patience))
        while let holder = try holder() {
            do throws(SystemError) {
                for path in places(of: holder) {
                    let socket = try connect(to: path, by: deadline)
                    if let socket, try isOfStore(socket, path, holder) { return socket }
                }
                if deadline.hasPassed { throw SystemError(code: ETIMEDOUT, call: "connect") }
            } catch { throw .holderUnreachable(DaemonLink.path(in: configuration.folder), error) }
            usleep(Self.pause)
        }
        return nil
    }

    /// The sockets at which a daemon of the store may be, the surest first.
    ///
    /// A daemon without a runtime directory listens in the store's folder.
    private func places(of holder: DaemonLink.Holder?) -> [String] {
        var places = [configuration.socket]
        if holder != nil { places.append(Configuration.socket(in: configuration.folder)) }
        if let socket = holder?.socket { places.insert(socket, at: 0) }
        return places.enumerated().filter { places.firstIndex(of: $1) == $0 }.map(\.element)
    }

    /// Nil when nobody listens at the path.
    private func connect(to path: String, by deadline: Deadline) throws(SystemError) -> UnixSocket? {
        do throws(SystemError) { return try UnixSocket.connect(to: path, deadline: deadline) } catch {
            if error.code == ENOENT || error.code == ECONNREFUSED { return nil }
            throw error
        }
    }

    /// Whether the listener is this user's daemon of the store. It has the lock before it listens.
    ///
    /// A service manager that listens starts the daemon for this connection: it says its path when it has the lock.
    ///
    /// - Parameter known: the holder of the lock before the connection.
    private func isOfStore(
        _ socket: UnixSocket, _ path: String, _ known: DaemonLink.Holder?
    ) throws(SystemError) -> Bool {
        let peer = try PeerNumbers(of: socket)
        guard peer.user == CurrentProcess.user else { return false }
        if peer.process > 0, known?.process == peer.process { return true }
        let isDaemon = peer.process > 0 && (try? RunningProcess(peer.process))?.name == "keychaind"
        let end = Deadline.after(milliseconds: Self.patience)
        while true {
            if let holder = try DaemonLink.holder(of: configuration.folder) {
                if holder.process == peer.process, peer.process > 0 { return true }
                // Of two processes one may be outside of this namespace, and the other not: they are not the same.
                if isDaemon || (holder.process == 0) != (peer.process == 0) { return false }
                if let place = holder.socket { return place == path }
            } else if isDaemon {
                return false
            }
            if end.hasPassed { return false }
            usleep(Self.pause)
        }
    }
}

extension Connection {
    /// Reaches the daemon that has the store of the configuration, wherever its socket is; nil where none has. None is
    /// started.
    ///
    /// - Throws: `errSecNotAvailable` when there is one and it is not reached, or when that is not known.
    package static func serving(
        _ configuration: Configuration, by deadline: Deadline = .never
    ) throws(Refusal) -> Connection? {
        let launcher = DaemonLauncher(configuration: configuration)
        guard let socket = try launcher.connectToHolder(by: min(launcher.deadline, deadline)) else { return nil }
        return Connection(timeout: configuration.timeout, connected: socket) { deadline throws(Refusal) in
            guard let socket = try launcher.connectToHolder(by: min(launcher.deadline, deadline)) else {
                throw .notInstalled(configuration)
            }
            return socket
        }
    }
}

extension Refusal {
    fileprivate static func holderUnreachable(_ link: String, _ error: SystemError) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, link,
            "Whether the keychain is locked cannot be known: its daemon is not reached (\(error)).",
            do: error.call == "open"
                ? "Remove \(link), which the next daemon makes again."
                : "Try again; where a daemon has stopped, `security status` replaces it.")
    }
}
