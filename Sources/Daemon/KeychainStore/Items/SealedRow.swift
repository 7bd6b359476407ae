package import KeychainModel
package import LinuxSystem

/// A row as the store has it: sealed parts, and the few plain columns its identity consists of. Valid until the next
/// row.
package struct SealedRow {
    private let statement: Statement
    /// Its first column; two rows may stand in one result.
    private let first: Int32
    /// Whether all its columns are as they were written: whether its code is right. No other row is to be given out,
    /// changed or deleted.
    package let isAuthentic: Bool
    /// Whether more was asked of it than its columns say: its attributes are to be compared when they are open.
    package let isCandidate: Bool

    init(
        _ statement: Statement, _ itemClass: ItemClass, from first: Int32 = 0, digester: AttributeDigester,
        isCandidate: Bool = false
    ) throws(Refusal) {
        (self.statement, self.first, self.isCandidate) = (statement, first, isCandidate)
        isAuthentic = try digester.isAuthentic(statement, from: first, itemClass)
    }

    /// The earlier version at which a statement stands, whose code somebody has looked at.
    init(_ statement: Statement, isAuthentic: Bool) {
        (self.statement, self.isAuthentic) = (statement, isAuthentic)
        (first, isCandidate) = (0, true)
    }

    /// The row's number in the table of its class.
    package var id: Int64 { statement.integer(first) }
    /// The protection class; nil when the column holds a number that is none.
    package var accessibility: Accessibility? {
        UInt8(exactly: statement.integer(first + 3)).flatMap(Accessibility.init(rawValue:))
    }
    package var isSynchronizable: Bool { statement.integer(first + 4) != 0 }
    package var isTombstone: Bool { statement.integer(first + 5) != 0 }

    /// The parts that are bytes, by their columns.
    package enum Part: Int32 {
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

    /// Lends all parts that are bytes, where SQLite has them.
    package func withParts<Failure: Error>(
        _ body: (
            _ uuid: Span<UInt8>, _ primaryKey: Span<UInt8>, _ wrappedKey: Span<UInt8>, _ metadata: Span<UInt8>,
            _ value: Span<UInt8>
        ) throws(Failure) -> Void
    ) throws(Failure) {
        let (uuid, primaryKey) = unsafe (bytes(of: .uuid), bytes(of: .primaryKey))
        let (wrappedKey, metadata, value) = unsafe (bytes(of: .wrappedKey), bytes(of: .metadata), bytes(of: .value))
        try unsafe body(uuid.span, primaryKey.span, wrappedKey.span, metadata.span, value.span)
    }

    private func bytes(of part: Part) -> UnsafeBufferPointer<UInt8> { unsafe statement.bytes(first + part.rawValue) }

    /// Appends a part to a buffer and tells where it lies there.
    @discardableResult
    package func append(_ part: Part, to buffer: SecretBuffer) -> Range<Int> {
        let start = buffer.count
        statement.withBlob(first + part.rawValue) { buffer.append($0) }
        return start..<buffer.count
    }
}
