import KeychainModel
import LinuxSystem

/// Version 6 of the store: digests stand in the columns that an index needs, and in no others, and most of them are
/// other ones in every class and group.
///
/// The tables are created again, in one transaction. A salted digest is made of the one that was there, so that no row
/// has to be opened. Rows of version 4 had no code and get one as they stand. A row of version 5 whose code is wrong
/// gets none: it stays hidden.
struct ColumnMigration {
    let database: Database
    let digester: AttributeDigester
    /// The number of rows that are read before they are written.
    var atOnce = 512

    /// The versions that it begins with.
    static let versions: Range<Int64> = 4..<6
    /// Stands for the code of a row that is to get one.
    private static let due: [UInt8] = [1]

    /// The columns with digests that the tables had up to version 5.
    static let olderDigests: [ItemClass: String] = [
        .genericPassword: """
        agrp cdat mdat labl tkid vwht ggrp musr alis acct svce gena desc icmt crtr type scrp invi nega cusi prot
        """,
        .internetPassword: """
        agrp cdat mdat labl tkid vwht ggrp musr alis acct sdmn srvr ptcl atyp port path desc icmt crtr type scrp invi \
        nega cusi prot
        """,
        .certificate: "agrp cdat mdat labl tkid vwht ggrp musr alis ctyp cenc subj issr slnr skid pkhh",
        .key: """
        agrp cdat mdat labl tkid vwht ggrp musr alis crtr type kcls klbl atag bsiz esiz sdat edat perm priv modi sens \
        asen extr next encr decr drve sign vrfy snrc vyrc wrap unwp
        """,
    ]

    func run() throws(Refusal) {
        try database.step(from: Self.versions) { (version) throws(Refusal) in
            for itemClass in ItemClass.stored { try rebuild(itemClass, hasCodes: version > 4) }
            try execute(["PRAGMA user_version = \(Self.versions.upperBound)"])
        }
    }

    private func execute(_ statements: [String]) throws(Refusal) {
        try refusing { () throws(DatabaseError) in
            for statement in statements { try database.execute(statement, "be brought up to date") }
        }
    }

    /// The triggers count nothing meanwhile, for nothing comes or goes.
    private func rebuild(_ itemClass: ItemClass, hasCodes: Bool) throws(Refusal) {
        let table = itemClass.code
        try execute(
            UsageCounters.dropping(itemClass) + ["ALTER TABLE \(table) RENAME TO older", Schema.table(of: itemClass)])
        try copy(itemClass, hasCodes: hasCodes)
        try execute(["DROP TABLE older"] + Schema.indexes(of: itemClass))
        try addCodes(to: itemClass)
        try execute(UsageCounters.triggers(of: itemClass))
    }

    // MARK: - Rows

    /// A row of the old table, and what is to stand in the salted columns of the new one.
    private struct Row {
        let id: Int64
        let code: [UInt8]
        let salted: [ColumnDigest?]
    }

    private func copy(_ itemClass: ItemClass, hasCodes: Bool) throws(Refusal) {
        let older = OlderTable(itemClass)
        let columns = older.names + (hasCodes ? [RowCodes.column] : [])
        let read = try prepare("SELECT \(columns.joined(separator: ", ")) FROM older WHERE id > ? ORDER BY id LIMIT ?")
        let write = try prepare(older.copying)
        try inBatches(read) { (statement) throws(Refusal) in
            try row(at: statement, of: older, hasCodes: hasCodes)
        } write: { (row) throws(Refusal) in
            for (index, digest) in row.salted.enumerated() {
                if let digest { write.bind(blob: digest.span, at: Int32(index) + 1) }
            }
            write.bind(blob: row.code.span, at: Int32(row.salted.count) + 1)
            try finish(write, row.id, at: Int32(row.salted.count) + 2)
        }
    }

    private func row(at statement: Statement, of older: OlderTable, hasCodes: Bool) throws(Refusal) -> (Int64, Row) {
        var isAuthentic = true
        if hasCodes {
            let expected = try digester.code(of: statement, from: 0, older.itemClass, covering: older.covered)
            isAuthentic = statement.withBlob(Int32(older.names.count)) { $0.isEqual(to: expected.span) }
        }
        var salted: [ColumnDigest?] = []
        for attribute in older.salted {
            let column = older.index(of: attribute)
            if statement.isNull(column) {
                salted.append(nil)
                continue
            }
            salted.append(
                try statement.withBlob(older.group) { (group) throws(Refusal) in
                    try statement.withBlob(column) { (digest) throws(Refusal) in
                        try digester.salted(digest, attribute, of: older.itemClass, in: group)
                    }
                })
        }
        let id = statement.integer(0)
        return (id, Row(id: id, code: isAuthentic ? Self.due : [], salted: salted))
    }

    private func addCodes(to itemClass: ItemClass) throws(Refusal) {
        let (table, code) = (itemClass.code, RowCodes.column)
        let columns = Schema.rowColumns(of: itemClass)
        let read = try prepare(
            "SELECT \(columns) FROM \(table) WHERE id > ? AND \(code) = x'01' ORDER BY id LIMIT ?")
        let write = try prepare("UPDATE \(table) SET \(code) = ? WHERE id = ?")
        try inBatches(read) { (statement) throws(Refusal) in
            (statement.integer(0), (statement.integer(0), try digester.code(of: statement, from: 0, itemClass)))
        } write: { (row) throws(Refusal) in
            write.bind(blob: row.1.span, at: 1)
            try finish(write, row.0, at: 2)
        }
    }

    // MARK: - Statements

    private func prepare(_ sql: String) throws(Refusal) -> Statement {
        try refusing { () throws(DatabaseError) in try database.prepare(sql, "be brought up to date") }
    }

    private func finish(_ statement: Statement, _ id: Int64, at index: Int32) throws(Refusal) {
        try refusing { () throws(DatabaseError) in
            try statement.bind(integer: id, at: index)
            try statement.run()
        }
    }

    /// Reads rows by their numbers, so many at once, and writes those before it reads the next.
    private func inBatches<Row>(
        _ statement: Statement, read: (Statement) throws(Refusal) -> (Int64, Row), write: (Row) throws(Refusal) -> Void
    ) throws(Refusal) {
        var last: Int64 = .min
        while true {
            var rows: [Row] = []
            try refusing { () throws(DatabaseError) in
                try statement.bind(integer: last, at: 1)
                try statement.bind(integer: Int64(atOnce), at: 2)
            }
            while try statement.next() {
                let (id, row) = try read(statement)
                rows.append(row)
                last = id
            }
            statement.reset()
            if rows.isEmpty { return }
            for row in rows { try write(row) }
        }
    }
}

/// The table of a class as it was up to version 5.
private struct OlderTable {
    let itemClass: ItemClass
    /// All columns but the code, in the order in which statements give them.
    let names: [String]
    let covered: [RowCodes.Column]
    /// The attributes whose digests are salted from now on.
    let salted: [ItemAttribute]

    init(_ itemClass: ItemClass) {
        let digests = (ColumnMigration.olderDigests[itemClass] ?? "").split(separator: " ").map(String.init)
        self.itemClass = itemClass
        names = Schema.sealedColumnNames + digests + [Ownership.column]
        covered = RowCodes.covering(names)
        salted = Schema.digestColumns(of: itemClass).filter(\.isSalted)
    }

    /// Where the digest of the group is.
    var group: Int32 { index(of: "agrp") }

    func index(of attribute: ItemAttribute) -> Int32 { index(of: attribute.code) }

    // The first column is a number, and no digest.
    private func index(of name: String) -> Int32 { Int32(names.firstIndex(of: name) ?? 0) }

    /// The statement that copies a row: what is salted, the code and the row's number are bound.
    var copying: String {
        let columns = Schema.digestColumns(of: itemClass)
        let names = Schema.sealedColumnNames + [Ownership.column] + columns.map(\.code) + [RowCodes.column]
        let values =
            Schema.sealedColumnNames + [Ownership.column] + columns.map { $0.isSalted ? "?" : $0.code } + ["?"]
        return "INSERT INTO \(itemClass.code) (\(names.joined(separator: ", "))) "
            + "SELECT \(values.joined(separator: ", ")) FROM older WHERE id = ?"
    }
}
