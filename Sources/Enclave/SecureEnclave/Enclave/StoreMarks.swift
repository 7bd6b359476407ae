import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// The marks that a vault gives to its store.
///
///     key  = HKDF-SHA256: input the class key of dku, salt the identifier, info
///            "keychain vault 4: store mark", 32 bytes
///     code = HMAC-SHA256(key, changes:u64 block:u64)
///
/// The class key of dku is there whatever is locked, never leaves the enclave, and stays the same when the passcode or
/// the root changes. A vault that is older than a mark still recognises the marks that came after it.
extension Vault {
    /// The verdict of a store's mark on store and vault.
    enum MarkReading: Equatable {
        case current
        case olderStore
        /// The store has seen so many changes of the vault, more than this vault has.
        case olderVault(changes: UInt64)
    }

    /// The mark that a store of this age has.
    func mark() throws(CryptoError) -> StoreMark {
        StoreMark(changes: age.changes, block: age.block, code: try code(age.changes, age.block))
    }

    func read(_ mark: StoreMark?) throws(CryptoError) -> MarkReading {
        guard let mark else { return age.confirmed == 0 ? .current : .olderStore }
        let code = try code(mark.changes, mark.block)
        guard code.span.isEqual(to: mark.code.span) else { return .olderStore }
        if mark.changes > age.changes { return .olderVault(changes: mark.changes) }
        return mark.block < age.confirmed ? .olderStore : .current
    }

    private func code(_ changes: UInt64, _ block: UInt64) throws(CryptoError) -> [UInt8] {
        let text = SecretBuffer(capacity: 16)
        text.append(littleEndian: changes)
        text.append(littleEndian: block)
        let digest = try markDigest()
        try text.withSpan { (text) throws(CryptoError) in try digest.update(text) }
        let code = try digest.finish()
        return code.span.array(0, StoreMark.codeBytes)
    }

    private func markDigest() throws(CryptoError) -> KeyedDigest {
        guard let classKey = try Keybag(opening: self).keys[.alwaysThisDeviceOnly] else { throw .invalidParameter }
        let key = try classKey.withSpan { (classKey) throws(CryptoError) in
            try HKDF.derive(from: classKey, salt: identifier.span, info: Self.purpose.span, count: StoreMark.codeBytes)
        }
        return try key.withSpan { (key) throws(CryptoError) in try KeyedDigest(key: key) }
    }

    private static let purpose = Array("keychain vault 4: store mark".utf8)
}
