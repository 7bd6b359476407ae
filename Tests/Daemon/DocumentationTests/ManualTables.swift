import CommandOptions
import KeychainClient

@testable import SecurityCommands

/// Lines of manual pages that are made of other tables than a command's entry.
enum ManualTables {
    /// The lines of a table that takes no name; nil for none.
    static func lines(_ name: String) -> [String]? {
        switch name {
        case "leading": CommandTable.globalOptions.manual
        case "settings": settings { ".It Ev \($0.variable)" }
        case "settings-by-key": settings { ".It Cm \($0.key) , Ev \($0.variable)" }
        case "variables": list(CommandVariable.allCases.map { (".It Ev \($0.rawValue)", [$0.meaning]) })
        case "mac-commands": list(MacCommand.table.map { (".It Cm \($0.name)", differences(of: $0)) })
        case "mac-foreign":
            list(
                UnknownCommand.onMacOS.sorted { $0.key < $1.key }.map {
                    (".It Cm \($0.key)", [$0.value.reason, $0.value.instead])
                })
        case "mac-absent": list(MacCommand.absent.map { (".It Cm \($0)", []) }, compact: true)
        case "fields": list(ItemReference.Field.allCases.map { (".It Cm \($0.rawValue)", []) }, compact: true)
        case "filters": list(Template.Filter.allCases.map { (".It Cm \($0.rawValue)", [$0.meaning]) })
        case "protected": protected
        case "shapes": shapes
        case "secrets": [".D1 " + ProtectedVariables.secrets.joined(separator: ", ")]
        default: nil
        }
    }

    /// The meaning of a variable of the command or of all programs.
    static func meaning(ofVariable name: String) -> String? {
        CommandVariable(rawValue: name)?.meaning
            ?? Setting.table.first { $0.variable == name }?.meaning
    }

    private static func differences(of command: MacCommand) -> [String] {
        let options = CommandTable.commands.first { $0.name == command.name }?.options ?? []
        let sentences = command.sentences(having: options)
        return sentences.isEmpty ? ["No difference is known."] : sentences
    }

    private static func settings(_ head: (Setting) -> String) -> [String] {
        list(
            Setting.table.map { setting in
                (
                    head(setting),
                    [setting.meaning, "It takes \(setting.takes).", "The default is \(setting.standard)."]
                )
            })
    }

    private static var protected: [String] {
        list(
            ProtectedVariables.rows.map { row in
                let names = row.names.sorted() + row.beginnings.map { "\($0)*" }
                return (".It \\&\(row.reason)", ["\(names.joined(separator: ", "))."])
            })
    }

    private static var shapes: [String] {
        list(
            ProtectedVariables.shapes.map { row in
                let names = row.endings.map { "*\($0)" } + row.parts.map { "*\($0)*" } + row.names.sorted()
                return (".It \\&\(row.reason)", ["\(names.joined(separator: ", "))."])
            })
    }

    private static func list(_ rows: [(head: String, sentences: [String])], compact: Bool = false) -> [String] {
        let head = compact ? ".Bl -tag -width Ds -compact" : ".Bl -tag -width Ds"
        return [head] + rows.flatMap { [$0.head] + $0.sentences.flatMap(ManualText.lines) } + [".El"]
    }
}
