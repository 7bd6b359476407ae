import CommandOptions
import KeychainModel
import KeychainWire

/// `delete-generic-password` and `delete-internet-password`: deletes one item, the first that matches, as on macOS.
enum DeletePassword {
    private static let call = "SecKeychainItemDelete"

    static func command(_ kind: PasswordKind) -> Command {
        Command(
            "delete-\(kind.name)-password", "Delete \(kind.phrase) item.",
            synopsis: "[-a account] [-s \(kind.place)] [options...] [keychain...]",
            options: kind.matchOptions + [
                CommandOption("F", word: "forever", "Keep no earlier version of the item, and drop those there are."),
                .keychain,
            ],
            notes: ["Deletes the first item that matches and shows what it was; security undelete brings it back."],
            operands: 0...Int.max
        ) { arguments, session throws(CommandFailure) in try delete(kind, arguments, session) }
    }

    private static func delete(
        _ kind: PasswordKind, _ arguments: ParsedArguments, _ session: Session
    ) throws(CommandFailure) {
        let query = try PasswordQuery(kind, arguments)
        guard !query.isEmpty else { throw .usage(nil) }
        var found: ItemResponse.Item?
        try session.inFirst(arguments.keychains, PasswordQuery.call) { () throws(CommandFailure) in
            found = try query.first(returning: ["r_Attributes", "r_PersistentRef"], session)
        }
        // A deletion that fails is not tried on another keychain's item.
        if let found { try delete(found, arguments, session) }
    }

    private static func delete(
        _ item: ItemResponse.Item, _ arguments: ParsedArguments, _ session: Session
    ) throws(CommandFailure) {
        let store = try session.shownPath(call)
        _ = try session.send(call) { () throws(Refusal) in
            var builder = ItemRequestBuilder(.delete)
            try builder.set("v_PersistentRef", item.reference)
            if arguments.has("F") { builder.leaveNoHistory() }
            return try builder.build()
        }
        if session.writesJSON { return session.output.write(.object(ItemJSON.object(item, keychain: store))) }
        session.output.write { ItemDump.append(item, keychain: store, to: $0) }
        session.output.flush()
        session.diagnostics.write("password has been deleted.\n")
    }
}

extension ItemResponse.Item {
    /// The item's lasting name, as a query takes it.
    var reference: RawValue {
        guard case .data(let bytes)? = attributes[.persistentReference] else { return .null }
        return .data(bytes)
    }

    /// The bytes of the item's lasting name.
    var referenceBytes: [UInt8]? {
        if case .data(let bytes) = reference { return bytes }
        return nil
    }
}
