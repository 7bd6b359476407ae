import EnclaveWire
import KeychainCrypto
import KeychainModel
import KeychainStore
import KeychainWire
import LinuxSystem

/// Opening rows.
extension ItemSealer {
    /// Opens a row's attributes at the end of `output` and gives its tamper-check bytes.
    @discardableResult
    func openMetadata(
        of row: some RowSource, reader: StoreReader, into output: SecretBuffer
    ) throws(Failure) -> InlineArray<16, UInt8> {
        guard row.isAuthentic else { throw .damaged("its code") }
        let context = try readyContext(for: row.accessibility, in: reader)
        let start = output.count
        do throws(CryptoError) {
            try row.withPart(.metadata) { (metadata) throws(CryptoError) in
                try open(metadata, with: context, row.identity, into: output)
            }
        } catch { throw .damaged("its attributes") }
        guard output.count - start >= Self.tamperSize else { throw .damaged("its attributes") }
        return Self.takeTamper(from: output)
    }

    /// Opens a row's value at the end of `output` as an attribute: a sealed key as ``AttributeID/sealedKey``, anything
    /// else as the value; appends nothing when the item has none.
    func openValue(
        of row: some RowSource, with key: UnwrappedKeys.Place, tamper: InlineArray<16, UInt8>, into output: SecretBuffer
    ) throws(Failure) {
        try key.check(row.accessibility)
        let start = output.count
        output.appendHeader(.valueData, .data, 0)
        let version: UInt8
        do throws(CryptoError) {
            version = try row.withPart(.value) { (value) throws(CryptoError) in
                try open(value: value, with: key, row.identity, into: output)
                return value[0]
            }
        } catch {
            output.truncate(to: start)
            throw .damaged("its value")
        }
        try finishValue(from: start, version, tamper, in: output)
    }

    private func open(
        value box: Span<UInt8>, with key: UnwrappedKeys.Place, _ identity: RowIdentity, into output: SecretBuffer
    ) throws(CryptoError) {
        guard box.count > 1, (Self.version...Presence.sealedKey.version).contains(box[0]) else {
            throw .boxTooShort
        }
        try key.withKey { (key) throws(CryptoError) in
            try identity.withBytes(of: .value) { (aad) throws(CryptoError) in
                try rowContext.open(box.extracting(1...), key: key, aad: aad, into: output)
            }
        }
    }

    /// Takes tamper-check, padding and presence off the end of an opened value and completes its header.
    private func finishValue(
        from start: Int, _ version: UInt8, _ tamper: InlineArray<16, UInt8>, in output: SecretBuffer
    ) throws(Failure) {
        let content = start + AttributeList.headerSize
        guard output.count - content >= Self.tamperSize + 2 else { throw .damaged("its value") }
        let found = Self.takeTamper(from: output)
        guard found.span.isEqual(to: tamper.span) else {
            output.truncate(to: start)
            throw .damaged("its value belongs to other attributes")
        }
        let (padding, number) = output.withSpan { (Int($0[output.count - 2]), $0[output.count - 1]) }
        guard let presence = Presence(rawValue: number), presence.version == version else {
            output.truncate(to: start)
            throw .damaged("its value")
        }
        guard presence != .none, output.count - content - 2 >= padding else { return output.truncate(to: start) }
        if presence == .sealedKey { output.overwrite(littleEndian: AttributeID.sealedKey.rawValue, at: start) }
        output.truncate(to: output.count - 2 - padding)
        output.overwrite(littleEndian: UInt32(output.count - content), at: content - 4)
    }

    private func open(
        _ metadata: Span<UInt8>, with context: AESGCM, _ identity: RowIdentity, into output: SecretBuffer
    ) throws(CryptoError) {
        guard metadata.count > 1 + Self.wrappedKeySize, metadata[0] == Self.version else { throw .boxTooShort }
        let wrapped = metadata.extracting(1..<1 + Self.wrappedKeySize)
        let box = metadata.extracting((1 + Self.wrappedKeySize)...)
        scratch.removeAll()
        try identity.withBytes(of: .metadataKey) { (aad) throws(CryptoError) in
            try context.open(wrapped, aad: aad, into: scratch)
        }
        try scratch.withSpan { (key) throws(CryptoError) in
            try identity.withBytes(of: .metadata) { (aad) throws(CryptoError) in
                try rowContext.open(box, key: key, aad: aad, into: output)
            }
        }
        scratch.removeAll()
    }

    private static func takeTamper(from output: SecretBuffer) -> InlineArray<16, UInt8> {
        let start = output.count - tamperSize
        let tamper = output.withSpan { span in InlineArray<16, UInt8> { span[start + $0] } }
        output.truncate(to: start)
        return tamper
    }

    private func readyContext(for accessibility: Accessibility?, in reader: StoreReader) throws(Failure) -> AESGCM {
        guard let accessibility else { throw .damaged("its protection class") }
        let found: AESGCM?
        do throws(Refusal) { found = try context(for: accessibility, in: reader) } catch {
            throw error.status == .decode ? .damaged("its class's metadata key") : .refused(error)
        }
        guard let found else { throw .damaged("its class has no metadata key") }
        return found
    }
}

extension RowSource {
    /// The associated data of the row, from its columns as they stand.
    fileprivate var identity: RowIdentity {
        withPart(.uuid) { uuid in
            withPart(.primaryKey) { primaryKey in
                RowIdentity(
                    itemClass: itemClass, accessibility: accessibility ?? .always, isSynchronizable: isSynchronizable,
                    isTombstone: isTombstone, uuid: uuid, primaryKey: primaryKey)
            }
        }
    }
}
