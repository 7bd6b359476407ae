package import KeychainModel
package import KeychainPolicy
package import LinuxSystem

/// How a row stands to a query: which of its conditions it does not meet.
package struct RowVerdict: Sendable {
    package let row: Int64
    /// In the order a person reads them: whose the item is, what differs, what is not looked at.
    package let unmet: [Condition]

    package enum Condition: Hashable, Sendable {
        case group
        case attribute(AttributeID)
        case reference, synchronizable, tombstone
    }
}

/// Saying why rows are not found: the conditions of the compiled query itself, looked at one by one.
extension StoreReader {
    /// Shows every row of a class with what it does not meet of an authorised query.
    ///
    /// - Parameters:
    ///   - itemClass: the query's, or another that has the attributes too.
    ///   - groups: whose rows are looked at; nil for all.
    /// - Throws: what SQLite says; `keychain.deadline`; whatever `visit` throws.
    package func explain(
        _ authorized: AuthorizedRequest, as itemClass: ItemClass, seeing groups: [String]?, by deadline: Deadline,
        _ visit: (RowVerdict) throws(Refusal) -> Void
    ) throws(Refusal) {
        let shape = QueryShape(authorized, as: itemClass).unpaged
        let conditions = QueryCompiler.conditions(shape)
        let statement = try refusing { () throws(DatabaseError) in
            try database.prepare(QueryCompiler.explanation(shape, visible: groups?.count), "be searched")
        }
        database.deadline = deadline
        defer { database.deadline = .never }
        var index = try bind(authorized, of: shape, to: statement)
        if let groups { try bind(groups, to: statement, &index) }
        while try statement.next() {
            var unmet: [RowVerdict.Condition] = []
            for (column, condition) in conditions.enumerated() where statement.integer(Int32(column) + 1) == 0 {
                unmet.append(RowVerdict.Condition(condition.subject))
            }
            // Whose it is comes first.
            if let group = unmet.firstIndex(of: .group) { unmet.insert(unmet.remove(at: group), at: 0) }
            try visit(RowVerdict(row: statement.integer(0), unmet: unmet))
        }
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
