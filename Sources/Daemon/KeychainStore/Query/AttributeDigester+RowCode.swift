import KeychainModel
import LinuxSystem

/// Making the codes of rows: ``RowCodes``.
extension AttributeDigester {
    /// The code that the row at which a statement stands should have.
    func code(of statement: Statement, from first: Int32, _ itemClass: ItemClass) throws(Refusal) -> ColumnDigest {
        try code(of: statement, from: first, itemClass, covering: RowCodes.covered(of: itemClass))
    }

    /// The code that goes over these columns.
    func code(
        of statement: Statement, from first: Int32, _ itemClass: ItemClass, covering columns: [RowCodes.Column]
    ) throws(Refusal) -> ColumnDigest {
        beginCode(of: itemClass)
        return try code(of: columns, statement, from: first)
    }

    private func code(
        of columns: [RowCodes.Column], _ statement: Statement, from first: Int32, insteadOf other: Int32? = nil,
        _ bytes: [UInt8] = []
    ) throws(Refusal) -> ColumnDigest {
        for column in columns {
            if column.index == other {
                appendCode(column.name, bytes.span)
                continue
            }
            switch statement.kind(first + column.index) {
            case .null: continue
            case .integer: appendCode(column.name, statement.integer(first + column.index))
            case .blob: statement.withBlob(first + column.index) { appendCode(column.name, $0) }
            // Columns that this project writes are of no other kind.
            case .other: appendForeignCode(column.name)
            }
        }
        return try finishCode()
    }

    /// Whether the row at which a statement stands is as it was written.
    func isAuthentic(_ statement: Statement, from first: Int32, _ itemClass: ItemClass) throws(Refusal) -> Bool {
        let expected = try code(of: statement, from: first, itemClass)
        return statement.withBlob(first + RowCodes.index(of: itemClass)) { $0.isEqual(to: expected.span) }
    }

    /// The code of a row that is to be written for an owner.
    func code(of row: NewRow, owner: Span<UInt8>) throws(Refusal) -> ColumnDigest {
        beginCode(of: row.itemClass)
        let digests = Schema.sealedColumnNames.count
        for column in RowCodes.covered(of: row.itemClass) {
            switch Int(column.index) {
            case 1: appendCode(column.name, row.uuid.span)
            case 2: appendCode(column.name, row.primaryKey.span)
            case 3: appendCode(column.name, Int64(row.accessibility.rawValue))
            case 4: appendCode(column.name, row.isSynchronizable ? 1 : 0)
            case 5: appendCode(column.name, row.isTombstone ? 1 : 0)
            case 6: appendCode(column.name, row.wrappedKey.span)
            case 7: appendCode(column.name, row.metadata.span)
            case 8: appendCode(column.name, row.value.span)
            case let index where index - digests < row.digests.count:
                if let digest = row.digests[index - digests] { appendCode(column.name, digest.span) }
            default: appendCode(column.name, owner)
            }
        }
        return try finishCode()
    }

    // MARK: - Earlier versions

    /// Whether the version at which a statement stands is as it was written.
    func isAuthentic(version statement: Statement) throws(Refusal) -> Bool {
        beginCodeOfVersion()
        let expected = try code(of: VersionColumns.covered, statement, from: 0)
        return statement.withBlob(VersionColumns.code) { $0.isEqual(to: expected.span) }
    }

    /// The code of the version at which a statement stands, with another end.
    func code(ofVersion statement: Statement, as lost: LostVersion) throws(Refusal) -> ColumnDigest {
        beginCodeOfVersion()
        return try code(
            of: VersionColumns.covered, statement, from: 0, insteadOf: VersionColumns.lost, lost.bytes)
    }

    /// The code of a version that is to be kept.
    func code(of version: EndedVersion<some RowSource>, owner: Span<UInt8>) throws(Refusal) -> ColumnDigest {
        let row = version.row
        beginCodeOfVersion()
        for column in VersionColumns.covered {
            switch column.index {
            case 1: row.withPart(.uuid) { appendCode(column.name, $0) }
            case 2: row.withPart(.primaryKey) { appendCode(column.name, $0) }
            case 3: appendCode(column.name, Int64(version.accessibility.rawValue))
            case 4: appendCode(column.name, row.isSynchronizable ? 1 : 0)
            case 6: row.withPart(.wrappedKey) { appendCode(column.name, $0) }
            case 7: row.withPart(.metadata) { appendCode(column.name, $0) }
            case 8: row.withPart(.value) { appendCode(column.name, $0) }
            case 9: appendCode(column.name, Int64(row.itemClass.rawValue))
            case 10: row.withPart(.group) { appendCode(column.name, $0) }
            case 11: appendCode(column.name, owner)
            case 12: appendCode(column.name, version.ended)
            case VersionColumns.lost: if let lost = version.lost { appendCode(column.name, lost.bytes.span) }
            default: appendCode(column.name, Int64(version.end.rawValue))
            }
        }
        return try finishCode()
    }
}
