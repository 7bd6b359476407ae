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
        guard !rows.isEmpty else { return }
        rows.removeAll(keepingCapacity: true)
        sealed.removeAll()
        records.removeAll()
        keys.removeAll()
    }

    func append(_ row: SealedRow) {
        let accessibility = row.accessibility
        let uuid = row.append(.uuid, to: sealed)
        appendRecord(row, accessibility, uuid)
        rows.append(
            Row(
                id: row.id, accessibility: accessibility, isSynchronizable: row.isSynchronizable,
                isTombstone: row.isTombstone, uuid: uuid, primaryKey: row.append(.primaryKey, to: sealed),
                metadata: row.append(.metadata, to: sealed), value: row.append(.value, to: sealed)))
    }

    private func appendRecord(_ row: SealedRow, _ accessibility: Accessibility?, _ uuid: Range<Int>) {
        let start = records.count
        records.append(littleEndian: UInt32(accessibility?.rawValue ?? 0))
        sealed.withSpan { records.append($0.extracting(uuid)) }
        row.append(.wrappedKey, to: records)
        guard records.count - start != RowKeyRecord.size else { return }
        // A UUID or a wrapped key has not its size: the row gets a record that cannot open.
        records.truncate(to: start)
        records.append(count: RowKeyRecord.size) { _ in }
    }
}
