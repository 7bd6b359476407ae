/// Whether a store has the tables, indexes and triggers that we make, and nothing else but tables that we never touch.
///
/// SQLite goes by the text of an entry of `sqlite_schema` and hardly looks at its type. Anyone who can write the file
/// can have any text there. So every text has to be one of this schema, or that of a plain table with another name,
/// which does nothing when the schema's own tables are written.
struct SchemaCheck {
    static let reading = "SELECT type, name, sql FROM sqlite_schema"

    /// How many entries are not of this schema, are not as the schema makes them, or are missing.
    var count: Int { foreign + missing.count + (circle.count < CircleTables.names.count ? circle.count : 0) }

    private var foreign = 0
    private var missing = Set(required.keys)
    /// The tables of a circle, which a store has all or none of.
    private var circle = Set(CircleTables.names)

    private static let required = texts(of: Schema.creation)
    /// Also what older stores are given when they are opened.
    private static let known = texts(
        of: Schema.creation + [MarkTable.creation] + HistoryTable.creation + LookupTable.creation
            + ShelfTable.creation + [ShelfTable.tombstoneCreation] + CircleTables.creation)

    /// Looks at an entry: its type, its name, and its text, which indexes have not that belong to a constraint.
    mutating func note(type: String, name: String, text: String?) {
        missing.remove(name)
        circle.remove(name)
        if !Self.isHarmless(type: type, name: name, text: text) { foreign += 1 }
    }

    private static func isHarmless(type: String, name: String, text: String?) -> Bool {
        guard let text else { return name.hasPrefix("sqlite_autoindex_") }
        if let ours = known[name] { return text == ours || hasMoreColumns(text, than: ours) }
        return type == "table" && known[name.lowercased()] == nil && isTable(text, named: name)
    }

    /// Whether a text is that of our table with more columns, whose values may be missing and which nothing depends on.
    private static func hasMoreColumns(_ text: String, than ours: String) -> Bool {
        let begin = ours.dropLast()
        guard ours.hasPrefix("CREATE TABLE "), ours.hasSuffix(")"), text.hasPrefix(begin), text.hasSuffix(")") else {
            return false
        }
        let more = text.dropFirst(begin.count).dropLast().split(separator: ",", omittingEmptySubsequences: false)
        // Text before the first comma would belong to this project's last column.
        return more[0].isEmpty && more.dropFirst().allSatisfy(isPlainColumn)
    }

    private static func isPlainColumn(_ text: Substring) -> Bool {
        let words = text.split(separator: " ")
        return words.count == 2 && isName(words[0]) && ["BLOB", "INTEGER", "TEXT", "REAL"].contains(words[1])
    }

    /// Whether a text makes the table with this name, and not one of another name.
    private static func isTable(_ text: String, named name: String) -> Bool {
        guard isName(name[...]) else { return false }
        return ["CREATE TABLE \(name)", "CREATE TABLE \"\(name)\""].contains { begin in
            text.hasPrefix(begin) && text.dropFirst(begin.count).first { !$0.isWhitespace } == "("
        }
    }

    private static func isName(_ text: Substring) -> Bool {
        text.utf8.allSatisfy {
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 | 0x20 || $0 == UInt8(ascii: "_")
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0
        }
    }

    /// The objects of the schema that are made by a statement, by their names.
    private static func texts(of statements: [String]) -> [String: String] {
        let texts = statements.map { $0.replacing("IF NOT EXISTS ", with: "", maxReplacements: 1) }
        return Dictionary(texts.map { (String($0.split(separator: " ", maxSplits: 3)[2]), $0) }) { first, _ in first }
    }
}
