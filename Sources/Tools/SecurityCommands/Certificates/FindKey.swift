import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `find-key`: the attributes of all matching keys.
enum FindKey {
    private static let call = "SecItemCopyMatching"

    static let command = Command(
        "find-key", "Find keys.", synopsis: "[options...] [keychain...]",
        options: [
            CommandOption("c", value: "creator", "Match the creator, four characters.")
        ] + KeyCriteria.options,
        operands: 0...Int.max
    ) { arguments, session throws(CommandFailure) in
        try UnlockOffer(session).run { () throws(CommandFailure) in
            let criteria = try criteria(arguments)
            var isFound = false
            try session.inEach(arguments.operands, call, hasFound: { isFound }) { () throws(CommandFailure) in
                let found = try StoredCertificates(session: session, call: call).items(.key, ["r_Attributes"], criteria)
                guard !found.isEmpty else { return }
                isFound = true
                let path = try session.shownPath(call)
                for key in found { show(key.item, path, session) }
            }
            guard isFound else { throw CommandFailure.refused(call: call, .nothingFound).withStatusOne }
        }
    }

    private static func criteria(
        _ arguments: ParsedArguments
    ) throws(CommandFailure) -> [(code: String, value: RawValue)] {
        var criteria = try KeyCriteria.values(arguments)
        if let creator = arguments.value("c")?.text {
            guard let code = fourCharacters(creator) else { throw .usage("a creator has four characters") }
            criteria.append(("crtr", .number(code)))
        }
        return criteria
    }

    private static func fourCharacters(_ text: String) -> Int64? {
        guard text.utf8.count == 4 else { return nil }
        return text.utf8.reduce(0) { $0 << 8 | Int64($1) }
    }

    private static func show(_ item: ItemResponse.Item, _ store: String, _ session: Session) {
        if session.writesJSON { return session.output.write(.object(ItemJSON.object(item, keychain: store))) }
        session.output.write { ItemDump.append(item, keychain: store, to: $0) }
    }
}
