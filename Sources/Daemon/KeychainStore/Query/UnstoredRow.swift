package import KeychainModel
import LinuxSystem

/// A sealed row that is in no table, and goes into none but the history.
package struct UnstoredRow: RowSource {
    private let row: NewRow

    package init(_ row: NewRow) { self.row = row }

    package var id: Int64 { 0 }
    package var itemClass: ItemClass { row.itemClass }
    package var accessibility: Accessibility? { row.accessibility }
    package var isSynchronizable: Bool { row.isSynchronizable }
    package var isTombstone: Bool { row.isTombstone }
    package var isAuthentic: Bool { true }

    package func withPart<Result, Failure: Error>(
        _ part: RowPart, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        switch part {
        case .uuid: return try body(row.uuid.span)
        case .primaryKey: return try body(row.primaryKey.span)
        case .wrappedKey: return try body(row.wrappedKey.span)
        case .metadata: return try body(row.metadata.span)
        case .value: return try body(row.value.span)
        case .group:
            // The group is the first attribute with a column, in every class.
            let group = row.digests.first.flatMap { $0?.span.array(0, RowCodes.size) } ?? []
            return try body(group.span)
        }
    }
}
