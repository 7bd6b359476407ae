import CSQLite
import KeychainModel

/// What SQLite said: its extended code and the statement's purpose, never a bound value.
struct DatabaseError: Error {
    let code: Int32
    let action: String

    /// The primary code, of which the extended one is a kind.
    var primary: Int32 { code & 0xFF }

    /// SQLITE_CONSTRAINT_UNIQUE, a macro that Swift does not see.
    var isUniqueViolation: Bool { code == SQLITE_CONSTRAINT | 8 << 8 }

    /// The refusal a caller gets for it (semantics B.2, last paragraph).
    var refusal: Refusal {
        switch primary {
        case SQLITE_CONSTRAINT: Refusal(.duplicateItem, .duplicate, "item", problem, do: "Update the item instead.")
        case SQLITE_READONLY:
            Refusal(.readOnly, .unavailable, "store", problem, do: "Check the permissions of the folder.")
        case SQLITE_NOMEM: Refusal(.allocate, .unavailable, "store", problem, do: "Free some memory and try again.")
        case SQLITE_INTERRUPT: .expired
        case SQLITE_FULL:
            Refusal(.notAvailable, .unavailable, "store", problem, do: "Free some disk space and try again.")
        case SQLITE_IOERR: Refusal(.io, .unavailable, "store", problem, do: "Check the disk; nothing was changed.")
        case SQLITE_BUSY, SQLITE_LOCKED:
            Refusal(.notAvailable, .unavailable, "store", problem, do: "Another process holds the store; try again.")
        case SQLITE_CORRUPT, SQLITE_NOTADB:
            Refusal(
                .notAvailable, .damaged, "store", problem,
                do: "Keep the file, run `security verify-keychain`, and restore a snapshot from the same folder.")
        default: Refusal(.notAvailable, .unavailable, "store", problem, do: "Try again; nothing was changed.")
        }
    }

    private var problem: String {
        "The store could not \(action): \(unsafe String(cString: sqlite3_errstr(primary))) (SQLite \(code))."
    }
}
