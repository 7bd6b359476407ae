import Glibc
import KeychainModel
import LinuxSystem

/// Makes a copy of a database that is there as a whole or not at all.
enum StoreCopy {
    /// Copies what a connection sees into a new file, for its owner alone, which is on the disk when this returns.
    ///
    /// - Parameter isAlone: whether no other process uses the store, so that what others have not finished they never
    ///   will.
    /// - Throws: what SQLite and the disk say; then there is no copy.
    static func make(of database: Database, at path: String, isAlone: Bool = false) throws(Refusal) {
        let unfinished = "\(path).\(CurrentProcess.identifier)\(suffix)"
        remove(unfinished)
        removeAbandoned(besides: path, atOnce: isAlone)
        do throws(Refusal) {
            try storing { () throws(SystemError) in try StoreFile.makePrivate(unfinished) }
            try refusing { () throws(DatabaseError) in try database.snapshot(to: unfinished) }
            try storing { () throws(SystemError) in try finish(unfinished, as: path) }
        } catch {
            remove(unfinished)
            throw error
        }
    }

    /// Copies what a connection sees, and opens the copy, which has no name then.
    ///
    /// - Throws: what SQLite and the disk say; then there is no copy.
    static func open(of database: Database, besides path: String) throws(Refusal) -> Database {
        // The name of a copy that is not finished, so that one a crash has left is known as such.
        let number = UInt32.random(in: 0...UInt32.max)
        let unfinished = "\(path).\(number).snapshot.\(CurrentProcess.identifier)\(suffix)"
        defer { remove(unfinished) }
        try storing { () throws(SystemError) in try StoreFile.makePrivate(unfinished) }
        return try refusing { () throws(DatabaseError) in
            try database.snapshot(to: unfinished)
            let copy = try Database(path: unfinished, sharing: .exclusive)
            try copy.execute("PRAGMA query_only = ON", "be read")
            return copy
        }
    }

    /// With the journal that SQLite keeps next to it.
    private static func remove(_ unfinished: String) {
        unsafe unlink(unfinished)
        unsafe unlink("\(unfinished)-journal")
    }

    private static let suffix = ".unfinished"
    private static let endings = [suffix, "\(suffix)-journal"]
    /// A copy that nobody has written to for so many nanoseconds was left by a process that was killed.
    private static let abandonedAge: Int64 = 3_600_000_000_000

    /// Removes copies that others have not finished. A copy that cannot be removed takes space and harms nobody.
    private static func removeAbandoned(besides path: String, atOnce: Bool) {
        let folder = path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
        let names = (try? FolderEntries.names(in: folder)) ?? []
        for name in names where name.hasPrefix("\(StoreFile.name).") && endings.contains(where: name.hasSuffix) {
            let modified = (try? FileStatus(ofLink: "\(folder)/\(name)"))?.modified ?? .max
            if atOnce || modified < Clock.realtimeNanoseconds - abandonedAge { unsafe unlink("\(folder)/\(name)") }
        }
    }

    private static func finish(_ unfinished: String, as path: String) throws(SystemError) {
        let file = try FileDescriptor.open(unfinished, O_RDONLY | O_CLOEXEC)
        guard fsync(file.number) == 0 else { throw SystemError(code: errno, call: "fsync", advice: path) }
        try AtomicFile.rename(unfinished, to: path)
    }
}
