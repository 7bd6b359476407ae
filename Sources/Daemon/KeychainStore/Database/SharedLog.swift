import CSQLiteLog

/// The log of a store that several processes use, as far as it says that one of them has changed something: the head of its
/// index, in memory they share. To look at it takes no system call and no lock.
///
/// Belongs to one connection, which keeps the memory mapped, and with it to one thread at a time.
@safe final class SharedLog {
    /// SQLite has a log moved into the database after a commit that leaves it longer than 1,000 frames.
    private static let fewFrames: UInt32 = 750

    private let head: UnsafePointer<UInt64>
    private let database: Database
    private var seen: csqlite_head

    init(head: UnsafePointer<UInt64>, of database: Database) {
        unsafe self.head = head
        self.database = database
        unsafe seen = csqlite_head(head)
    }

    /// Whether nothing was committed since ``note()``.
    var isUnchanged: Bool {
        @inline(__always) get { unsafe csqlite_head_is(head, seen) }
    }

    /// From now on what is committed is a change; what is read from now on is not older than this.
    func note() { unsafe seen = csqlite_head(head) }

    /// Whether a reader may stay where it is without keeping the log from beginning anew.
    var allowsHolding: Bool { unsafe csqlite_log_is_at_rest(head, Self.fewFrames) }
}
