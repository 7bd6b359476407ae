import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecurityCommands

/// Text that other programs and people supplied does no harm in any output of the command.
@Suite("Foreign text in the command's outputs")
struct ForeignTextOutputTests {
    /// A keychain in which every text that somebody else can choose is this one.
    private func shell(_ text: String) -> Shell {
        let shell = Shell()
        shell.keychain.update { state in
            state.caller = CallerReport(
                user: 1000, process: 42, program: text, source: "unsigned", detail: text, isAnchored: false,
                mayInspectAllGroups: true, groups: [text, "own"])
            state.items = [ItemClass.genericPassword, .internetPassword].map { Self.item($0, text) }
            state.access = { request, _ throws(Refusal) in try Self.answer(request, text) }
        }
        return shell
    }

    private static func item(_ itemClass: ItemClass, _ text: String) -> StandInKeychain.Item {
        var attributes: [AttributeID: AttributeValue] = [
            .accessGroup: .string(StandInKeychain.ownGroup), .creationDate: .date(0), .modificationDate: .date(0),
        ]
        let own: [AttributeID] =
            itemClass == .genericPassword ? [.service, .generic] : [.server, .path, .securityDomain]
        for id in own + [.account, .label, .comment, .description] { attributes[id] = .string(text) }
        attributes[.generic] = itemClass == .genericPassword ? .data(Array(text.utf8)) : nil
        return .init(
            itemClass: itemClass, attributes: attributes, value: Array(text.utf8),
            uuid: Array(repeating: itemClass.rawValue, count: 16))
    }

    private static func answer(_ request: AccessRequest, _ text: String) throws(Refusal) -> AccessReply {
        switch request {
        case .decisions(let after):
            let entry = DecisionEntry(
                number: 1, time: 0, process: 7, user: 1000, program: text, provenance: text, isAnchored: false,
                operation: "SecItemAdd",
                itemClass: .genericPassword, groups: [text], status: -34018, rule: text)
            return .decisions(DecisionPage(entries: after == 0 ? [entry] : [], next: 1))
        case .orphans:
            return .orphans([OrphanGroup(group: text, policy: .keep, items: 1, lastSeen: 1, programs: [text])])
        case .move:
            var report = MoveReport()
            report.note(.init(itemClass: .genericPassword, rule: .duplicate, name: text))
            return .moved(report)
        default: throw Refusal(.param, Refusal.Rule(rawValue: text), text, text, do: text)
        }
    }

    /// Every command with every text, on its own and as JSON. A line with a plain text is one line with any other.
    private static func commands(_ text: String) -> [[String]] {
        let plain: [[String]] = [
            ["identity"], ["identity", "/nowhere/\(text)"], ["decisions"], ["orphans"],
            ["move-items", "--from", "a", "--to", "b"],
            ["why", "-s", text], ["uninstalled", text], ["dump-keychain", "-a", "-d"], ["find-generic-password", "-g"],
            ["find-internet-password", "-g", "-s", text], ["find-generic-password", "-s", "none" + text], [text],
            ["help", text],
            ["find-generic-password", "-\(text)"], ["find-internet-password", "-P", text],
            ["find-internet-password", "-r", text],
            ["show-keychain-info", text], ["lock-keychain", text], ["delete-generic-password", "-a", text],
            ["error", text],
            ["set-group-policy", text, text], ["rename-group", "--statement", "/nowhere/\(text)", "a", "b"],
            ["setup", text],
            ["list-credentials", text], ["status"], ["anchor", text], ["attest-key", "-l", text],
            ["unlock-keychain", "--kind", text],
        ]
        return plain + plain.map { ["-v"] + $0 } + plain.map { $0 + ["--json"] }
    }

    private static let plainCommands = commands("plain").count / 3

    @Test("All of Unicode's troublemakers go through every output and do no harm in any")
    func everyOutput() {
        let plain = Self.commands("plain").map { shell("plain").run($0, input: []) }
        #expect(plain.contains { $0.text.contains("plain") } && plain.contains { $0.errors.contains("plain") })
        for (number, text) in Troublemakers.texts.enumerated() {
            // Each text goes through every command in one of the three ways, and each way meets every kind of text. In
            // the gate it goes through every fifth command.
            for (index, (command, benign)) in zip(Self.commands(text), plain).enumerated()
            where (index / Self.plainCommands + number) % 3 == 0 && (index + number / 3) % full(1, gate: 5) == 0 {
                check(text, command, benign)
            }
        }
    }

    private func check(_ text: String, _ command: [String], _ benign: Shell.Outcome) {
        let outcome = shell(text).run(command, input: [])
        for output in [outcome.output, Array(outcome.errors.utf8), Array(outcome.reasons.utf8)] {
            let harm = Troublemakers.harm(in: output, lines: true, mostMarks: command.contains("--json") ? .max : 5)
            #expect(harm == nil, "\(command[0]) \(command.last ?? ""): \(text.unicodeScalars.prefix(5).map(\.value))")
        }
        // A name adds no line of its own. (A word that is an option or nothing at all makes another command of it.)
        guard !text.isEmpty, !text.utf8.contains(0), outcome.status == benign.status else { return }
        #expect(outcome.lines <= benign.lines, "\(command): \(text.unicodeScalars.prefix(5).map(\.value))")
    }

    @Test("JSON that was escaped for people says what was stored, to the letter")
    func exact() throws {
        for text in Troublemakers.texts {
            let output = shell(text).run("find-generic-password", "--json", "-g").output
            let password = try JSONObject(output.span).string("password", in: output.span)
            #expect(password?.withSpan { $0.array(0, $0.count) } == Array(text.utf8))
        }
    }

    @Test("A password is written to a file or a pipe as it is, whatever is in it")
    func passwords() {
        for text in Troublemakers.texts {
            let output = shell(text).run("find-generic-password", "-w").output
            #expect(output.starts(with: Array(text.utf8)))
        }
    }

    @Test("A shell reads a quoted word as it is, also where a character combines with a quotation mark")
    func quotedWords() {
        for (word, quoted) in [("it's", #"'it'\''s'"#), ("it'\u{301}s", "'it'\\''\u{301}s'"), ("'", #"''\'''"#)] {
            #expect(Array(ShellWord.inQuotes(word).utf8) == Array(quoted.utf8))
        }
    }
}

extension Shell.Outcome {
    fileprivate var lines: Int { output.count { $0 == 10 } + errors.utf8.count { $0 == 10 } }
}
