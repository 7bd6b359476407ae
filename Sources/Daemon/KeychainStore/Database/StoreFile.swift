import Glibc
import KeychainModel
import LinuxSystem

/// The file of the store.
package enum StoreFile {
    /// How somebody goes back to a snapshot: the log of the present database belongs to that alone.
    package static let restoringSnapshot =
        "end the programs that use the keychain, copy a snapshot over keychain.db, and remove keychain.db-wal and "
        + "keychain.db-shm"

    /// The name of the database in the folder.
    package static let name = "keychain.db"

    /// Makes an empty file for its owner alone, unless there is one. Nothing is opened: where this process uses the
    /// store already, to close the file would take SQLite's locks on it away (fcntl(2)), and another process might put
    /// the log away as the last.
    static func makePrivate(_ path: String) throws(SystemError) {
        guard unsafe mknod(path, S_IFREG | 0o600, 0) == 0 || errno == EEXIST else {
            throw SystemError(code: errno, call: "mknod", advice: path)
        }
    }
}

/// Runs what may fail in the file system and turns its error into the caller's.
func storing<Result>(_ body: () throws(SystemError) -> Result) throws(Refusal) -> Result {
    do throws(SystemError) { return try body() } catch {
        throw Refusal(
            .notAvailable, .unavailable, "store", "The store cannot be used: \(error).",
            do:
                "If a daemon owns it, connect to that daemon (KEYCHAIN_SOCKET); else check the folder's permissions."
        )
    }
}
