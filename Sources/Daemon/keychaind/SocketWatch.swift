import Glibc
import LinuxSystem

/// Notices that nobody finds this daemon any more: the file of its socket was removed or moved, or is another one. The
/// next daemon could not have the store for as long as this one has it.
final class SocketWatch: Sendable {
    private let path: String
    private let file: FileStatus
    private let events: FileDescriptor

    /// Watches from now on.
    ///
    /// - Throws: `SystemError` of `inotify_init1` or `inotify_add_watch`, when this user has no more watches; of
    ///   `stat`.
    init?(_ path: String) throws(SystemError) {
        guard let file = try FileStatus(ofLink: path) else { return nil }
        (self.path, self.file) = (path, file)
        events = try FileDescriptor.watching([
            // A name less is a change of the file's attributes.
            (path, IN_ATTRIB | IN_MOVE_SELF), (path.folder, IN_MOVE_SELF | IN_DELETE_SELF),
        ])
    }

    /// Has a thread wait for that.
    ///
    /// - Throws: `SystemError` when there are too many threads.
    func start(_ whenLost: @escaping @Sendable () -> Void) throws(SystemError) {
        _ = try Thread(named: "keychain-socket") { [self] in
            var room = [UInt8](repeating: 0, count: 4096)
            while !isLost {
                var span = room.mutableSpan
                guard (try? events.read(into: &span)) != nil else { return }
            }
            whenLost()
        }
    }

    private var isLost: Bool {
        guard let now = try? FileStatus(ofLink: path) else { return true }
        return !now.isSameFile(as: file)
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
