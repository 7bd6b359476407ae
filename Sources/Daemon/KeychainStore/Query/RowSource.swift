package import KeychainModel

/// A row that may be opened: sealed parts, and the few plain columns its identity consists of.
package protocol RowSource {
    /// The row's number in the table of its class.
    var id: Int64 { get }
    var itemClass: ItemClass { get }
    /// The protection class; nil when the column holds a number that is none.
    var accessibility: Accessibility? { get }
    var isSynchronizable: Bool { get }
    var isTombstone: Bool { get }
    /// Whether all its columns are as they were written: whether its code is right. No other row is to be given out,
    /// changed or deleted.
    var isAuthentic: Bool { get }

    /// Lends a part.
    func withPart<Result, Failure: Error>(
        _ part: RowPart, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result
}

/// The parts of a row that are bytes, by their columns.
package enum RowPart: Int32, CaseIterable {
    /// The item's UUID, as its persistent reference has it: 16 bytes in an intact row.
    case uuid = 1
    /// The digest of the primary key: 16 bytes in an intact row.
    case primaryKey = 2
    /// The row's secret key, wrapped by its class key.
    case wrappedKey = 6
    case metadata = 7
    case value = 8
    /// The digest of the access group; of an item's row only.
    case group = 9
}
