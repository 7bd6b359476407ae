package import KeychainModel
package import KeychainPolicy
package import LinuxSystem

/// How a row stands to a query: which of its conditions it does not meet.
package struct RowVerdict: Sendable {
    package let row: Int64
    /// In the order a person reads them: whose the item is, what differs, what is not looked at.
    package var unmet: [Condition]

    package enum Condition: Hashable, Sendable {
        case group
        case attribute(AttributeID)
        case reference, synchronizable, tombstone
    }
}

/// Saying why rows are not found: the conditions of a query, looked at one by one.
extension StoreReader {
    /// Shows every row of a class with the conditions of an authorised query that its columns do not meet. Attributes
    /// without a column are not looked at.
    ///
    /// - Parameters:
    ///   - itemClass: the query's, or another that has the attributes too.
    ///   - groups: whose rows are looked at; nil for all.
    /// - Throws: what SQLite says; `keychain.deadline`; whatever `visit` throws.
    package func explain(
        _ authorized: AuthorizedRequest, as itemClass: ItemClass, seeing groups: [String]?, by deadline: Deadline,
        _ visit: (RowVerdict, SealedRow) throws(Refusal) -> Void
    ) throws(Refusal) {
        let request = authorized.request
        var scope: [ColumnDigest]?
        if case .groups(let names) = authorized.scope { scope = try digests(ofGroups: names) }
        let shape = QueryShape(request, as: itemClass, groups: scope?.count).explained
        let conditions = QueryCompiler.conditions(shape)
        let digests = try askedDigests(request, itemClass)
        let statement = try refusing { () throws(DatabaseError) in
            try database.prepare(QueryCompiler.explanation(shape, visible: groups?.count), "be searched")
        }
        database.deadline = deadline
        defer { database.deadline = .never }
        var index = try bind(
            request, comparing: QueryCompiler.comparedAttributes(shape), in: BoundPlaces(groups: scope ?? []),
            of: shape, to: statement)
        if let groups { bind(groups: try self.digests(ofGroups: groups), to: statement, &index) }
        let width = RowCodes.width(of: itemClass)
        while try statement.next() {
            var unmet: [RowVerdict.Condition] = []
            for (column, condition) in conditions.enumerated() where statement.integer(width + Int32(column)) == 0 {
                unmet.append(RowVerdict.Condition(condition.subject))
            }
            unmet.insert(contentsOf: try differing(digests, from: statement, itemClass), at: 0)
            // Whose it is comes first.
            if let group = unmet.firstIndex(of: .group) { unmet.insert(unmet.remove(at: group), at: 0) }
            let row = try SealedRow(statement, itemClass, digester: digester)
            try visit(RowVerdict(row: row.id, unmet: unmet), row)
        }
    }

    /// Whether other machines have not got the last change of a record; nil where the keychain belongs to no circle.
    ///
    /// - Throws: what SQLite says.
    package func isUnsent(_ primaryKey: Span<UInt8>, of itemClass: ItemClass) throws(Refusal) -> Bool? {
        try refusing { () throws(DatabaseError) in
            guard try database.integer(CircleTables.looking, "be searched") != nil else { return nil }
            let statement = try database.prepare(CircleTables.isMarked, "be searched")
            try statement.bind(integer: Int64(itemClass.rawValue), at: 1)
            statement.bind(blob: primaryKey, at: 2)
            return try statement.step() && statement.integer(0) != 0
        }
    }

    /// The conditions of a query on the columns of a class: attribute, the place of its column, the digest without
    /// salt.
    private typealias Asked = (attribute: ItemAttribute, column: Int32, digest: ColumnDigest)

    private func askedDigests(
        _ request: borrowing ItemRequest, _ itemClass: ItemClass
    ) throws(Refusal) -> [Asked] {
        let first = Schema.sealedColumnNames.count
        var asked: [Asked] = []
        for (index, attribute) in Schema.digestColumns(of: itemClass).enumerated() {
            guard request.query.entry(attribute.id) != nil, attribute.id != .accessGroup else { continue }
            asked.append((attribute, Int32(first + index), try digest(of: attribute, in: request)))
        }
        return asked
    }

    /// The attributes whose columns say something else, in the row's own group.
    private func differing(
        _ asked: [Asked], from statement: Statement, _ itemClass: ItemClass
    ) throws(Refusal) -> [RowVerdict.Condition] {
        let group = RowCodes.columnNames(of: itemClass).firstIndex(of: "agrp") ?? 0
        var unmet: [RowVerdict.Condition] = []
        for (attribute, column, digest) in asked {
            let expected = try statement.withBlob(Int32(group)) { (group) throws(Refusal) in
                attribute.isSalted
                    ? try digester.salted(digest.span, attribute, of: itemClass, in: group) : digest
            }
            let isMet = statement.withBlob(column) { $0.isEqual(to: expected.span) }
            if !isMet { unmet.append(.attribute(attribute.id)) }
        }
        return unmet
    }

    /// Visits one row of a class.
    package func row(
        _ id: Int64, of itemClass: ItemClass, _ visit: (SealedRow) throws(Refusal) -> Void
    ) throws(Refusal) {
        try walk(itemClass, after: id - 1) { (row) throws(Refusal) in
            if row.id == id { try visit(row) }
            return false
        }
    }
}

extension RowVerdict.Condition {
    fileprivate init(_ subject: QueryCompiler.Subject) {
        self =
            switch subject {
            case .reference: .reference
            case .group: .group
            case .tombstone: .tombstone
            case .synchronizable: .synchronizable
            case .attribute(let id): .attribute(id)
            }
    }
}
