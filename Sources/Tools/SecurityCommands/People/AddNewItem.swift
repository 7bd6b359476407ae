import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `add`: a new password with its name and fields.
struct AddNewItem {
    private let session: Session
    private let source: ValueSource
    private let given: GivenFields
    private var item: GivenItem
    /// Nothing but the name was given, at a terminal: the rest is asked for, line by line.
    private let isForm: Bool
    private let isSynchronizable: Bool
    private static let call = "add"

    static let command = Command(
        "add", "Add a password.", synopsis: "[-S] item [field=value ...] [-d number]",
        options: [
            CommandOption("S", word: "synchronizable", "Keep it on all machines of the circle (security sync)."),
            ValueSource.option,
        ],
        notes: [
            """
            item is service/account, or a reference. Fields are service, account, label, comment, kind, and for an \
            internet password server, port, path, protocol and domain. The password is asked for, twice, at the \
            terminal; if standard input is no terminal, all of it is the password, as for add-generic-password. \
            password=value works, and other programs can see it. With a name alone, a terminal asks for the fields.
            """
        ],
        exits: [(45, "There is such an item.")],
        examples: ["security add deploy/ci comment='rotate each quarter'", "security add octo server=github.com"],
        operands: 1...Int.max, textOperands: 1, layer: .people
    ) { arguments, session throws(CommandFailure) in
        var add = try AddNewItem(arguments, session)
        try add.complete()
        let value = try add.value()
        try UnlockOffer(session).run { () throws(CommandFailure) in
            try add.item.save(value, isSynchronizable: add.isSynchronizable, session, call)
        }
        add.report()
    }

    private init(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        self.session = session
        source = ValueSource(arguments, session)
        isSynchronizable = arguments.has("S")
        given = try GivenFields(arguments.operands.dropFirst())
        item = try GivenItem(arguments.operands[0].text)
        item.take(given.fields)
        _ = try item.attributes()
        isForm = arguments.operands.count == 1 && !item.hasAccount && session.input.isTerminal && !source.isGiven
    }

    private mutating func complete() throws(CommandFailure) {
        guard isForm else { return }
        let form = ItemForm(session)
        var fields: [ItemField: String] = [:]
        for field in [ItemField.account, .comment] { fields[field] = try form.ask(field, now: nil) }
        item.take(fields)
    }

    private func value() throws(CommandFailure) -> SecretBytes {
        if let value = try source.given(given.password) { return value }
        return try PasswordInput(session).newItemPassword()
    }

    private func report() {
        if session.writesJSON { return session.output.write(.object([("added", .string(item.title))])) }
        if !session.isQuiet { session.output.write(shown: session.text("Added \(item.title).")) }
    }
}

/// The fields of an item, asked for line by line.
struct ItemForm {
    private let session: Session

    init(_ session: Session) { self.session = session }

    /// Asks for a field; nil for an empty line, which changes nothing.
    ///
    /// - Parameter now: the value that the item has.
    func ask(_ field: ItemField, now: String?) throws(CommandFailure) -> String? {
        let present = now.flatMap { $0.isEmpty ? nil : " [\(DisplayName.shown($0))]" } ?? ""
        session.output.flush()
        session.diagnostics.write("\(field.rawValue)\(present): ")
        session.flush()
        do throws(SystemError) {
            guard let line = try session.input.readLine() else { throw SystemError(code: 0, call: "read") }
            let text = Argument(line).text
            return text.isEmpty ? nil : text
        } catch { throw .canceled }
    }
}
