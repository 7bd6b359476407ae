import Glibc
package import KeychainModel
package import LinuxSystem

/// Copies of a store beside it.
///
///     keychain.db.YYYYMMDDTHHMMSSZ.snapshot
///
/// Each is a database of its own, of one moment, made while the store is in use. It opens with the vault of its keychain, in the
/// place of `keychain.db`.
extension ItemStore {
    /// The last so many are kept.
    package static let keptSnapshots = 7

    /// Makes a copy, which is on the disk when this returns, and removes the oldest beyond ``keptSnapshots``.
    ///
    /// - Returns: its path.
    /// - Throws: `errSecDiskFull` where there is no space; `keychain.deadline`; what else the disk says. Then there is no copy.
    package func snapshot(by deadline: Deadline = .never) throws(Refusal) -> String {
        try failure.check()
        let path = "\(self.path).\(Self.moment()).snapshot"
        let database = try refusing { () throws(DatabaseError) in try Database(path: self.path, sharing: sharing) }
        database.deadline = deadline
        try StoreCopy.make(of: database, at: path)
        try removeOldest()
        return path
    }

    private func removeOldest() throws(Refusal) {
        let names = try Self.storing { () throws(SystemError) in try FolderEntries.names(in: folder) }
        for name in names.filter(Self.isSnapshot).dropLast(Self.keptSnapshots) { unsafe unlink("\(folder)/\(name)") }
    }

    /// Copies that were made before a migration have other names, and stay.
    static func isSnapshot(_ name: String) -> Bool {
        let middle = name.dropFirst(fileName.count + 1).dropLast(".snapshot".count)
        return name.hasPrefix(fileName + ".2") && name.hasSuffix(".snapshot") && middle.count == 16
    }

    /// Now, in UTC (ISO 8601, basic format), so that names sort by time.
    private static func moment() -> String {
        var now = time(nil)
        var parts = unsafe tm()
        unsafe gmtime_r(&now, &parts)
        func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let day = unsafe "\(1900 + parts.tm_year)\(two(parts.tm_mon + 1))\(two(parts.tm_mday))"
        return unsafe "\(day)T\(two(parts.tm_hour))\(two(parts.tm_min))\(two(parts.tm_sec))Z"
    }
}
