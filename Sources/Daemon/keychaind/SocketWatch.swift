import Glibc
import LinuxSystem

/// Notices that nobody finds this daemon any more: the file of its socket, or the one that leads there, was removed or
/// moved, or is another one. The next daemon could not have the store for as long as this one has it.
final class SocketWatch: Sendable {
    private let files: [(path: String, status: FileStatus)]
    /// Nil where this user has no more watches: the files are looked at once a second then.
    private let events: FileDescriptor?

    /// Watches from now on.
    ///
    /// - Parameter owner: its file is the one that it has locked, whatever has its name now.
    /// - Returns: nil when there is no socket.
    /// - Throws: `SystemError` of `stat`.
    init?(_ socket: String, of owner: StoreOwner) throws(SystemError) {
        guard let status = try FileStatus(ofLink: socket) else { return nil }
        files = [(socket, status), (owner.path, owner.file)]
        let folders = [socket.folder, owner.path.folder]
        // A name less is a change of the file's attributes.
        events = try? FileDescriptor.watching(
            files.map { ($0.path, IN_ATTRIB | IN_MOVE_SELF) } + folders.map { ($0, IN_MOVE_SELF | IN_DELETE_SELF) })
        guard let events else { return }
        // The runtime directory may be moved as a whole, or the store's with what is above it. A folder of others that
        // cannot be watched does not matter.
        for folder in folders { _ = unsafe inotify_add_watch(events.number, folder + "..", UInt32(IN_MOVE_SELF)) }
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
        var room = [UInt8](repeating: 0, count: 4096)
        var span = room.mutableSpan
        if let events, (try? events.read(into: &span)) != nil { return }
        sleep(1)
    }

    private var lost: String? {
        files.first { path, status in
            guard let now = try? FileStatus(ofLink: path) else { return true }
            return !now.isSameFile(as: status)
        }?.path
    }
}

extension FileDescriptor {
    fileprivate static func watching(_ paths: [(String, CInt)]) throws(SystemError) -> FileDescriptor {
        let number = inotify_init1(CInt(IN_CLOEXEC))
        guard number >= 0 else { throw SystemError(code: errno, call: "inotify_init1") }
        let events = FileDescriptor(owning: number)
        for (path, mask) in paths where unsafe inotify_add_watch(number, path, UInt32(mask)) < 0 {
            throw SystemError(code: errno, call: "inotify_add_watch", advice: path)
        }
        return events
    }
}
