import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `edit`: other fields, or another password, for an item that is there.
struct EditItem {
    private let session: Session
    private let arguments: ParsedArguments
    private let name: ItemName
    private let given: GivenFields
    private let source: ValueSource
    private static let call = "edit"

    static let command = Command(
        "edit", "Change an item.", synopsis: "item [field=value ...] [-p | -d number]",
        options: [
            ValueSource.option,
            CommandOption("p", word: "password", "Ask for a new password, or read it from standard input."),
        ],
        notes: ItemName.notes + [
            """
            The words must be the whole name of an item here. Fields are those of add. The password stays as it is \
            unless a new one is given. Without fields and options a terminal asks for each; an empty line leaves it as \
            it is. The version before the change is in the item's history.
            """
        ],
        exits: [(1, "Several items match."), (44, "No item matches."), (45, "Another item has the new name.")],
        examples: ["security edit deploy/ci comment=", "security edit deploy/ci -p"],
        operands: 1...Int.max, textOperands: 1, layer: .people
    ) { arguments, session throws(CommandFailure) in
        let edit = try EditItem(arguments, session)
        try UnlockOffer(session).run { () throws(CommandFailure) in try edit.run() }
    }

    private init(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        (self.arguments, self.session) = (arguments, session)
        name = try ItemName(arguments.operands[0])
        given = try GivenFields(arguments.operands.dropFirst())
        source = ValueSource(arguments, session)
        let says = !given.fields.isEmpty || given.password != nil || source.isGiven || arguments.has("p")
        guard says || session.input.isTerminal else { throw .usage("nothing is to be changed") }
    }

    private func run() throws(CommandFailure) {
        let item = try NameSearch(session, Self.call, exactly: true).only(name)
        try OwnGroups(session, Self.call).require(item, Self.call)
        var (fields, value) = (given.fields, try source.given(given.password))
        if value == nil, arguments.has("p") { value = try PasswordInput(session).newItemPassword() }
        if fields.isEmpty, value == nil { fields = try form(item) }
        let changes = try ItemField.attributes(fields, of: item.itemClass)
        guard !changes.isEmpty || value != nil else { return reportChange("Nothing was changed.", item) }
        try ItemAccess(session, Self.call).change(item, changes, value)
        reportChange("Changed \(item.title).", item)
    }

    /// The answers for each field that the item has.
    private func form(_ item: ListedItem) throws(CommandFailure) -> [ItemField: String] {
        let found = try ItemAccess(session, Self.call).attributes(of: item, withValue: false)
        let form = ItemForm(session)
        var fields: [ItemField: String] = [:]
        let names: [(ItemField, AttributeID)] = [(.account, .account), (.label, .label), (.comment, .comment)]
        for (field, id) in names { fields[field] = try form.ask(field, now: found.attributes.shownText(id)) }
        return fields
    }

    private func reportChange(_ text: String, _ item: ListedItem) {
        if session.writesJSON {
            return session.output.write(
                .object([("changed", .string(item.title)), ("ref", .string(item.encodedReference))]))
        }
        if !session.isQuiet { session.output.write(shown: session.text(text)) }
    }
}
