import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `find-generic-password` and `find-internet-password`.
enum FindPassword {
    static func command(_ kind: PasswordKind) -> Command {
        Command(
            "find-\(kind.name)-password", "Find \(kind.phrase) item.",
            synopsis: "[-a account] [-s \(kind.place)] [options...] [-g] [keychain...]",
            options: kind.matchOptions + [
                CommandOption("g", "Also show the password, on standard error."),
                CommandOption("w", "Show only the password, on standard output."), .keychain,
            ],
            notes: [
                """
                -w writes a text with a line end behind it. A password that is not text is written to a terminal in \
                hexadecimal, and to a file or pipe byte for byte with nothing behind it. With --json it is a string, \
                or {"base64": ...} when it is not UTF-8. Text is UTF-8 without control characters; on a terminal, \
                without characters that cannot be seen. With -M all that is not printable ASCII is hexadecimal.
                """
            ],
            operands: 0...Int.max
        ) { arguments, session throws(CommandFailure) in
            try UnlockOffer(session).run { () throws(CommandFailure) in
                let query = try PasswordQuery(kind, arguments)
                try session.inFirst(arguments.keychains, PasswordQuery.call) { () throws(CommandFailure) in
                    try search(query, arguments, session)
                }
            }
        }
    }

    private static func search(
        _ query: PasswordQuery, _ arguments: ParsedArguments, _ session: Session
    ) throws(CommandFailure) {
        if arguments.has("w") {
            let item = try query.first(returning: ["r_Data"], session)
            return showOnlyPassword(item.password, session)
        }
        let wanted = arguments.has("g") ? ["r_Attributes", "r_Data"] : ["r_Attributes"]
        let item = try query.first(returning: wanted, session)
        let store = try session.shownPath(PasswordQuery.call)
        showItem(item, in: store, withPassword: arguments.has("g"), session)
    }

    private static func showOnlyPassword(_ password: SecretBytes, _ session: Session) {
        if session.writesJSON {
            return session.output.write(.object([("password", .bytes(password))]))
        }
        let (isText, isTerminal) = (password.isText, session.output.isTerminal || session.imitatesMacOS)
        let isReadable = session.imitatesMacOS ? password.isPrintableASCII : isTerminal ? password.isShown : true
        session.output.write { buffer in
            password.withSpan { bytes in
                if isReadable { buffer.append(bytes) } else { buffer.append(hex: bytes) }
            }
            if isText || isTerminal { buffer.append(utf8: "\n") }
        }
    }

    private static func showItem(
        _ item: ItemResponse.Item, in store: String, withPassword: Bool, _ session: Session
    ) {
        if session.writesJSON {
            var json = ItemJSON.object(item, keychain: store)
            if withPassword { json.append(("password", .bytes(item.password))) }
            return session.output.write(.object(json))
        }
        session.output.write { ItemDump.append(item, keychain: store, to: $0) }
        guard withPassword else { return }
        session.output.flush()
        session.diagnostics.write { buffer in
            buffer.append(utf8: "password: ")
            item.password.withSpan { buffer.append(cell: $0) }
            buffer.append(utf8: "\n")
        }
    }
}

extension PasswordKind {
    /// The options that say what to look for.
    var matchOptions: [CommandOption] {
        criteria.map { CommandOption($0.letter, value: $0.value, takesBytes: true, "Match the \($0.meaning).") }
    }
}

extension ItemResponse.Item {
    /// The item's value; empty when it has none.
    var password: SecretBytes { attributes.secret(.valueData) ?? SecretBytes(count: 0) }
}
