import KeychainModel

/// Turns the shape of a query into SQL. The text depends on the shape alone; values are only ever bound.
enum QueryCompiler {
    /// The statement for a shape.
    static func select(_ shape: QueryShape) -> String {
        if shape.itemClass == .identity { return IdentityQueryCompiler.select(shape) }
        var conditions = conditions(shape).map(\.sql)
        if shape.isPaged { conditions.append("id > ?") }
        let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        let order = shape.isPaged ? " ORDER BY id" : ""
        return "SELECT \(Schema.rowColumns(of: shape.itemClass)) FROM \(shape.itemClass.code)\(filter)\(order)"
    }

    /// Something a row must meet, and what it is about.
    struct Condition {
        let sql: String
        let subject: Subject
    }

    enum Subject: Hashable {
        case reference, group, tombstone, synchronizable
        case attribute(AttributeID)
    }

    /// What a shape asks of a row, in the order its values are bound; paging is none of it.
    static func conditions(_ shape: QueryShape) -> [Condition] {
        var conditions: [Condition] = []
        switch shape.reference {
        case .none: break
        case .uuid: conditions.append(Condition(sql: "uuid = ?", subject: .reference))
        case .row: conditions.append(Condition(sql: "id = ?", subject: .reference))
        }
        conditions += comparedAttributes(shape).map { Condition(sql: "\($0.code) = ?", subject: .attribute($0.id)) }
        if let groups = shape.groups {
            conditions.append(Condition(sql: groupCondition(groups), subject: .group))
        }
        if let number = shape.tombstone {
            conditions.append(Condition(sql: "tomb = \(number == 0 ? 0 : 1)", subject: .tombstone))
        }
        if let number = shape.synchronizable {
            conditions.append(Condition(sql: "sync = \(number == 0 ? 0 : 1)", subject: .synchronizable))
        }
        return conditions
    }

    /// The statement that says of every row which conditions of a shape it meets, in a column for each.
    ///
    /// - Parameter visible: how many groups it looks at; nil for all.
    static func explanation(_ shape: QueryShape, visible: Int?) -> String {
        let columns = conditions(shape).map { "(\($0.sql))" }
        let filter = visible.map { " WHERE \(groupCondition($0))" } ?? ""
        return "SELECT \((["id"] + columns).joined(separator: ", ")) FROM \(shape.itemClass.code)\(filter) ORDER BY id"
    }

    /// The attributes a shape compares, in the order their values are bound.
    static func comparedAttributes(_ shape: QueryShape) -> [ItemAttribute] {
        AttributeTable.attributes(of: shape.itemClass).filter { shape.attributes & $0.id.bit != 0 }
    }

    private static func groupCondition(_ count: Int) -> String {
        count == 0
            ? "0" : count == 1 ? "agrp = ?" : "agrp IN (\(Array(repeating: "?", count: count).joined(separator: ", ")))"
    }
}
