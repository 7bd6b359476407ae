import KeychainModel
import LinuxSystem

/// Version 5 of the store: every row has a code under the index key that covers all its columns.
///
///     code = HMAC-SHA256(index key, "rc" class:u8 *(length:u8 name kind:u8 length:u32 bytes))[0 ..< 16]
///     kind = 1 an integer of eight bytes, 2 bytes, 3 anything else
///
/// The columns stand in the order of their names; a column that is NULL is left out, so that one that is added later, and NULL in
/// old rows, needs no new code. `id` is left out too, because it is given when the row is there: the row's name is its `uuid`. A row
/// whose code is another is none of ours: whoever changed it could have searches find what they did not ask for.
enum RowCodes {
    static let column = "code"
    static let size = 16

    /// A covered column and where a statement has it, counted from the row's first column.
    struct Column {
        let name: [UInt8]
        let index: Int32
    }

    /// All columns of a class's table but the code, in the order in which statements give them.
    static func columnNames(of itemClass: ItemClass) -> [String] { names[Int(itemClass.rawValue) - 1] }

    /// The covered columns in the order of their names.
    static func covered(of itemClass: ItemClass) -> [Column] { columns[Int(itemClass.rawValue) - 1] }

    /// Where the code is.
    static func index(of itemClass: ItemClass) -> Int32 { Int32(columnNames(of: itemClass).count) }

    /// How many columns a statement has of a row.
    static func width(of itemClass: ItemClass) -> Int32 { index(of: itemClass) + 1 }

    private static let names = ItemClass.allCases.map { itemClass in
        Schema.sealedColumnNames + Schema.digestColumns(of: itemClass).map(\.code) + [Ownership.column]
    }

    private static let columns = names.map { names in
        names.enumerated().filter { $0.element != "id" }.sorted { $0.element < $1.element }
            .map { Column(name: Array($0.element.utf8), index: Int32($0.offset)) }
    }
}

/// Giving the rows of an older store their codes, which takes the index key.
struct RowCodeMigration {
    let database: Database
    let digester: AttributeDigester
    /// So many rows are read before their codes are written.
    private static let atOnce = 512

    /// Brings a store of version 4 to version 5, in one transaction.
    func run() throws(Refusal) {
        let outcome: Refusal? = try refusing { () throws(DatabaseError) in
            try database.execute("BEGIN IMMEDIATE", "begin a change")
            let refusal = steps()
            try database.execute(refusal == nil ? "COMMIT" : "ROLLBACK", "keep a change")
            return refusal
        }
        if let outcome { throw outcome }
    }

    private func steps() -> Refusal? {
        do throws(Refusal) {
            // Another process may have been faster.
            guard try version() == Int64(Schema.version) - 1 else { return nil }
            for itemClass in ItemClass.stored { try addCodes(to: itemClass) }
            try execute("PRAGMA user_version = \(Schema.version)")
            return nil
        } catch { return error }
    }

    private func version() throws(Refusal) -> Int64 {
        try refusing { () throws(DatabaseError) in try database.integer("PRAGMA user_version", "tell its version") ?? 0
        }
    }

    private func execute(_ sql: String) throws(Refusal) {
        try refusing { () throws(DatabaseError) in try database.execute(sql, "be brought up to date") }
    }

    private func addCodes(to itemClass: ItemClass) throws(Refusal) {
        let table = itemClass.code
        try execute("ALTER TABLE \(table) ADD COLUMN \(RowCodes.column) BLOB NOT NULL DEFAULT x''")
        let (read, write) = try refusing { () throws(DatabaseError) in
            (
                try database.prepare(
                    "SELECT \(Schema.rowColumns(of: itemClass)) FROM \(table) WHERE id > ? ORDER BY id LIMIT ?",
                    "be read"),
                try database.prepare("UPDATE \(table) SET \(RowCodes.column) = ? WHERE id = ?", "be brought up to date")
            )
        }
        var last: Int64 = 0
        while case let codes = try codes(after: last, of: itemClass, read), let end = codes.last {
            for (id, code) in codes { try set(code, of: id, write) }
            last = end.id
        }
    }

    private func codes(
        after last: Int64, of itemClass: ItemClass, _ statement: Statement
    ) throws(Refusal) -> [(id: Int64, code: ColumnDigest)] {
        defer { statement.reset() }
        try refusing { () throws(DatabaseError) in
            try statement.bind(integer: last, at: 1)
            try statement.bind(integer: Int64(Self.atOnce), at: 2)
        }
        var codes: [(id: Int64, code: ColumnDigest)] = []
        while try statement.next() {
            codes.append((statement.integer(0), try digester.code(of: statement, from: 0, itemClass)))
        }
        return codes
    }

    private func set(_ code: ColumnDigest, of id: Int64, _ statement: Statement) throws(Refusal) {
        statement.bind(blob: code.span, at: 1)
        try refusing { () throws(DatabaseError) in
            try statement.bind(integer: id, at: 2)
            try statement.run()
        }
    }
}
