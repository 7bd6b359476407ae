import CSQLite
import Glibc
import KeychainModel

/// SQLite's error: its extended code and the statement's purpose, never a bound value.
struct DatabaseError: Error {
    let code: Int32
    let action: String
    /// The `errno` of the system call that failed; 0 where none is known.
    var systemError: Int32 = 0

    /// The primary code, of which the extended one is a kind.
    var primary: Int32 { code & 0xFF }

    /// SQLITE_CONSTRAINT_UNIQUE, a macro that Swift does not see.
    var isUniqueViolation: Bool { code == SQLITE_CONSTRAINT | 8 << 8 }

    /// Whether there was no space for what should be written, which then is not there: SQLite says SQLITE_FULL, or
    /// SQLITE_IOERR_WRITE where a quota or a limit of the process is what was reached.
    var isLackOfSpace: Bool {
        primary == SQLITE_FULL || code == Self.failed(.write) && [ENOSPC, EDQUOT, EFBIG].contains(systemError)
    }

    /// Whether the disk failed during a write. Nobody knows then what the disk has, and the process that wrote must not
    /// go on with what it believes. A failed sync is reported once, and pages that were not written count as clean.
    var isFailureOfDisk: Bool {
        !isLackOfSpace && [.write, .sync, .syncOfFolder, .truncate].contains { code == Self.failed($0) }
    }

    /// The operation that SQLITE_IOERR is about, as its extended codes number it (https://www.sqlite.org/rescode.html).
    enum Operation: Int32 {
        case write = 3, sync, syncOfFolder, truncate
    }

    static func failed(_ operation: Operation) -> Int32 { SQLITE_IOERR | operation.rawValue << 8 }

    /// The refusal a caller gets for it.
    var refusal: Refusal {
        if isLackOfSpace {
            return Refusal(.diskFull, .unavailable, "store", problem, do: "Free some disk space and try again.")
        }
        return switch primary {
        case SQLITE_CONSTRAINT where isUniqueViolation:
            Refusal(.duplicateItem, .duplicate, "item", problem, do: "Update the item instead.")
        case SQLITE_CONSTRAINT:
            Refusal(.internalError, .internalError, "store", problem, do: "Run `security verify-keychain`.")
        case SQLITE_READONLY:
            Refusal(.readOnly, .unavailable, "store", problem, do: "Check the permissions of the folder.")
        case SQLITE_NOMEM: Refusal(.allocate, .unavailable, "store", problem, do: "Free some memory and try again.")
        case SQLITE_INTERRUPT: .expired
        case SQLITE_IOERR: Refusal(.io, .unavailable, "store", problem, do: "Check the disk and its messages (dmesg).")
        case SQLITE_BUSY, SQLITE_LOCKED:
            Refusal(.notAvailable, .unavailable, "store", problem, do: "Another process holds the store; try again.")
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            Refusal(
                .notAvailable, .damaged, "store", problem,
                do: "Keep the file and run `security verify-keychain`; to go back, \(StoreFile.restoringSnapshot).")
        default: Refusal(.notAvailable, .unavailable, "store", problem, do: "Try again.")
        }
    }

    /// The refusal of a write whose commit failed in a way that leaves open whether it will be there after the next
    /// start.
    var unknownOutcome: Refusal {
        Refusal(
            .io, .unknownOutcome, "store", "\(problem) The change may or may not have been stored.",
            do: "Check the disk and its messages (dmesg), then look whether it was stored before you try again.")
    }

    private var problem: String {
        let cause = systemError == 0 ? "" : ": \(unsafe String(cString: strerror(systemError)))"
        let result = unsafe String(cString: sqlite3_errstr(primary))
        return "The store could not \(action): \(result) (SQLite \(code)\(cause))."
    }
}

extension Statement {
    /// Goes to the next row, with a refusal as its error.
    func next() throws(Refusal) -> Bool { try refusing { () throws(DatabaseError) in try step() } }
}

/// Runs what may fail in the database and turns its error into the caller's.
func refusing<Result>(_ body: () throws(DatabaseError) -> Result) throws(Refusal) -> Result {
    do throws(DatabaseError) { return try body() } catch { throw error.refusal }
}
