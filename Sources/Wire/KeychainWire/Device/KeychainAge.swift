package import KeychainModel

/// Whether store and vault are the newest there have been, as far as it can be known.
package enum KeychainAge: UInt8, Sendable {
    /// Nothing says otherwise.
    case current = 0
    /// The store is older than the vault knows it, or is not marked by it: served, and reported.
    case olderStore = 1
    /// The vault is older than the store, or the enclave that runs, knows it: refused.
    case olderVault = 2
    /// Store and vault agree, and the TPM has seen newer ones: refused until the user says that these are meant.
    case olderKeychain = 3
}

extension Refusal.Rule {
    /// The vault is an older one than the one that was here.
    package static let olderVault = Self(rawValue: "vault.older")
    /// Store and vault are older than the TPM has seen them.
    package static let olderKeychain = Self(rawValue: "keychain.older")
}

extension KeychainAge {
    /// - Throws: `errSecParam` (`wire.malformed`) for one that this release does not know.
    package init(from reader: inout WireReader) throws(Refusal) {
        guard let age = Self(rawValue: try reader.integer(UInt8.self)) else { throw .malformed("the keychain's age") }
        self = age
    }
}
