import CircleCarrier
import CommandOptions
import LinuxSystem
import PostgresTransport
import SecretService
import SecurityCommands

@testable import agent
@testable import enclaved
@testable import keychaind
@testable import sessionagent

/// The manual pages. Each is its template, in which a line `.\" table: NAME` stands for lines made of a table.
enum ManualPages {
    static let names =
        ["security.1"] + CommandPage.table.map { "security-\($0.command).1" } + [
            "git-credential-keychain.1", "docker-credential-keychain.1", "keychain.conf.5", "keychain-entitlements.5",
            "keychain-ci.7", "keychain-references.7", "security-mac.7", "keychaind.8", "keychain-enclaved.8",
            "keychain-agent.8", "keychain-session-agent.8", "keychain-carrier.8", "keychain-secrets.8",
            "keychain-sync-server.8", "pam_keychain.8",
        ]

    static let folder = Page.root + "docs/man/"

    /// The page that the template and the tables make.
    static func made(_ name: String) throws -> String {
        let template = try read(folder + "templates/" + name)
        let first = ".\\\" Made of templates/\(name) and the tables of options: UPDATE_DOCS=1 swift test.\n"
        return try first
            + template.split(separator: "\n").map { line in
                guard line.hasPrefix(directive) else { return line + "\n" }
                let name = String(line.dropFirst(directive.count))
                guard let lines = lines(name) else { throw Page.NoTable(name: name) }
                return lines.map { $0 + "\n" }.joined()
            }.joined()
    }

    static func read(_ path: String) throws -> String {
        String(decoding: try AtomicFile.read(path, limit: 1 << 20), as: UTF8.self)
    }

    private static let directive = ".\\\" table: "

    private static func lines(_ name: String) -> [String]? {
        let words = name.split(separator: " ").map(String.init)
        let rest = words.dropFirst().joined(separator: " ")
        if let lines = words.count == 1 ? ManualTables.lines(name) : ofCommand(words[0], rest) { return lines }
        switch words.first {
        case "usage": return programs[rest]?.manualUsage
        case "program": return programs[rest]?.manualOptions
        default: return nil
        }
    }

    private static func ofCommand(_ part: String, _ name: String) -> [String]? {
        guard let command = CommandTable.commands.first(where: { $0.name == name }) else { return nil }
        switch part {
        case "command": return command.manualHead
        case "options": return command.options.manual
        case "head": return command.pageHead
        case "description": return command.pageDescription
        case "rest": return command.pageRest
        case "exits": return command.pageExits
        case "examples": return command.pageExamples
        default: return nil
        }
    }

    private static let programs: [String: ProgramOptions] = [
        "keychaind": DaemonArguments.table, "keychaind --system": SystemOptions.table,
        "keychaind --identify": IdentifierOptions.table, "keychain-enclaved": EnclaveArguments.table,
        "keychain-enclaved --listen": ListenerOptions.table, "keychain-agent": AgentArguments.table,
        "keychain-session-agent": SessionAgentArguments.table,
        "keychain-secrets": BridgeArguments.table, "keychain-carrier": CarrierArguments.table,
        "keychain-sync-server": ServerCommand.table,
    ]
}

extension Command {
    /// The beginning of a command's section in `security(1)`. A command with a page of its own has its options there.
    fileprivate var manualHead: [String] {
        let usage = synopsis.split(separator: "\n").flatMap { line in
            [".Pp", ".Cm \(name)"] + (line.isEmpty ? [] : [ManualText.synopsis(line)])
        }
        return [".Ss \(name)", ".Bd -ragged"] + (usage.isEmpty ? [".Cm \(name)"] : Array(usage.dropFirst())) + [".Pp"]
            + ManualText.lines(summary) + (hasPage ? ["See", ManualText.reference(page, ending: " .")] : [])
    }
}

extension [CommandOption] {
    var manual: [String] {
        isEmpty ? [] : [".Bl -tag -width Ds"] + flatMap(\.manual) + [".El"]
    }
}

extension CommandOption {
    fileprivate var manual: [String] { [manualItem] + ManualText.lines(meaning) }

    /// The names, with the value's.
    var manualItem: String {
        let value = value.map { " Ar \($0)" } ?? ""
        let long = word.map { " , Fl \\-\($0)\(value)" } ?? ""
        return ".It Fl \(letter)\(value)\(long)"
    }
}

extension ProgramOptions {
    fileprivate var manualUsage: [String] {
        let words = command.split(separator: " ").dropFirst()
        let options = options.filter { !$0.isFirstWord && $0.name != "--help" && $0.name != "--version" }
        return [".Nm"] + (words.isEmpty ? [] : [ManualText.synopsis(words.joined(separator: " ")[...])])
            + options.map { ManualText.synopsis($0.inUsage[...]) }
    }

    fileprivate var manualOptions: [String] {
        [".Bl -tag -width Ds"]
            + options.flatMap { option in
                let value = option.value.isEmpty ? "" : " Ar \(option.value.lowercased())"
                return [".It Fl \\\(option.name.dropFirst())\(value)"] + ManualText.lines(option.meaning)
            } + [".El"]
    }
}
