import KeychainModel
import KeychainStore
import LinuxSystem

/// A number of rows, copied as they are out of the store, so that the enclave is asked for all their keys in one go.
///
/// Belongs to one thread and is used again for the next query; its buffers keep their room.
final class RowBatch: RandomAccessCollection {
    /// A row's plain columns, and where its parts lie in ``sealed``.
    fileprivate struct Columns {
        let id: Int64
        let itemClass: ItemClass
        let accessibility: Accessibility?
        let isSynchronizable, isTombstone, isAuthentic: Bool
        var places = InlineArray<10, Range<Int>>(repeating: 0..<0)
    }

    fileprivate private(set) var columns: [Columns] = []
    fileprivate let sealed = SecretBuffer(capacity: 8192)
    let keys = UnwrappedKeys(rows: 16)

    var startIndex: Int { 0 }
    var endIndex: Int { columns.count }
    /// How many bytes its rows have.
    var bytes: Int { sealed.count }
    subscript(index: Int) -> BatchRow { BatchRow(batch: self, index: index) }

    private static let parts = RowPart.allCases

    func removeAll() {
        guard sealed.count > 0 else { return }
        columns.removeAll(keepingCapacity: true)
        sealed.removeAll()
        keys.removeAll()
    }

    func append(_ row: SealedRow) {
        var copy = Columns(
            id: row.id, itemClass: row.itemClass, accessibility: row.accessibility,
            isSynchronizable: row.isSynchronizable, isTombstone: row.isTombstone, isAuthentic: row.isAuthentic)
        for part in Self.parts {
            let start = sealed.count
            row.withPart(part) { sealed.append($0) }
            copy.places[Int(part.rawValue)] = start..<sealed.count
        }
        columns.append(copy)
        keys.appendRecord(of: row)
    }
}

/// A row of a batch.
struct BatchRow: RowSource {
    let batch: RowBatch
    let index: Int

    var id: Int64 { batch.columns[index].id }
    var itemClass: ItemClass { batch.columns[index].itemClass }
    var accessibility: Accessibility? { batch.columns[index].accessibility }
    var isSynchronizable: Bool { batch.columns[index].isSynchronizable }
    var isTombstone: Bool { batch.columns[index].isTombstone }
    var isAuthentic: Bool { batch.columns[index].isAuthentic }
    /// The place of its key among those of the batch.
    var key: UnwrappedKeys.Place { UnwrappedKeys.Place(keys: batch.keys, index: index) }

    func withPart<Result, Failure: Error>(
        _ part: RowPart, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let place = batch.columns[index].places[Int(part.rawValue)]
        return try batch.sealed.withSpan { (sealed) throws(Failure) in try body(sealed.extracting(place)) }
    }
}
