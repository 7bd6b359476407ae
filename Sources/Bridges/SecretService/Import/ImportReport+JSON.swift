import LinuxSystem

extension ImportReport {
    /// The outcome as an object on one line, with the names that the imports of logins have.
    var json: String {
        "{\"added\":\(added),\"same\":\(same),\"different\":\(Self.list(different)),"
            + "\"locked\":\(Self.list(closed)),\"withoutValue\":\(unreadable)}"
    }

    private static func list(_ labels: [String]) -> String {
        "[\(labels.map { JSONText.quoted($0) }.joined(separator: ","))]"
    }
}

/// Texts in JSON.
package enum JSONText {
    /// The object that says why there is no outcome, as `security --json` has it.
    package static func failure(_ message: String) -> String {
        "{\"status\":1,\"name\":null,\"rule\":\"command.failure\",\"subject\":null,"
            + "\"message\":\(quoted(message)),\"remedy\":\"\"}"
    }

    /// A string. Characters with no place in a line for people are escaped: labels are any program's, and the line may
    /// come to a terminal.
    static func quoted(_ text: String) -> String { "\"\(text.unicodeScalars.map(escaped).joined())\"" }

    private static func escaped(_ scalar: Unicode.Scalar) -> String {
        switch scalar {
        case "\"", "\\": "\\\(scalar)"
        case _ where ForeignText.isShown(scalar): String(scalar)
        default: String(scalar).utf16.map { "\\u" + String(0x1_0000 + Int($0), radix: 16).dropFirst() }.joined()
        }
    }
}
