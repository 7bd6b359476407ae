package import KeychainCrypto
package import KeychainModel

/// Why a backup is not read.
package enum BackupProblem: Error, Equatable {
    case notABackup
    /// A slot asks for less work than protects a passphrase, or for more than a reader does.
    case cost
    /// No slot opens with the credential.
    case wrongCredential
    /// No slot takes a credential of this kind.
    case noSlot
    /// Which part of the file is not as it was written.
    case damaged(String)
    case crypto(CryptoError)
}

extension Refusal {
    /// The refusal that a caller sees.
    ///
    /// - Parameter credential: what was shown to open it: "passphrase", "recovery code".
    package init(_ problem: BackupProblem, credential: String = "passphrase") {
        switch problem {
        case .notABackup:
            self.init(
                .decode, .damagedBackup, "backup", "The file is no backup of a keychain, or its beginning is damaged.",
                do: "Name a file that `security backup` has made, or an older copy of it.")
        case .cost:
            self.init(
                .decode, .damagedBackup, "backup", "The work that the backup asks for its passphrase is out of bounds.",
                do: "Use another copy: `security backup` has made no such file.")
        case .wrongCredential:
            self.init(
                .authFailed, .wrongBackupCredential, "backup", "The \(credential) does not open the backup.",
                do: "Try again; nothing was changed, and tries are not counted.")
        case .noSlot:
            self.init(
                .authFailed, .noBackupSlot, "backup", "The backup does not open with a \(credential).",
                do: "Give what it was made with: a passphrase, or a recovery code (--recovery).")
        case .damaged(let part):
            self.init(
                .decode, .damagedBackup, "backup", "The backup is damaged: \(part) is not as it was written.",
                do: "Use another copy of the file, or an older backup; nothing of this one was taken.")
        case .crypto(let error):
            self.init(
                .internalError, .internalError, "backup", "The cryptographic library refused (\(error)).",
                do: "Free some memory and try again. Nothing was changed.")
        }
    }
}
