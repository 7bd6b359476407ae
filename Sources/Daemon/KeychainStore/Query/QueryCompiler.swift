import KeychainModel

/// Turns the shape of a query into SQL. The text depends on the shape alone; values are only ever bound.
///
/// A plus sign before a column keeps SQLite from looking rows up by it: what a group has is many rows, what an
/// attribute has few.
enum QueryCompiler {
    /// The statement for a shape.
    static func select(_ shape: QueryShape) -> String {
        if shape.itemClass == .identity { return IdentityQueryCompiler.select(shape) }
        if walksGroups(shape) { return walk(shape) }
        let table = shape.itemClass.code
        var conditions = conditions(shape).map(\.sql)
        if shape.isPaged { conditions.append("id > ?") }
        let filter = conditions.isEmpty ? "" : " WHERE " + conditions.joined(separator: " AND ")
        let order = shape.isPaged ? " ORDER BY id" : ""
        guard asksGroupByGroup(shape) else {
            return "SELECT \(Schema.rowColumns(of: shape.itemClass)) FROM \(table)\(filter)\(order)"
        }
        return "WITH \(asked(shape)) SELECT \(Schema.rowColumns(of: shape.itemClass, in: table)) "
            + "FROM asked CROSS JOIN \(table) ON \(join(shape))\(filter)\(order)"
    }

    /// The most parts of a statement; for more groups all rows are looked at.
    private static let mostParts = 64

    /// Whether the rows of several groups are looked at, each group's by its index, because no more is known of what is
    /// asked: the rows of other groups are not.
    private static func walksGroups(_ shape: QueryShape) -> Bool {
        guard let groups = shape.groups, groups > 1, groups <= mostParts else { return false }
        return isAlone(shape)
    }

    /// A part for each group. The parts are in the order of rows, so they are merged and not sorted.
    private static func walk(_ shape: QueryShape) -> String {
        let count = shape.groups ?? 0
        let first = comparedAttributes(shape).count
        let parts = (1...count).map { number -> String in
            var conditions = comparedAttributes(shape).enumerated().map { "\($1.code) = ?\($0 + 1)" }
            conditions.append("agrp = ?\(first + number)")
            if let number = shape.tombstone { conditions.append("tomb = \(number == 0 ? 0 : 1)") }
            if let number = shape.synchronizable { conditions.append("sync = \(number == 0 ? 0 : 1)") }
            if shape.isPaged { conditions.append("id > ?\(first + count + 1)") }
            let columns = Schema.rowColumns(of: shape.itemClass)
            return "SELECT \(columns) FROM \(shape.itemClass.code) WHERE \(conditions.joined(separator: " AND "))"
        }
        return parts.joined(separator: " UNION ALL ") + (shape.isPaged ? " ORDER BY id" : "")
    }

    /// Whether a digest is asked for in each of several groups. The rows to look up are then a table of their own: for
    /// each group its digest, and those of the attributes in it. They are bound first.
    static func asksGroupByGroup(_ shape: QueryShape) -> Bool {
        shape.itemClass != .identity && shape.comparesSalted && shape.groups ?? 0 > 1
    }

    private static func asked(_ shape: QueryShape) -> String {
        let names = ["agrp"] + saltedAttributes(shape).map(\.code)
        let marks = "(\(Array(repeating: "?", count: names.count).joined(separator: ", ")))"
        let rows = Array(repeating: marks, count: shape.groups ?? 0).joined(separator: ", ")
        return "asked (\(names.joined(separator: ", "))) AS (VALUES \(rows))"
    }

    private static func join(_ shape: QueryShape) -> String {
        let table = shape.itemClass.code
        let compared = saltedAttributes(shape).map { "\(table).\($0.code) = asked.\($0.code)" }
        return (compared + ["+\(table).agrp = asked.agrp"]).joined(separator: " AND ")
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

    /// The conditions of a shape on a row, in the order in which their values are bound. Paging is not among them, nor
    /// are conditions that are asked group by group.
    static func conditions(_ shape: QueryShape) -> [Condition] {
        let isByGroup = asksGroupByGroup(shape)
        var conditions: [Condition] = []
        switch shape.reference {
        case .none: break
        case .uuid: conditions.append(Condition(sql: "uuid = ?", subject: .reference))
        case .row: conditions.append(Condition(sql: "id = ?", subject: .reference))
        }
        conditions += LookupTable.conditions(shape.lookups)
            .map { Condition(sql: $0, subject: .attribute(.lookupAttributes)) }
        // A pair is rarer than what else an item has.
        let plus = shape.lookups > 0 ? "+" : ""
        conditions += comparedAttributes(shape).filter { !(isByGroup && $0.isSalted) }
            .map { Condition(sql: "\(plus)\($0.code) = ?", subject: .attribute($0.id)) }
        if let groups = shape.groups, !isByGroup {
            conditions.append(Condition(sql: groupCondition(groups, shape), subject: .group))
        }
        if let number = shape.tombstone {
            conditions.append(Condition(sql: "tomb = \(number == 0 ? 0 : 1)", subject: .tombstone))
        }
        if let number = shape.synchronizable {
            conditions.append(Condition(sql: "sync = \(number == 0 ? 0 : 1)", subject: .synchronizable))
        }
        return conditions
    }

    /// The statement that gives every row, and says which conditions of a shape it meets, in a column for each behind
    /// the row's own.
    ///
    /// - Parameter visible: how many groups it looks at; nil for all.
    static func explanation(_ shape: QueryShape, visible: Int?) -> String {
        let columns = conditions(shape).map { "(\($0.sql))" }
        let filter = visible.map { " WHERE \(groupCondition($0))" } ?? ""
        let row = Schema.rowColumns(of: shape.itemClass)
        return "SELECT \(([row] + columns).joined(separator: ", ")) FROM \(shape.itemClass.code)\(filter) ORDER BY id"
    }

    /// The statement for rows that a shape's conditions leave out though they have the pairs that are asked for, or any
    /// pair where none are. The pairs are bound first, then what the conditions compare with.
    static func unseen(_ shape: QueryShape) -> String {
        let pairs = shape.lookups > 0 ? LookupTable.conditions(shape.lookups) : [LookupTable.anyPair]
        let met = conditions(shape).map(\.sql).joined(separator: " AND ")
        return "SELECT \(Schema.rowColumns(of: shape.itemClass)) FROM \(shape.itemClass.code) "
            + "WHERE \(pairs.joined(separator: " AND ")) AND (\(met)) IS NOT TRUE"
    }

    /// The groups that a class has items in.
    static func groups(of itemClass: ItemClass) -> String {
        "SELECT DISTINCT agrp FROM \(itemClass.code) WHERE agrp IS NOT NULL"
    }

    /// The attributes a shape compares, in the order their values are bound.
    static func comparedAttributes(_ shape: QueryShape) -> [ItemAttribute] {
        AttributeTable.attributes(of: shape.itemClass).filter { shape.attributes & $0.id.bit != 0 }
    }

    /// Those of them that are salted.
    static func saltedAttributes(_ shape: QueryShape) -> [ItemAttribute] {
        comparedAttributes(shape).filter(\.isSalted)
    }

    /// One group's rows are looked up by it when nothing else is known of them, and come in their order; several
    /// groups' would not.
    private static func groupCondition(_ count: Int, _ shape: QueryShape) -> String {
        (count == 0 || count == 1 && isAlone(shape) ? "" : "+") + groupCondition(count)
    }

    /// Whether nothing else is known of the rows than their groups.
    private static func isAlone(_ shape: QueryShape) -> Bool {
        shape.attributes & ~AttributeID.accessible.bit == 0 && shape.reference == .none && shape.lookups == 0
    }

    private static func groupCondition(_ count: Int) -> String {
        count == 0
            ? "0" : count == 1 ? "agrp = ?" : "agrp IN (\(Array(repeating: "?", count: count).joined(separator: ", ")))"
    }
}
