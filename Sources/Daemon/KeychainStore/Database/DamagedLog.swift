import Glibc
import LinuxSystem

/// Notices a write-ahead log that was damaged before its end, and keeps a copy of it.
///
/// SQLite takes a log up to the first frame whose checksum is wrong, because a commit that a power cut interrupted ends
/// so. A frame that was damaged later ends the log in the same way, and all commits after it would silently be gone.
/// The following frames tell the two apart: each frame's checksum continues the one before it, and nothing is written
/// after a commit that the disk does not have. A commit that another frame continues was complete.
///
/// A damaged last commit cannot be told from an interrupted one. (The log's format:
/// https://www.sqlite.org/fileformat2.html, section 4.)
enum DamagedLog {
    /// Copies the log of the database at a path where it is damaged before its end. A copy that is there already stays:
    /// it is older, and nobody has accepted yet what was lost.
    ///
    /// The caller is alone with the store, and no connection is open.
    ///
    /// - Throws: `SystemError` where the log cannot be read or the copy not be made; then the store is not to be
    ///   opened.
    static func keep(of path: String) throws(SystemError) {
        guard try FileStatus(at: "\(path)-wal") != nil, !isKept(besides: path) else { return }
        let file = try FileDescriptor.open("\(path)-wal", O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        guard let log = try LogFrames(of: file, besides: path) else { return }
        if try log.continueBehindDamage() { try copy(file, to: copy(besides: path)) }
    }

    /// Whether there is a copy of a damaged log.
    static func isKept(besides path: String) -> Bool {
        (try? FileStatus(ofLink: copy(besides: path)))?.isRegularFile ?? false
    }

    /// Removes the copy, when the user has said that the store without what was lost is meant.
    static func forget(besides path: String) throws(SystemError) {
        if isKept(besides: path) { try AtomicFile.remove(copy(besides: path)) }
    }

    private static func copy(besides path: String) -> String { "\(path)-wal.damaged" }

    private static func copy(_ log: FileDescriptor, to path: String) throws(SystemError) {
        let content = try log.read(at: 0, count: FileStatus(of: log).size)
        try AtomicFile.replace(path, with: content.span)
    }
}
