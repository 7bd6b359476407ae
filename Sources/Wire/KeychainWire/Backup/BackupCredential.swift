package import KeychainModel

/// The kind of credential that opens a backup.
package enum BackupCredential: UInt8, Sendable, CaseIterable {
    case passphrase = 1
    /// The code that the enclave of a keychain made (``CredentialKind/recoveryCode``).
    case recoveryCode = 2

    package init(from reader: inout WireReader) throws(Refusal) {
        guard let kind = Self(rawValue: try reader.integer(UInt8.self)) else { throw .malformed("a credential") }
        self = kind
    }
}

/// The name of a backup or restore under way: 16 random bytes that only its caller knows.
package enum BackupTicket {
    package static let bytes = 16
}
