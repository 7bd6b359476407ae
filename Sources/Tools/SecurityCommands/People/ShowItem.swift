import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem
import TerminalText

/// `show`: what is known of an item, and its value where that is asked for.
struct ShowItem {
    private let session: Session
    private let arguments: ParsedArguments
    private let name: ItemName
    private static let call = "show"

    static let command = Command(
        "show", "Show an item; its value only where that is asked for.",
        synopsis: "item [-p] [--force-stdout] [--history]",
        options: [
            ColourChoice.option,
            CommandOption("F", word: "force-stdout", "With -p, also where the output is no terminal."),
            CommandOption("H", word: "history", "Show the earlier versions in place of the item."),
            CommandOption("p", word: "reveal", "Also show the value, on a terminal."),
        ],
        notes: ItemName.notes + [
            """
            With --json an object; its password is a string, or {"base64": ...} when it is not UTF-8. On a terminal a \
            value that cannot be seen is in hexadecimal. The value of another program's item is not shown.
            """
        ],
        exits: [(1, "Several items match, or the value would not go to a terminal."), (44, "No item matches.")],
        examples: ["security show deploy/ci", "security show kc://deploy/ci -p"],
        operands: 1...Int.max, layer: .people
    ) { arguments, session throws(CommandFailure) in
        let show = try ShowItem(arguments, session)
        try UnlockOffer(session).run { () throws(CommandFailure) in try show.run() }
    }

    private init(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        (self.arguments, self.session) = (arguments, session)
        try session.takeColour(arguments)
        name = try ItemName(arguments.operands)
        guard reveals, !session.output.isTerminal, !arguments.has("F") else { return }
        throw .failed(
            "show: the output is no terminal", cause: "A value is shown to people only.",
            remedy: "Add --force-stdout if it is meant to go there.")
    }

    private var reveals: Bool { arguments.has("p") }

    private func run() throws(CommandFailure) {
        let item = try NameSearch(session, Self.call).only(name)
        if arguments.has("H") { return try ItemHistory.show(of: item, session) }
        let own = try OwnGroups(session, Self.call)
        if reveals { try own.require(item, Self.call) }
        let found = try ItemAccess(session, Self.call).attributes(of: item, withValue: reveals)
        if session.writesJSON { return try write(json: found, item) }
        let isForPeople = session.output.isTerminal
        let say: (Words) -> String = isForPeople ? session.text : { $0 }
        let moment: (ItemDate) -> String = { isForPeople ? say($0.long(now: session.now())) : $0.iso8601 }
        write(Self.lines(found, item, own, moment: moment, say: say) + KeyLines.lines(of: found, say: say), say)
        if item.hasCertificate, own.have(item.group) {
            write(try CertificateLines.lines(of: item, session, Self.call, moment: moment), say)
        }
        if reveals { write(value: found.password) }
    }

    private func write(_ lines: [(label: String, text: String)], _ say: (Words) -> String) {
        for (label, text) in lines {
            let label = say(Words(label))
            let heading = session.styled(label, .heading, for: session.output)
            let padding = String(repeating: " ", count: max(1, 11 - TextWidth().columns(label)))
            session.output.write(shown: heading + padding + text)
        }
    }

    private func write(json found: ItemResponse.Item, _ item: ListedItem) throws(CommandFailure) {
        let store = try session.shownPath(Self.call)
        var members = ItemJSON.object(found, keychain: store)
        members += [("ref", .string(item.encodedReference)), ("reference", item.uri.map { .string($0) } ?? .null)]
        if reveals { members.append(("password", .bytes(found.password))) }
        session.output.write(.object(members))
    }

    private func write(value: SecretBytes) {
        session.output.write { buffer in
            buffer.append(utf8: "Password   ")
            value.withSpan { bytes in
                if value.isShown || !session.output.isTerminal {
                    buffer.append(bytes)
                } else {
                    buffer.append(utf8: "0x")
                    buffer.append(hex: bytes)
                }
            }
            buffer.append(utf8: "\n")
        }
    }
}

/// The lines about an item.
extension ShowItem {
    /// - Parameters:
    ///   - moment: how a moment is shown.
    ///   - say: gives a text in the user's language.
    static func lines(
        _ found: ItemResponse.Item, _ item: ListedItem, _ own: OwnGroups, moment: @escaping (ItemDate) -> String,
        say: @escaping (Words) -> String
    ) -> [(label: String, text: String)] {
        let attribute = { (id: AttributeID, label: String) -> (String, String) in
            (label, DisplayName.shown(found.attributes.shownText(id)))
        }
        let date = { (seconds: Double?) in seconds.map { moment(ItemDate(seconds: $0)) } ?? "" }
        let lines: [(label: String, text: String)] =
            [("Item", say(item.kind.phrase)), attribute(.service, "Service"), attribute(.server, "Server")]
            + [("Label", item.label == item.name && item.itemClass.isPassword ? "" : DisplayName.shown(item.label))]
            + [attribute(.account, "Account"), attribute(.description, "Kind"), attribute(.comment, "Comment")]
            + [("Port", found.attributes[.port]?.number.flatMap { $0 > 0 ? "\($0)" : nil } ?? "")]
            + [attribute(.path, "Path"), attribute(.securityDomain, "Domain")]
            + [("Opens", opening(item, say)), ("Belongs to", own.title(of: item.group))]
            + [("Created", date(item.created)), ("Changed", date(item.changed)), ("Expires", date(item.expires))]
            + [("Reference", item.uri ?? "")]
        return lines.filter { !$0.text.isEmpty }
    }

    private static func opening(_ item: ListedItem, _ say: (Words) -> String) -> String {
        let control = AccessConstraint(flags: item.accessControl?.flags ?? 0)
        let asks = say(AccessControl.asksTheUser(control.flags) ? "asks its user" : "no access control")
        return [item.accessibility?.name ?? "", asks, control.needsAnchor ? say("anchored programs only") : ""]
            .filter { !$0.isEmpty }.joined(separator: " · ")
    }
}

extension ItemName {
    /// How an item is named, for the help of all verbs.
    static let notes = [
        """
        An item is named by words of its service, server, label and account, by deploy/ci for the account ci of \
        deploy, by kc://deploy/ci, or by '#3' for row 3 of the last list on this terminal. Capitals and small letters \
        are the same, except in a reference. An item whose whole name the words are comes before those that have them \
        as a part. When several match, none is taken.
        """
    ]
}
