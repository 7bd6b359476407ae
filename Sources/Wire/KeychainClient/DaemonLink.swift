package import LinuxSystem

/// The file by which the daemon of a store is found: it is locked for as long as the daemon lives.
///
/// It has three lines: the path of the socket, the number of the store's folder, and a random word of this daemon's.
/// Backups made of hard links share the file, but not the number of the folder.
package enum DaemonLink {
    package static func path(in store: String) -> String { store + "/keychaind.link" }

    /// The daemon that has a store.
    package struct Holder: Equatable, Sendable {
        /// 0 when it is outside of this process namespace.
        package let process: Int32
        /// Nil before it listens.
        package let socket: String?
    }

    /// - Returns: the lines of a daemon that begins.
    /// - Throws: `SystemError` of `stat`.
    package static func lines(of store: String, socket: String) throws(SystemError) -> [String] {
        [socket, try number(of: store) ?? "", Randomness.bytes(16).map { String($0, radix: 16) }.joined()]
    }

    /// The daemon that has a store; nil when none has.
    ///
    /// - Throws: `SystemError` of `open`, `fcntl`, `read` or `stat`: it is not known then.
    package static func holder(of store: String) throws(SystemError) -> Holder? {
        guard let holder = try ProcessLock.holder(of: path(in: store)) else { return nil }
        // One that has just begun has not written yet.
        guard holder.lines.count > 1 else { return Holder(process: holder.process, socket: nil) }
        guard holder.lines[1] == (try number(of: store)) else { return nil }
        return Holder(process: holder.process, socket: holder.lines[0])
    }

    /// Whether the file is another store's too.
    ///
    /// - Throws: `SystemError` of `open`, `read` or `stat`.
    package static func isOfAnotherStore(_ store: String) throws(SystemError) -> Bool {
        let (lines, number) = (try ProcessLock.lines(of: path(in: store)), try number(of: store))
        return lines.count > 1 && lines[1] != number
    }

    /// Tells whether a daemon has begun since; nil where there is no file, which tells nothing.
    ///
    /// - Throws: `SystemError` of `open` or `read`; `EINVAL` when it is no regular file.
    package static func content(of store: String) throws(SystemError) -> ProcessLock.Content? {
        try ProcessLock.content(of: path(in: store))
    }

    /// Makes the file for a program that has to know whether a daemon begins.
    ///
    /// - Returns: false where there is one meanwhile, or where none can be made.
    package static func make(in store: String) -> Bool { (try? ProcessLock.make(path(in: store))) != nil }

    private static func number(of store: String) throws(SystemError) -> String? {
        try FileStatus(at: store).map { "\($0.inode)" }
    }
}
