import CSQLite
import Glibc
import LinuxSystem

extension Database {
    /// For how long another process may keep a new file: milliseconds. SQLite waits as long for any other lock.
    private static let patience = 10_000

    /// Has the file keep a log, as it does from then on.
    ///
    /// SQLite reads the file's header and then locks it to change it. It does not wait for that lock: of two processes
    /// that have both read, each would wait for the other. So the one that is refused begins again.
    ///
    /// - Parameter pause: runs between two tries.
    /// - Throws: `SQLITE_BUSY` where another process keeps the file for longer.
    func beginLog(
        by deadline: Deadline = .after(milliseconds: patience),
        pause: () -> Void = { usleep(.random(in: 1000...20_000)) }
    ) throws(DatabaseError) {
        while true {
            do throws(DatabaseError) {
                return try execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL", "be opened")
            } catch {
                guard error.primary == SQLITE_BUSY, !deadline.hasPassed else { throw error }
            }
            pause()
        }
    }
}
