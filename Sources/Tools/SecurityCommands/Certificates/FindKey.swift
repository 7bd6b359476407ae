import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `find-key`: the attributes of all matching keys.
enum FindKey {
    private static let call = "SecItemCopyMatching"

    /// A switch, and the attribute that is true where it matches.
    private static let uses: [(letter: Character, code: String, meaning: String)] = [
        ("d", "decr", "decrypt"), ("e", "encr", "encrypt"), ("r", "drve", "derive"), ("s", "sign", "sign"),
        ("u", "unwp", "unwrap"), ("v", "vrfy", "verify"), ("w", "wrap", "wrap"),
    ]
    private static let halves: [String: KeyClass] = [
        "public": .public, "private": .private, "symmetric": .symmetric,
    ]

    static let command = Command(
        "find-key", "Find keys.", synopsis: "[options...] [keychain...]",
        options: [
            CommandOption("a", value: "label", "Match the application label."),
            CommandOption("c", value: "creator", "Match the creator, four characters."),
            CommandOption("l", value: "label", "Match the label."),
            CommandOption("t", value: "type", "Match the type: symmetric, public or private."),
        ] + uses.map { CommandOption($0.letter, "Match keys that can \($0.meaning).") },
        operands: 0...Int.max
    ) { arguments, session throws(CommandFailure) in
        try UnlockOffer(session).run { () throws(CommandFailure) in
            let criteria = try criteria(arguments)
            var isFound = false
            try session.inEach(arguments.operands, call) { () throws(CommandFailure) in
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
        var criteria: [(code: String, value: RawValue)] = []
        if let label = arguments.value("a") { criteria.append(("klbl", .data(label.array))) }
        if let label = arguments.value("l") { criteria.append(("labl", label.attribute)) }
        if let creator = arguments.value("c")?.text {
            guard let code = fourCharacters(creator) else { throw .usage("a creator has four characters") }
            criteria.append(("crtr", .number(code)))
        }
        if let type = arguments.value("t")?.text {
            guard let half = halves[type] else { throw .usage(nil) }
            criteria.append(("kcls", .string(half.rawValue)))
        }
        return criteria + uses.filter { arguments.has($0.letter) }.map { ($0.code, .boolean(true)) }
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
