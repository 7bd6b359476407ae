import EnclaveWire
import KeychainCrypto
import KeychainModel
import KeychainStore
import KeychainWire
import LinuxSystem

/// Sealing items.
extension ItemSealer {
    /// Seals an item with fresh keys. The store must have a metadata key for its class; the enclave is asked for it
    /// again where a change of the device's state has put it away since.
    ///
    /// - Parameters:
    ///   - prepared: a key made for this item's UUID and class; without one, the enclave is asked for its wrapping.
    ///   - context: whose application password goes into a guarded item's key.
    /// - Throws: `errSecInteractionNotAllowed` when the class is closed; what the enclave says: `errSecAuthNeeded` for
    ///   an application password that is missing, `errSecAuthFailed` for a guard that nobody could meet here.
    func seal(
        _ item: PlainItem, with prepared: RowKey? = nil, in context: AuthenticationContext? = nil,
        for store: StoreWriter
    ) throws(Refusal) -> NewRow {
        guard let cipher = try self.context(for: item.accessibility, in: store.reader) else {
            throw .locked(item.accessibility)
        }
        let digester = store.digester
        let list = item.encoded()
        let primaryKey = try digester.primaryKey(of: item.itemClass, list)
        let digests = try digester.columns(of: item.itemClass, list)
        let lookups = try digester.lookups(of: item.itemClass, list)
        let rowKey =
            if item.guardFlags == 0, let prepared, prepared.accessibility == item.accessibility { prepared } else {
                try wrappedKey(for: item, in: context)
            }
        let identity = RowIdentity(
            itemClass: item.itemClass, accessibility: item.accessibility, isSynchronizable: item.isSynchronizable,
            isTombstone: item.isTombstone, uuid: item.uuid.span, primaryKey: primaryKey.span)
        let tamper = Randomness.bytes(Self.tamperSize)
        do throws(CryptoError) {
            let metadata = try seal(list, tamper, with: cipher, identity)
            let value = try seal(value: item, tamper, with: rowKey.key, identity)
            return NewRow(
                itemClass: item.itemClass, uuid: item.uuid, primaryKey: primaryKey, accessibility: item.accessibility,
                isSynchronizable: item.isSynchronizable, isTombstone: item.isTombstone, digests: digests,
                lookups: lookups,
                wrappedKey: rowKey.wrapped, metadata: metadata, value: value)
        } catch { throw .cryptography(error) }
    }

    private func wrappedKey(for item: PlainItem, in context: AuthenticationContext?) throws(Refusal) -> RowKey {
        let (key, flags) = (Self.freshKey(), item.guardFlags)
        let wrapped =
            flags == 0
            ? try enclave.wrapRowKey(key, row: item.uuid.span, for: item.accessibility)
            : try enclave.wrapGuardedRowKey(
                key, row: item.uuid, for: item.accessibility, flags: flags, in: context)
        return RowKey(accessibility: item.accessibility, uuid: item.uuid, key: key, wrapped: wrapped)
    }

    private func seal(
        _ list: AttributeList, _ tamper: [UInt8], with context: AESGCM, _ identity: RowIdentity
    ) throws(CryptoError) -> [UInt8] {
        let key = Self.freshKey()
        let plaintext = SecretBuffer(capacity: list.storage.count + Self.tamperSize)
        list.storage.withSpan { plaintext.append($0) }
        plaintext.append(tamper.span)
        return try key.withSpan { (key) throws(CryptoError) in
            let wrapped = try identity.withBytes(of: .metadataKey) { (aad) throws(CryptoError) in
                try context.seal(key, aad: aad)
            }
            return [Self.version] + wrapped + (try box(plaintext, key, .metadata, identity))
        }
    }

    private func seal(
        value item: PlainItem, _ tamper: [UInt8], with key: SecretBytes, _ identity: RowIdentity
    ) throws(CryptoError) -> [UInt8] {
        let (value, presence) = item.content
        let size = value?.count ?? 0
        // Lengths show in steps of 32 bytes only.
        let padding = 31 - (size + 31) % 32
        let plaintext = SecretBuffer(capacity: size + padding + Self.tamperSize + 2)
        value?.withSpan { plaintext.append($0) }
        plaintext.append(count: padding) { _ in }
        plaintext.append(UInt8(padding))
        plaintext.append(presence.rawValue)
        plaintext.append(tamper.span)
        return try key.withSpan { (key) throws(CryptoError) in
            [presence.version] + (try box(plaintext, key, .value, identity))
        }
    }

    private func box(
        _ plaintext: SecretBuffer, _ key: Span<UInt8>, _ part: RowIdentity.Part, _ identity: RowIdentity
    ) throws(CryptoError) -> [UInt8] {
        try plaintext.withSpan { (plaintext) throws(CryptoError) in
            try identity.withBytes(of: part) { (aad) throws(CryptoError) in
                try rowContext.seal(plaintext, key: key, aad: aad)
            }
        }
    }

    private static func freshKey() -> SecretBytes {
        let key = SecretBytes(count: RowKeyRecord.keyBytes)
        key.withMutableSpan { Randomness.fill(&$0) }
        return key
    }
}

extension PlainItem {
    /// The bytes that are sealed as the row's value, and their kind.
    fileprivate var content: (bytes: SecretBytes?, presence: ItemSealer.Presence) {
        if let sealedKey { return (SecretBytes(copying: sealedKey.bytes.span), .sealedKey) }
        return (value, value == nil ? .none : .value)
    }
}
