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
        /// Where the parts lie in ``RowBatch/sealed``.
        let uuid, primaryKey, metadata, value: Range<Int>
    }

    private(set) var rows: [Row] = []
    let sealed = SecretBuffer(capacity: 8192)
    /// The rows' wrapped keys as ``RowKeyRecord`` wants them.
    let records = SecretBuffer(capacity: 2048)
    /// The enclave's answers.
    let keys = SecretBuffer(capacity: 512)

    func removeAll() {
        rows.removeAll(keepingCapacity: true)
        sealed.removeAll()
        records.removeAll()
        keys.removeAll()
    }

    func append(_ row: SealedRow) {
        let accessibility = row.accessibility
        let uuid = row.withUUID(copy)
        appendRecord(row, accessibility, uuid)
        rows.append(
            Row(
                id: row.id, accessibility: accessibility, isSynchronizable: row.isSynchronizable,
                isTombstone: row.isTombstone, uuid: uuid, primaryKey: row.withPrimaryKey(copy),
                metadata: row.withMetadata(copy), value: row.withValue(copy)))
    }

    private func copy(_ span: Span<UInt8>) -> Range<Int> {
        let start = sealed.count
        sealed.append(span)
        return start..<sealed.count
    }

    /// A row whose UUID or wrapped key has not its size gets a record that cannot open.
    private func appendRecord(_ row: SealedRow, _ accessibility: Accessibility?, _ uuid: Range<Int>) {
        records.append(accessibility?.rawValue ?? 0)
        for _ in 0..<3 { records.append(0) }
        sealed.withSpan { appendFixed($0.extracting(uuid), RowKeyRecord.rowBytes) }
        row.withWrappedKey { appendFixed($0, RowKeyRecord.wrappedBytes) }
    }

    private func appendFixed(_ span: Span<UInt8>, _ size: Int) {
        guard span.count == size else { return records.append(count: size) { _ in } }
        records.append(span)
    }
}
