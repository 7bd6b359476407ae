import Glibc
import LinuxSystem

/// Notices that nobody finds this daemon any more: the file of its socket, or the one that leads there, was removed or
/// moved, or is another one. The next daemon could not have the store for as long as this one has it.
final class SocketWatch: Sendable {
    private let files: [(path: String, status: FileStatus)]
    /// Nil where this user has no more watches: the files are looked at once a second then.
    private let events: FileEvents?

    /// Watches from now on.
    ///
    /// - Parameter owner: its file is the one that it has locked, whatever has its name now.
    /// - Returns: nil when there is no socket.
    /// - Throws: `SystemError` of `stat`.
    init?(_ socket: String, of owner: StoreOwner) throws(SystemError) {
        guard let status = try FileStatus(ofLink: socket) else { return nil }
        files = [(socket, status), (owner.path, owner.file)]
        events = try? Self.watching(files.map(\.path), in: [socket.folder, owner.path.folder])
    }

    private static func watching(_ files: [String], in folders: [String]) throws(SystemError) -> FileEvents {
        let events = try FileEvents()
        // A name less is a change of the file's attributes.
        for file in files { try events.watch(file, for: CInt(IN_ATTRIB | IN_MOVE_SELF)) }
        for folder in folders { try events.watch(folder, for: CInt(IN_MOVE_SELF | IN_DELETE_SELF)) }
        // The runtime directory may be moved as a whole, or the store's with what is above it. A folder of others that
        // cannot be watched does not matter.
        for folder in folders { try? events.watch(folder + "..", for: CInt(IN_MOVE_SELF)) }
        return events
    }

    /// Has a thread wait for that.
    ///
    /// - Parameter whenLost: takes the path that has gone.
    /// - Throws: `SystemError` when there are too many threads.
    func start(_ whenLost: @escaping @Sendable (String) -> Void) throws(SystemError) {
        _ = try Thread(named: "keychain-socket") { [self] in
            while true {
                if let lost { return whenLost(lost) }
                waitForChange()
            }
        }
    }

    private func waitForChange() {
        if let events, (try? events.descriptor.wait(for: .readable, deadline: .never)) != nil,
            (try? events.clear()) != nil
        {
            return
        }
        sleep(1)
    }

    private var lost: String? {
        files.first { path, status in
            guard let now = try? FileStatus(ofLink: path) else { return true }
            return !now.isSameFile(as: status)
        }?.path
    }
}
