import KeychainModel
import LinuxSystem
import TestSupport

@testable import KeychainStore

/// The tables of `docs/formats/store.md`.
enum FormatTables {
    /// The objects of an empty store, in lines that a page has room for.
    static var schema: String {
        get throws {
            let directory = try TemporaryDirectory()
            let path = directory.file("keychain.db")
            _ = try FileDescriptor.open(path, 0o102)
            let database = try Database(path: path, sharing: .shared)
            try Migrations(database: database, path: path).run()
            let statement = try database.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL", "be described")
            var lines = ""
            while try statement.step() { lines += wrapped(statement.text(0)) + ";\n" }
            return "```sql\n\(lines)```\n"
        }
    }

    static var numbers: String {
        markdown(
            ["number", "code", "kind", "in", "key of", "default", "column"],
            AttributeTable.rows.filter { $0.id != .restricted }.sorted { $0.id < $1.id }.map(row))
    }

    private static func row(_ attribute: ItemAttribute) -> [String] {
        [
            "\(attribute.id.rawValue)", "`\(attribute.code)`", attribute.kind.name, attribute.classes.codes,
            attribute.keyIn.codes,
            attribute.defaultTextWithClasses + (attribute.returned == .whenNotEmpty ? ", left out" : ""),
            column(attribute),
        ]
    }

    private static func column(_ attribute: ItemAttribute) -> String {
        if attribute.search == .plain { return "number" }
        guard attribute.classes.contains(where: { Schema.digestColumns(of: $0).contains { $0 === attribute } }) else {
            return "–"
        }
        let mayBeMissing = attribute.missing == .absent && attribute.id != .accessGroup
        return (attribute.isSalted ? "salted digest" : "digest") + (mayBeMissing ? " or NULL" : "")
    }

    private static func wrapped(_ statement: String) -> String {
        var lines = [""]
        for word in statement.split(separator: " ") {
            if lines[lines.count - 1].count + word.count > 110 { lines.append("   ") }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
        }
        return lines.joined(separator: "\n")
    }
}

extension [ItemClass] {
    /// The classes as their codes; "all" when it is all that are stored.
    var codes: String {
        if isEmpty { return "–" }
        return self == ItemClass.stored ? "all" : map { "`\($0.code)`" }.joined(separator: " ")
    }
}

extension ItemAttribute {
    /// The value of an item that was added without the attribute.
    var defaultText: String {
        switch defaultValue {
        case nil: "–"
        case .string?: "empty string"
        case .data?: "empty data"
        case .number?: "0"
        case .date?: "date 0"
        }
    }

    /// As ``defaultText``, and in which classes, where it is not all that have the attribute.
    var defaultTextWithClasses: String {
        let own = classes.filter { defaultValue(in: $0) != nil }
        return own.isEmpty || own == classes ? defaultText : "\(defaultText) in \(own.codes)"
    }
}

extension ItemAttribute.Kind {
    var name: String {
        switch self {
        case .blob: "blob"
        case .string: "string"
        case .data: "data"
        case .number: "number"
        case .date: "date"
        case .accessControl: "access control"
        }
    }
}
