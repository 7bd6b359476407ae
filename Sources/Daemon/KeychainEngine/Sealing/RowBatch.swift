import EnclaveWire
import KeychainModel
import KeychainStore
import KeychainWire
import LinuxSystem

/// A number of rows, copied as they are out of the store, so that the enclave is asked for all their keys in one go.
///
/// Belongs to one thread and is used again for the next query; its buffers keep their room.
final class RowBatch {
    struct Row {
        let id: Int64
        let accessibility: Accessibility?
        let isSynchronizable: Bool
        let isTombstone: Bool
        /// Whether the row is as it was written.
        let isAuthentic: Bool
        /// Where the parts lie in ``RowBatch/sealed``.
        let uuid, primaryKey, metadata, value: Range<Int>
        /// Where the digest of its group lies there; of an item's row only.
        let group: Range<Int>
        /// Where the wrapped key of a guarded row lies there; empty for any other row, whose key is in
        /// ``RowBatch/records``.
        let guardedKey: Range<Int>
    }

    private(set) var rows: [Row] = []
    let sealed = SecretBuffer(capacity: 8192)
    /// The rows' wrapped keys as ``RowKeyRecord`` wants them.
    let records = SecretBuffer(capacity: 2048)
    /// The enclave's answers.
    let keys = SecretBuffer(capacity: 512)

    func removeAll() {
        guard sealed.count > 0 else { return }
        rows.removeAll(keepingCapacity: true)
        sealed.removeAll()
        records.removeAll()
        keys.removeAll()
    }

    func append(_ row: SealedRow) {
        let accessibility = row.accessibility
        let uuid = row.append(.uuid, to: sealed)
        let guardedKey = appendRecord(row, accessibility, uuid)
        rows.append(
            Row(
                id: row.id, accessibility: accessibility, isSynchronizable: row.isSynchronizable,
                isTombstone: row.isTombstone, isAuthentic: row.isAuthentic, uuid: uuid,
                primaryKey: row.append(.primaryKey, to: sealed),
                metadata: row.append(.metadata, to: sealed), value: row.append(.value, to: sealed),
                group: row.append(.group, to: sealed),
                guardedKey: guardedKey))
    }

    /// Gives where the wrapped key lies when it is that of a guarded row.
    private func appendRecord(
        _ row: SealedRow, _ accessibility: Accessibility?, _ uuid: Range<Int>
    ) -> Range<Int> {
        let start = records.count
        records.append(littleEndian: UInt32(accessibility?.rawValue ?? 0))
        sealed.withSpan { records.append($0.extracting(uuid)) }
        row.append(.wrappedKey, to: records)
        let (found, end) = (records.count - start, sealed.count)
        guard found != RowKeyRecord.size else { return end..<end }
        // Guarded, or a UUID or a wrapped key has not its size: the row gets a record that cannot open.
        records.truncate(to: start)
        records.append(count: RowKeyRecord.size) { _ in }
        return found > RowKeyRecord.size ? row.append(.wrappedKey, to: sealed) : end..<end
    }

    /// A row with what guards it; nil for a row that nobody guards.
    ///
    /// - Throws: `damaged` for a guard that this release does not know.
    func guarded(_ index: Int) throws(ItemSealer.Failure) -> GuardedRow? {
        let row = rows[index]
        if row.guardedKey.isEmpty { return nil }
        let found = sealed.withSpan {
            GuardedRow(
                uuid: $0.extracting(row.uuid), row.accessibility, wrappedKey: $0.extracting(row.guardedKey))
        }
        guard let found else { throw .damaged("its key") }
        return found
    }

    /// Lends all parts of the rows, and the wrapped key of one.
    func withParts<Failure: Error>(
        of index: Int, _ body: (_ parts: Span<UInt8>, _ wrappedKey: Span<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        let (guardedKey, end) = (rows[index].guardedKey, (index + 1) * RowKeyRecord.size)
        try sealed.withSpan { (parts) throws(Failure) in
            if !guardedKey.isEmpty { return try body(parts, parts.extracting(guardedKey)) }
            try records.withSpan { (records) throws(Failure) in
                try body(parts, records.extracting(end - RowKeyRecord.wrappedBytes..<end))
            }
        }
    }

    /// Puts in the key of a guarded row, where the enclave's answer about it stands.
    func open(_ index: Int, with key: SecretBytes) {
        let start = index * RowKeyRecord.answerSize
        guard start + RowKeyRecord.answerSize <= keys.count, key.count == RowKeyRecord.keyBytes else { return }
        keys.withMutableSpan { keys in
            keys[start] = RowKeyRecord.Outcome.opened.rawValue
            key.withSpan { keys.copy($0, to: start + 1) }
        }
    }
}
