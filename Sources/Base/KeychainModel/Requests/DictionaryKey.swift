/// A key of a program's dictionary and its meaning, found in one lookup. Most calls spend more time on their keys than
/// on everything else.
package struct DictionaryKey {
    package let code: String
    let meaning: Meaning?

    /// A row of one of the two tables.
    enum Meaning {
        case attribute(row: Int)
        case query(row: Int, QueryKey.Role)
    }

    package init(_ code: String) {
        self.code = code
        let table = Self.table
        meaning = table.index[code].map { table.meanings[$0] }
    }

    /// The attribute it names; nil for every other key.
    package var attribute: ItemAttribute? {
        if case .attribute(let row)? = meaning { AttributeTable.rows[row] } else { nil }
    }

    /// The role of the key in a query; nil for attributes and unknown keys.
    package var role: QueryKey.Role? { if case .query(_, let role)? = meaning { role } else { nil } }

    private static let table = {
        let codes = AttributeTable.rows.map { $0.code } + QueryKey.rows.map { $0.code }
        let meanings =
            AttributeTable.rows.indices.map { Meaning.attribute(row: $0) }
            + QueryKey.rows.enumerated().map { Meaning.query(row: $0, $1.role) }
        return (index: CodeIndex(codes), meanings: meanings)
    }()
}

extension AttributeTable {
    /// The attribute with this dictionary key.
    package static func attribute(code: String) -> ItemAttribute? { DictionaryKey(code).attribute }
}
