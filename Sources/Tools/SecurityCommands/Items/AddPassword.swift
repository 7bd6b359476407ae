import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `add-generic-password` and `add-internet-password`.
struct AddPassword {
    private let kind: PasswordKind
    private let arguments: ParsedArguments
    private let session: Session

    static func command(_ kind: PasswordKind) -> Command {
        Command(
            "add-\(kind.name)-password", "Add \(kind.phrase) item.",
            synopsis:
                "-a account -s \(kind.place) [-w [password]] [options...] [keychain]",
            options: kind.criteria.map {
                CommandOption($0.letter, value: $0.value, takesBytes: true, "Set the \($0.meaning).")
            }
                + kind.secrets
                + [
                    CommandOption("X", value: "hex", isSecret: true, "The password in hexadecimal."),
                    CommandOption("A", "Accepted for old scripts; changes nothing."),
                    CommandOption("T", value: "program", "Accepted for old scripts; changes nothing."),
                    CommandOption("N", word: "anchored", "Only an anchored program of the item's group may read it."),
                    CommandOption("U", "Update the item if there is one already."), .keychain,
                ],
            notes: notes, operands: 0...1
        ) { arguments, session throws(CommandFailure) in
            try AddPassword(kind: kind, arguments: arguments, session: session).run()
        }
    }

    /// The demand of `-N`; the protection class is that of an item that names none.
    private static let anchored = RawValue.accessControl(
        AccessControl(.whenUnlocked, flags: AccessConstraint.anchoredProgram))

    private static let notes = [
        """
        -a and -s are needed; the label is what -s says unless -l says otherwise. Who may read the item is decided by \
        the program that added it, not by -A and -T. A password in the command line can be seen by other programs. \
        With -w as the last word it is asked for, twice, at the terminal; if standard input is no terminal, all of it \
        is the password. One line end behind a text is not part of it, nor is a second line equal to the first (an \
        answer to "retype"); other bytes are kept as they are. Under -i the password is then the next line. Without a \
        password the item has an empty one; where standard input is a pipe, a line says so.
        """
    ]

    private func run() throws(CommandFailure) {
        var attributes: [(code: String, value: RawValue)] = []
        for criterion in kind.criteria {
            if let value = arguments.value(criterion.letter) {
                attributes.append((criterion.code, try criterion.value(of: value)))
            }
        }
        guard let label = arguments.value(kind.labelSource), arguments.has("a") else { throw .usage(nil) }
        if arguments.has("N") { attributes.append(("accc", Self.anchored)) }
        let call = kind.additionCall(arguments.keychains.first?.text)
        try session.turn(to: arguments.keychains.first, call)
        if arguments.has("A") || arguments.has("T") {
            session.explain("-A and -T change nothing: an item belongs to the program that added it.")
        }
        let password = try readPassword()
        guard arguments.has("U") else { return try add(attributes, label, password, call) }
        if try update(attributes, password) { return }
        do throws(CommandFailure) { try add(attributes, label, password, call) } catch {
            // Another program may have added it in between.
            guard error.isStatus(.duplicateItem), try update(attributes, password) else { throw error }
        }
    }

    private func add(
        _ attributes: [(code: String, value: RawValue)], _ label: Argument, _ password: SecretBytes?, _ call: String
    ) throws(CommandFailure) {
        _ = try session.send(call) { () throws(Refusal) in
            var builder = ItemRequestBuilder(.add)
            try builder.set("class", .string(kind.itemClass.code))
            for (code, value) in attributes { try builder.set(code, value) }
            if !arguments.has("l") { try builder.set("labl", label.attribute) }
            if kind == .internet, !arguments.has("t") { try builder.set("atyp", .string("dflt")) }
            try builder.setValue(password ?? SecretBytes(count: 0))
            return try builder.build()
        }
        // Commands of `-i` come through a pipe too.
        guard password == nil, !session.isInteractive, session.input.descriptor.isPipe else { return }
        session.giveReasons(
            "The item's password is empty: standard input is a pipe, and it is read for -w alone.",
            "Write -w as the last word to store what comes through the pipe.")
    }

    /// Updates the item that is identified by the attributes given, if there is one; what is not given stays as it is.
    private func update(
        _ attributes: [(code: String, value: RawValue)], _ password: SecretBytes?
    ) throws(CommandFailure) -> Bool {
        guard let item = try existing() else { return false }
        let identifying = kind.criteria.filter { kind.identifying.contains($0.letter) }.map(\.code)
        let changes = attributes.filter { !identifying.contains($0.code) }
        guard !changes.isEmpty || password != nil else { return true }
        _ = try session.send("SecKeychainItemModifyContent") { () throws(Refusal) in
            var builder = ItemRequestBuilder(.update)
            try builder.set("v_PersistentRef", item.reference)
            for (code, value) in changes { try builder.change(code, value) }
            if let password { try builder.changeValue(password) }
            return try builder.build()
        }
        return true
    }

    /// A helper's login is nobody else's to change, unless its security domain is given.
    private func existing() throws(CommandFailure) -> ItemResponse.Item? {
        let mayBeHelpers = kind == .internet && !arguments.has("d")
        let returns = ["r_PersistentRef"] + (mayBeHelpers ? ["r_Attributes"] : [])
        do throws(CommandFailure) {
            let item = try PasswordQuery(kind, arguments).identifyingOnly().first(returning: returns, session)
            return mayBeHelpers && CredentialHelper.owns(item) ? nil : item
        } catch {
            guard error.isStatus(.itemNotFound) else { throw error }
            return nil
        }
    }
}

/// Where the password comes from.
extension AddPassword {
    /// The password of the last option that gives one; nil when there is none.
    private func readPassword() throws(CommandFailure) -> SecretBytes? {
        let letters = kind.secrets.map(\.letter) + ["X"]
        guard let option = arguments.values.last(where: { letters.contains($0.letter) }) else { return nil }
        guard let given = option.value else { return try asked(for: option.letter) }
        if !session.isInteractive {
            session.explain(
                "a password in the command line can be seen by other programs; write -w last to be asked for it.")
        }
        return option.letter == "X" ? try decode(given) : given.bytes
    }

    private func asked(for letter: Character) throws(CommandFailure) -> SecretBytes {
        let answer = try PasswordInput(session).newItemPassword()
        return letter == "X" ? try decode(Argument(answer)) : answer
    }

    private func decode(_ hex: Argument) throws(CommandFailure) -> SecretBytes {
        guard let bytes = SecretBytes(hex: hex.bytes) else { throw .usage("-X needs an even number of hex digits") }
        return bytes
    }
}

extension ItemRequestBuilder {
    fileprivate mutating func setValue(_ value: SecretBytes) throws(Refusal) {
        try value.withSpan { (bytes) throws(Refusal) in try set("v_Data", data: bytes) }
    }

    fileprivate mutating func changeValue(_ value: SecretBytes) throws(Refusal) {
        try value.withSpan { (bytes) throws(Refusal) in try change("v_Data", data: bytes) }
    }
}

extension SecretBytes {
    /// Decodes hexadecimal digits; nil when that is not what they are.
    fileprivate convenience init?(hex: SecretBytes) {
        guard hex.count % 2 == 0 else { return nil }
        self.init(count: hex.count / 2)
        let isHex = hex.withSpan { digits in
            withMutableSpan { bytes in
                for index in bytes.indices {
                    guard let high = Self.nibble(digits[2 * index]), let low = Self.nibble(digits[2 * index + 1]) else {
                        return false
                    }
                    bytes[index] = high << 4 | low
                }
                return true
            }
        }
        guard isHex else { return nil }
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        Character(Unicode.Scalar(digit)).hexDigitValue.map(UInt8.init)
    }
}
