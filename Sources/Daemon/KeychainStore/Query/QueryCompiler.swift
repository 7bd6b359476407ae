import KeychainModel

/// Turns the shape of a query into SQL. The text depends on the shape alone; values are only ever bound.
enum QueryCompiler {
    /// The statement for a shape.
    static func select(_ shape: QueryShape) -> String {
        if shape.itemClass == .identity { return IdentityQueryCompiler.select(shape) }
        var conditions: [String] = []
        switch shape.reference {
        case .none: break
        case .uuid: conditions.append("uuid = ?")
        case .row: conditions.append("id = ?")
        }
        conditions += comparedAttributes(shape).map { "\($0.code) = ?" }
        if let groups = shape.groups { conditions.append(groupCondition(groups)) }
        if let number = shape.tombstone { conditions.append("tomb = \(number == 0 ? 0 : 1)") }
        if let number = shape.synchronizable { conditions.append("sync = \(number == 0 ? 0 : 1)") }
        if shape.isPaged { conditions.append("id > ?") }
        let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        let order = shape.isPaged ? " ORDER BY id" : ""
        return "SELECT \(Schema.sealedColumns) FROM \(shape.itemClass.code)\(filter)\(order)"
    }

    /// The attributes a shape compares, in the order their values are bound.
    static func comparedAttributes(_ shape: QueryShape) -> [ItemAttribute] {
        AttributeTable.attributes(of: shape.itemClass).filter { shape.attributes & $0.id.bit != 0 }
    }

    private static func groupCondition(_ count: Int) -> String {
        count == 1 ? "agrp = ?" : "agrp IN (\(Array(repeating: "?", count: count).joined(separator: ", ")))"
    }
}
