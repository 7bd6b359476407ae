import KeychainModel

@testable import KeychainStore

/// The tables of `docs/format.md`.
enum FormatTables {
    /// The statements that make an empty store, in lines that a page has room for.
    static var schema: String {
        "```sql\n" + Migrations.all.flatMap(\.self).map { wrapped($0) + ";\n" }.joined() + "```\n"
    }

    static var numbers: String {
        markdown(
            ["number", "code", "kind", "in", "key of", "default", "column"],
            AttributeTable.rows.filter { $0.id != .restricted }.sorted { $0.id < $1.id }.map(row))
    }

    private static func row(_ attribute: ItemAttribute) -> [String] {
        [
            "\(attribute.id.rawValue)", "`\(attribute.code)`", attribute.kind.name, attribute.classes.codes,
            attribute.keyIn.codes, attribute.defaultText + (attribute.returned == .whenNotEmpty ? ", left out" : ""),
            column(attribute),
        ]
    }

    private static func column(_ attribute: ItemAttribute) -> String {
        switch attribute.column {
        case .digest: attribute.missing == .absent && attribute.id != .accessGroup ? "digest or NULL" : "digest"
        case .plain: "number"
        case .none: "–"
        }
    }

    private static func wrapped(_ statement: String) -> String {
        var lines = [""]
        for column in statement.split(separator: ", ") {
            if lines[lines.count - 1].count + column.count > 110 { lines.append("   ") }
            lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + column + ","
        }
        return String(lines.joined(separator: "\n").dropLast())
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
    /// What an item gets that was added without the attribute.
    var defaultText: String {
        switch defaultValue {
        case nil: "–"
        case .string?: "empty string"
        case .data?: "empty data"
        case .number?: "0"
        case .date?: "date 0"
        }
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
