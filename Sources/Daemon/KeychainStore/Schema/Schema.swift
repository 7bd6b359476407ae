import KeychainModel

/// The tables, as SQL derived from the rows of ``AttributeTable`` and the indexes of ``ItemClass``.
///
/// Every class has its table: plain numbers to filter by, a keyed digest for each attribute that an index has, and the
/// sealed parts of the item. A digest is NULL where an attribute without default is missing. All other attributes are
/// compared when they are open.
enum Schema {
    static let version = 8

    /// All statements that make an empty store.
    static var creation: [String] {
        ItemClass.stored.flatMap { [table(of: $0)] + indexes(of: $0) } + [keys, quarantine] + Ownership.tables
            + counters
    }

    private static let counters = ItemClass.stored.flatMap(UsageCounters.triggers)

    /// All triggers there are to be, as the schema has them; and there are no views.
    static let triggers = counters + HistoryTable.triggers + LookupTable.triggers

    /// The columns that begin a row, in the order ``SealedRow`` expects.
    static let sealedColumnNames = ["id", "uuid", "pk", "pdmn", "sync", "tomb", "wkey", "meta", "data"]

    /// All columns of a row, as every statement that reads rows gives them: those of ``sealedColumnNames`` first, the
    /// code last.
    static func rowColumns(of itemClass: ItemClass, in table: String? = nil) -> String {
        (RowCodes.columnNames(of: itemClass) + [RowCodes.column]).map { name in table.map { "\($0).\(name)" } ?? name }
            .joined(separator: ", ")
    }

    /// The attributes that have a digest column in the table of a class.
    static func digestColumns(of itemClass: ItemClass) -> [ItemAttribute] { AttributeTable.indexed(of: itemClass) }

    /// The statement that adds a row.
    static func insertion(into itemClass: ItemClass) -> String {
        let columns = fixedColumns + digestColumns(of: itemClass).map(\.code) + [Ownership.column, RowCodes.column]
        let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
        return "INSERT INTO \(itemClass.code) (\(columns.joined(separator: ", "))) VALUES (\(marks))"
    }

    /// The statement that replaces everything of a row but its number.
    static func replacement(in itemClass: ItemClass) -> String {
        let columns = fixedColumns + digestColumns(of: itemClass).map(\.code) + [Ownership.column, RowCodes.column]
        let assignments = columns.map { "\($0) = ?" }.joined(separator: ", ")
        return "UPDATE \(itemClass.code) SET \(assignments) WHERE id = ?"
    }

    /// The columns every row has, in the order ``ItemStore`` binds them.
    static let fixedColumns = ["uuid", "pk", "pdmn", "sync", "tomb", "wkey", "meta", "data"]

    static func table(of itemClass: ItemClass) -> String {
        let digests = digestColumns(of: itemClass).map { attribute in
            "\(attribute.code) BLOB\(attribute.missing == .absent ? "" : " NOT NULL")"
        }
        let columns =
            [
                "id INTEGER PRIMARY KEY", "uuid BLOB NOT NULL UNIQUE", "pk BLOB NOT NULL UNIQUE",
                "pdmn INTEGER NOT NULL", "sync INTEGER NOT NULL", "tomb INTEGER NOT NULL",
            ] + digests
            + ["wkey", "meta", "data", Ownership.column, RowCodes.column].map { "\($0) BLOB NOT NULL" }
        return "CREATE TABLE \(itemClass.code) (\(columns.joined(separator: ", ")))"
    }

    static func indexes(of itemClass: ItemClass) -> [String] { itemClass.indexes.map { index(on: $0, of: itemClass) } }

    /// Items without the attribute are left out of its index: an add then has one page less to write.
    private static func index(on attributes: [AttributeID], of itemClass: ItemClass) -> String {
        let rows = attributes.compactMap { AttributeTable.attribute(id: $0) }
        let codes = rows.map(\.code)
        let name = ([itemClass.code] + codes).joined(separator: "_")
        let filter = rows.filter { $0.missing == .absent }.map { "\($0.code) IS NOT NULL" }.joined(separator: " AND ")
        let columns = codes.joined(separator: ", ")
        return "CREATE INDEX \(name) ON \(itemClass.code) (\(columns))\(filter.isEmpty ? "" : " WHERE \(filter)")"
    }

    /// The metadata key of each protection class, wrapped by its class key.
    private static let keys = "CREATE TABLE metadatakeys (pdmn INTEGER PRIMARY KEY, wrapped BLOB NOT NULL)"

    /// Rows that no longer opened when something else took their place. They are kept, so that a mistake of this
    /// program loses nothing.
    private static let quarantine = """
        CREATE TABLE quarantine (id INTEGER PRIMARY KEY, class TEXT NOT NULL, pdmn INTEGER NOT NULL, \
        uuid BLOB NOT NULL, pk BLOB NOT NULL, sync INTEGER NOT NULL, tomb INTEGER NOT NULL, \
        wkey BLOB NOT NULL, meta BLOB NOT NULL, data BLOB NOT NULL)
        """
}
