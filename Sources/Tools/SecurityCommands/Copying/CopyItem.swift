import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `copy`: an item's value, or another field, into the clipboard.
struct CopyItem {
    private let session: Session
    private let arguments: ParsedArguments
    private let name: ItemName
    private let field: ItemReference.Field
    private let seconds: Int
    private static let call = "copy"

    static let command = Command(
        "copy", "Copy an item's password to the clipboard for a while.",
        synopsis: "item [-f field] [-t seconds] [-1] [--osc52]",
        options: [
            CommandOption("1", word: "once", "Let it be pasted once."),
            CommandOption("f", word: "field", value: "field", "Copy password, account, label or comment."),
            CommandOption("o", word: "osc52", "Have the terminal copy, by the sequence OSC 52."),
            CommandOption("t", word: "clear", value: "seconds", "Clear the clipboard after so many seconds (45)."),
        ],
        notes: ItemName.notes + [
            """
            wl-copy or xclip owns the clipboard, and is ended after the time. A clipboard manager may keep it. With \
            --osc52 nothing clears the clipboard, and a terminal multiplexer may keep it.
            """
        ],
        exits: [(1, "Several items match, or there is no clipboard."), (44, "No item matches.")],
        examples: ["security copy deploy/ci", "security copy deploy/ci --field account --clear 10"],
        operands: 1...Int.max, layer: .people
    ) { arguments, session throws(CommandFailure) in
        let copy = try CopyItem(arguments, session)
        try UnlockOffer(session).run { () throws(CommandFailure) in try copy.run() }
    }

    private init(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        (self.arguments, self.session) = (arguments, session)
        name = try ItemName(arguments.operands)
        let text = arguments.value("f")?.text ?? name.field?.rawValue ?? ItemReference.Field.password.rawValue
        guard let field = ItemReference.Field(rawValue: text) else {
            let names = ItemReference.Field.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("\"\(text)\" is none of \(names)")
        }
        self.field = field
        let clear = arguments.value("t")?.text ?? "\(Clipboard.usualSeconds)"
        guard let seconds = Int(clear), (1...3600).contains(seconds) else {
            throw .usage("\"\(clear)\" is no number of seconds from 1 to 3600")
        }
        self.seconds = seconds
        if arguments.has("o"), arguments.has("1") || arguments.has("t") {
            throw .usage("--osc52 has neither --once nor --clear")
        }
    }

    private func run() throws(CommandFailure) {
        let item = try NameSearch(session, Self.call).only(name)
        try OwnGroups(session, Self.call).require(item, Self.call)
        let value = try self.value(of: item)
        let title = field == .password ? item.title : "\(field.rawValue) of \(item.title)"
        if arguments.has("o") {
            try Clipboard(session).copyByTerminal(value, title)
        } else {
            try Clipboard(session).copy(value, for: seconds, once: arguments.has("1"), title)
        }
        guard session.writesJSON else { return }
        session.output.write(
            .object([
                ("copied", .string(item.title)), ("field", .string(field.rawValue)),
                ("clears", arguments.has("o") ? .null : .number(Int64(seconds))),
            ]))
    }

    private func value(of item: ListedItem) throws(CommandFailure) -> SecretBytes {
        let found = try ItemAccess(session, Self.call).attributes(of: item, withValue: field == .password)
        switch field {
        case .password: return found.password
        case .account: return found.attributes.secret(.account) ?? SecretBytes(count: 0)
        case .label: return found.attributes.secret(.label) ?? SecretBytes(count: 0)
        case .comment: return found.attributes.secret(.comment) ?? SecretBytes(count: 0)
        }
    }
}
