import EnclaveWire
import KeychainCrypto
import KeychainModel
import KeychainStore
import KeychainWire
import LinuxSystem

/// Opening rows.
extension ItemSealer {
    /// Asks the enclave for the keys of all rows of a batch.
    func unwrapKeys(of batch: RowBatch) throws(Refusal) {
        let enclave = enclave
        try batch.records.withSpan { (records) throws(Refusal) in
            try enclave.unwrapRowKeys(records, into: batch.keys)
        }
    }

    /// Opens a row's attributes at the end of `output` and gives its tamper-check bytes.
    func openMetadata(
        of row: RowBatch.Row, in batch: RowBatch, as itemClass: ItemClass, reader: StoreReader,
        into output: SecretBuffer
    ) throws(Failure) -> InlineArray<16, UInt8> {
        guard row.isAuthentic else { throw .damaged("its code") }
        return try batch.sealed.withSpan { (sealed) throws(Failure) in
            var identity = row.identity(as: itemClass, in: sealed)
            return try openMetadata(
                sealed.extracting(row.metadata), row.accessibility, &identity, reader: reader, into: output)
        }
    }

    /// As ``openMetadata(of:in:as:reader:into:)``, of a row where SQLite has it.
    func openMetadata(
        of row: SealedRow, as itemClass: ItemClass, reader: StoreReader, into output: SecretBuffer
    ) throws(Failure) {
        let accessibility = row.accessibility
        try row.withParts { (uuid, primaryKey, _, metadata, _) throws(Failure) in
            var identity = RowIdentity(
                itemClass: itemClass, accessibility: accessibility ?? .always, isSynchronizable: row.isSynchronizable,
                isTombstone: row.isTombstone, uuid: uuid, primaryKey: primaryKey)
            _ = try openMetadata(metadata, accessibility, &identity, reader: reader, into: output)
        }
    }

    /// As ``openMetadata(of:in:as:reader:into:)``, of a row whose part is at hand.
    func openMetadata(
        _ metadata: Span<UInt8>, _ accessibility: Accessibility?, _ identity: inout RowIdentity, reader: StoreReader,
        into output: SecretBuffer
    ) throws(Failure) -> InlineArray<16, UInt8> {
        let context = try readyContext(for: accessibility, in: reader)
        let start = output.count
        do throws(CryptoError) { try open(metadata, with: context, &identity, into: output) } catch {
            throw .damaged("its attributes")
        }
        guard output.count - start >= Self.tamperSize else { throw .damaged("its attributes") }
        return Self.takeTamper(from: output)
    }

    /// Opens a row's value at the end of `output` as an attribute: a sealed key as ``AttributeID/sealedKey``, anything
    /// else as the value; appends nothing when the item has none.
    func openValue(
        at index: Int, in batch: RowBatch, as itemClass: ItemClass, tamper: InlineArray<16, UInt8>,
        into output: SecretBuffer
    ) throws(Failure) {
        let row = batch.rows[index]
        try batch.sealed.withSpan { (sealed) throws(Failure) in
            var identity = row.identity(as: itemClass, in: sealed)
            try openValue(
                sealed.extracting(row.value), batch.keys, index, row.accessibility, &identity, tamper, into: output)
        }
    }

    /// As ``openValue(at:in:as:tamper:into:)``, of a row whose part is at hand.
    ///
    /// - Parameter answers: what the enclave said, about this row in the place `index`.
    func openValue(
        _ box: Span<UInt8>, _ answers: SecretBuffer, _ index: Int, _ accessibility: Accessibility?,
        _ identity: inout RowIdentity, _ tamper: InlineArray<16, UInt8>, into output: SecretBuffer
    ) throws(Failure) {
        let answer = index * RowKeyRecord.answerSize
        guard answer + RowKeyRecord.answerSize <= answers.count else { throw .damaged("its key") }
        switch answers.withSpan({ RowKeyRecord.Outcome(rawValue: $0[answer]) }) {
        case .opened: break
        case .locked: throw .refused(.locked(accessibility))
        case .damaged, nil: throw .damaged("its key")
        }
        let start = output.count
        output.appendHeader(.valueData, .data, 0)
        do throws(CryptoError) { try open(box, answers, answer + 1, &identity, into: output) } catch {
            output.truncate(to: start)
            throw .damaged("its value")
        }
        try finishValue(from: start, box[0], tamper, in: output)
    }

    private func open(
        _ box: Span<UInt8>, _ keys: SecretBuffer, _ offset: Int, _ identity: inout RowIdentity,
        into output: SecretBuffer
    ) throws(CryptoError) {
        guard box.count > 1, (Self.version...Presence.sealedKey.version).contains(box[0]) else {
            throw .boxTooShort
        }
        try keys.withSpan { (keys) throws(CryptoError) in
            let key = keys.extracting(offset..<offset + RowKeyRecord.keyBytes)
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
        _ metadata: Span<UInt8>, with context: AESGCM, _ identity: inout RowIdentity, into output: SecretBuffer
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

extension RowBatch.Row {
    /// The associated data of the row, from its columns as they stand.
    fileprivate func identity(as itemClass: ItemClass, in sealed: Span<UInt8>) -> RowIdentity {
        RowIdentity(
            itemClass: itemClass, accessibility: accessibility ?? .always, isSynchronizable: isSynchronizable,
            isTombstone: isTombstone, uuid: sealed.extracting(uuid), primaryKey: sealed.extracting(primaryKey))
    }
}
