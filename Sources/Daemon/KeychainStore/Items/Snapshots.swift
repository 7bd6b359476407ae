import Glibc
package import KeychainModel
package import LinuxSystem

/// Copies of a store, in its folder.
///
///     keychain.db.YYYYMMDDTHHMMSSZ.snapshot
///
/// Each is a database of its own, of one moment, made while the store is in use. It opens with the vault of its
/// keychain, in the place of `keychain.db`.
extension ItemStore {
    /// The last so many are kept.
    package static let keptSnapshots = 7

    /// Makes a copy, which is on the disk when this returns, and removes the oldest beyond ``keptSnapshots``.
    ///
    /// - Parameter now: which time its name says: seconds since 1970.
    /// - Returns: its path.
    /// - Throws: `errSecDiskFull` where there is no space; `keychain.deadline`; what else the disk says. Then there is
    ///   no copy.
    package func snapshot(by deadline: Deadline = .never, now: Int = time(nil)) throws(Refusal) -> String {
        try failure.check()
        let path = "\(self.path).\(Self.moment(now)).snapshot"
        let database = try refusing { () throws(DatabaseError) in try Database(path: self.path, sharing: sharing) }
        database.deadline = deadline
        try StoreCopy.make(of: database, at: path)
        try removeOldest(besides: path)
        return path
    }

    /// Whether there are items or shelves, no copy of the last day, and none of the last week since which nothing was
    /// written.
    ///
    /// A copy is of the time in its name. One that is dated more than a day after now, by a clock that was wrong, is of
    /// no day; a clock that is not of this millennium knows none.
    ///
    /// - Parameter now: seconds since 1970.
    package func isSnapshotDue(now: Int) throws(Refusal) -> Bool {
        guard Self.moment(now).hasPrefix("2") else { return false }
        let made = try storing { () throws(SystemError) in try momentsOfCopies() }
        let written = try storing { () throws(SystemError) in try secondOfChange() }
        func isThere(after first: Int, before last: Int) -> Bool {
            made.contains { Self.moment(first) < $0 && $0 < Self.moment(last) }
        }
        guard !isThere(after: now - Self.day, before: now + Self.day),
            !isThere(after: max(written, now - 7 * Self.day), before: now)
        else { return false }
        return try hasItems()
    }

    /// Seconds.
    private static let day = 86400

    private func momentsOfCopies() throws(SystemError) -> [String] {
        try copies().map { String($0.dropFirst(StoreFile.name.count + 1).prefix(16)) }
    }

    /// Files that are named as copies are, and are no mere names.
    private func copies() throws(SystemError) -> [String] {
        var found: [String] = []
        for name in try FolderEntries.names(in: folder) where Self.isSnapshot(name) {
            guard let file = try FileStatus(ofLink: "\(folder)/\(name)"), file.isRegularFile, file.size > 0 else {
                continue
            }
            found.append(name)
        }
        return found
    }

    /// When the store was last written to, in seconds since 1970.
    private func secondOfChange() throws(SystemError) -> Int {
        var last: Int64 = 0
        for path in [path, "\(path)-wal"] { last = max(last, try FileStatus(at: path)?.modified ?? 0) }
        return Int(last / 1_000_000_000)
    }

    private func hasItems() throws(Refusal) -> Bool {
        try refusing { () throws(DatabaseError) in
            let database = try Database(path: path, sharing: sharing)
            for itemClass in ItemClass.stored {
                let query = "SELECT id FROM \(itemClass.code) WHERE tomb = 0 LIMIT 1"
                if try database.integer(query, "be read") != nil { return true }
            }
            guard try database.integer(ShelfTable.looking, "be read") != nil else { return false }
            return try database.integer("SELECT 1 FROM shelf LIMIT 1", "be read") != nil
        }
    }

    /// As many commits this process has made, in steps of two.
    package var commits: UInt64 { changes.value }

    /// Whatever the clock said when the others were made, the one just made stays. Those that are dated behind it, by a
    /// clock that was wrong, go first.
    private func removeOldest(besides latest: String) throws(Refusal) {
        let names = try storing { () throws(SystemError) in try copies() }.map { "\(folder)/\($0)" }.sorted()
        let others = names.filter { $0 > latest } + names.filter { $0 < latest }
        for path in others.dropLast(Self.keptSnapshots - 1) { unsafe unlink(path) }
    }

    /// Copies that were made before a migration have other names, and stay.
    static func isSnapshot(_ name: String) -> Bool {
        let middle = name.dropFirst(StoreFile.name.count + 1).dropLast(".snapshot".count)
        return name.hasPrefix(StoreFile.name + ".2") && name.hasSuffix(".snapshot") && middle.count == 16
    }

    /// A moment in UTC (ISO 8601, basic format), so that names sort by time.
    ///
    /// - Parameter seconds: since 1970.
    static func moment(_ seconds: Int) -> String {
        var now = seconds
        var parts = unsafe tm()
        unsafe gmtime_r(&now, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = unsafe "\(1900 + parts.tm_year)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))"
        return unsafe "\(day)T\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))Z"
    }
}
