import CommandOptions
import DER
import KeychainModel
import KeychainWire
import LinuxSystem

/// `move-items`, `rename-group`, `orphans` and `set-group-policy`: the life of access groups.
enum GroupCommands {
    static let move = Command(
        "move-items", "Give the items of an access group another group.",
        synopsis: "--from group --to group [--class class] [--statement file]",
        options: [
            CommandOption("f", word: "from", value: "group", "The group the items have now."),
            CommandOption("t", word: "to", value: "group", "The group they are to have."),
            classOption("Only items of this class: genp, inet, cert or keys."), statementOption,
        ],
        notes: moveNotes
    ) { arguments, session throws(CommandFailure) in
        guard let from = arguments.value("f")?.text, let to = arguments.value("t")?.text else { throw .usage(nil) }
        let itemClass = try itemClass(arguments)
        try move(GroupMove(from: from, to: to, itemClass: itemClass), arguments, "move-items", session)
    }

    static let rename = Command(
        "rename-group", "Give an access group another name.", synopsis: "[--statement file] group name",
        options: [statementOption],
        notes: ["The new name must not have items yet; what becomes of the group when its programs go stays as it was."]
            + moveNotes,
        operands: 2...2
    ) { arguments, session throws(CommandFailure) in
        let (from, to) = (arguments.operands[0].text, arguments.operands[1].text)
        try move(GroupMove(from: from, to: to, isRename: true), arguments, "rename-group", session)
    }

    static let orphans = Command(
        "orphans", "List the access groups whose programs are gone, with how many items they have.", synopsis: "",
        notes: [
            """
            A program is gone when there is no file at its path any more. Groups whose programs never connected to the \
            daemon are not listed, nor those whose names only locked items tell.
            """
        ]
    ) { _, session throws(CommandFailure) in
        guard case .orphans(let groups) = try session.access(.orphans, "orphans") else {
            throw .refused(call: "orphans", .malformed("the list of groups"))
        }
        if session.writesJSON { return session.output.write(.array(groups.map(\.json))) }
        for group in groups { session.output.write(group.text) }
    }

    static let setPolicy = Command(
        "set-group-policy", "Set what becomes of a group's items when its last program is removed.",
        synopsis: "group keep | purge",
        notes: [
            """
            keep, which is so unless it is set, leaves them for a program that comes back. purge deletes them when \
            `security uninstalled` tells that the last program is removed. The password is asked for, if one is set.
            """
        ],
        operands: 2...2
    ) { arguments, session throws(CommandFailure) in
        let policies: [String: GroupPolicy] = ["keep": .keep, "purge": .purge]
        guard let policy = policies[arguments.operands[1].text] else { throw .usage("the policy is keep or purge") }
        _ = try permitted(.setPolicy(policy, group: arguments.operands[0].text), "set-group-policy", session)
    }

    // MARK: - Options

    private static let statementOption = CommandOption(
        "s", word: "statement", value: "file", "A handover statement of the old group's team.")

    static func classOption(_ meaning: String) -> CommandOption {
        CommandOption("K", word: "class", value: "class", meaning)
    }

    private static let moveNotes = [
        """
        All items are moved in one step, or none: those that are in the way are then listed. Three callers may do \
        this: a program that has both groups; the user, with the password if one is set; and a program that has the \
        new group, with a statement that the old group's team signed. Items whose values the user guards are moved by \
        their own programs, with SecItemUpdate.
        """
    ]

    /// The class among the options; nil when none is given.
    static func itemClass(_ arguments: ParsedArguments) throws(CommandFailure) -> ItemClass? {
        guard let text = arguments.value("K")?.text else { return nil }
        guard let itemClass = ItemClass(code: text), itemClass != .identity else {
            throw .usage("a class is genp, inet, cert or keys")
        }
        return itemClass
    }

    // MARK: - Moving

    private static func move(
        _ move: GroupMove, _ arguments: ParsedArguments, _ call: String, _ session: Session
    ) throws(CommandFailure) {
        var move = move
        if let file = arguments.value("s")?.text { move.statement = try statement(file) }
        guard case .moved(let report) = try permitted(.move(move), call, session) else {
            throw .refused(call: call, .malformed("the report"))
        }
        session.output.write { buffer in
            if session.writesJSON {
                report.json.append(to: buffer)
                buffer.append(utf8: "\n")
            } else {
                buffer.append(utf8: report.text)
            }
        }
        if report.conflictCount > 0 {
            throw .failed(
                "nothing was moved", remedy: "Delete or change the items that are in the way, then try again.")
        }
    }

    /// Asks, and once more with the password when the daemon wants it.
    private static func permitted(
        _ request: AccessRequest, _ call: String, _ session: Session
    ) throws(CommandFailure) -> AccessReply {
        do throws(CommandFailure) { return try session.access(request, call) } catch {
            guard case .refused(_, let refusal) = error, refusal.rule == .wrongPasscode else { throw error }
        }
        let password = try PasswordInput(session).passcode("password: ")
        return try session.access(request, call, passcodes: [try Passcodes(session).file(password, call)])
    }

    /// The bytes of a statement, in PEM or as they are.
    private static func statement(_ path: String) throws(CommandFailure) -> [UInt8] {
        do throws(SystemError) {
            let file = try FileDescriptor.open(path, 0)
            let content = try Input(file).readAll()
            let block = content.withSpan { (try? PEM.read($0))?.first?.content }
            return (block ?? content).withSpan { $0.array(0, $0.count) }
        } catch { throw CommandFailure("cannot read the statement", error) }
    }
}

extension MoveReport {
    fileprivate var text: String {
        var lines = ["moved: \(moved)"]
        if damaged > 0 { lines.append("damaged: \(damaged) (left where they are; see verify-keychain)") }
        lines += conflicts.map { "\($0.itemClass.code) \($0.name.quoted): \($0.meaning)" }
        let untold = conflictCount - min(conflictCount, UInt64(conflicts.count))
        if untold > 0 { lines.append("and \(untold) more") }
        return lines.joined(separator: "\n") + "\n"
    }

    fileprivate var json: JSONValue {
        .object([
            ("moved", .number(Int64(clamping: moved))), ("damaged", .number(Int64(clamping: damaged))),
            ("conflicts", .array(conflicts.map(\.json))), ("conflictCount", .number(Int64(clamping: conflictCount))),
        ])
    }
}

extension MoveReport.Conflict {
    fileprivate var meaning: String {
        rule == .needsUser ? "its user guards it; its own program moves it" : "there is such an item in the other group"
    }

    fileprivate var json: JSONValue {
        .object([
            ("class", .string(itemClass.code)), ("name", .string(name)), ("rule", .string(rule.rawValue)),
        ])
    }
}

extension OrphanGroup {
    private var seen: String? {
        lastSeen == 0
            ? nil : String(CalendarDate(secondsSinceReferenceDate: Double(lastSeen) * 86400).iso8601.prefix(10))
    }

    fileprivate var text: String {
        let head = "\(group.printable): \(items) item\(items == 1 ? "" : "s"), policy \(policy.name)"
        return head + (seen.map { ", last seen \($0)" } ?? "") + "\n"
            + programs.map { "    gone: \($0.printable)\n" }.joined()
    }

    fileprivate var json: JSONValue {
        .object([
            ("group", .string(group)), ("items", .number(Int64(clamping: items))), ("policy", .string(policy.name)),
            ("lastSeen", seen.map { .string($0) } ?? .null), ("programs", .array(programs.map { .string($0) })),
        ])
    }
}

extension GroupPolicy {
    fileprivate var name: String { self == .keep ? "keep" : "purge" }
}
