package import KeychainModel

/// A row where SQLite has it. Valid until the next row.
package struct SealedRow: RowSource {
    private let statement: Statement
    /// Its first column; two rows may stand in one result.
    private let first: Int32
    package let itemClass: ItemClass
    package let isAuthentic: Bool
    /// Whether more was asked of it than its columns say: its attributes are to be compared when they are open.
    package let isCandidate: Bool

    init(
        _ statement: Statement, _ itemClass: ItemClass, from first: Int32 = 0, digester: AttributeDigester,
        isCandidate: Bool = false
    ) throws(Refusal) {
        (self.statement, self.itemClass, self.first, self.isCandidate) = (statement, itemClass, first, isCandidate)
        isAuthentic = try digester.isAuthentic(statement, from: first, itemClass)
    }

    /// The earlier version at which a statement stands.
    init(version statement: Statement, _ itemClass: ItemClass, digester: AttributeDigester) throws(Refusal) {
        (self.statement, self.itemClass, first, isCandidate) = (statement, itemClass, 0, true)
        isAuthentic = try digester.isAuthentic(version: statement)
    }

    package var id: Int64 { statement.integer(first) }
    package var accessibility: Accessibility? {
        UInt8(exactly: statement.integer(first + 3)).flatMap(Accessibility.init(rawValue:))
    }
    package var isSynchronizable: Bool { statement.integer(first + 4) != 0 }
    package var isTombstone: Bool { statement.integer(first + 5) != 0 }

    package func withPart<Result, Failure: Error>(
        _ part: RowPart, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try statement.withBlob(first + part.rawValue, body)
    }
}
