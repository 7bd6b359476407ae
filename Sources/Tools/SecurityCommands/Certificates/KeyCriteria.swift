import CommandOptions
import KeychainModel
import KeychainWire

/// The options that say which keys are meant.
enum KeyCriteria {
    /// A switch, and the attribute that is true where it matches.
    private static let uses: [(letter: Character, code: String, meaning: String)] = [
        ("d", "decr", "decrypt"), ("e", "encr", "encrypt"), ("r", "drve", "derive"), ("s", "sign", "sign"),
        ("u", "unwp", "unwrap"), ("v", "vrfy", "verify"), ("w", "wrap", "wrap"),
    ]
    private static let halves: [String: KeyClass] = [
        "public": .public, "private": .private, "symmetric": .symmetric,
    ]

    static let options: [CommandOption] =
        [
            CommandOption("a", value: "label", takesBytes: true, "Match the application label."),
            CommandOption("l", value: "label", takesBytes: true, "Match the label."),
            CommandOption("t", value: "type", "Match the type: symmetric, public or private."),
        ] + uses.map { CommandOption($0.letter, "Match keys that can \($0.meaning).") }

    /// The attributes that the options ask for.
    ///
    /// - Throws: `.usage` for a type that there is not.
    static func values(_ arguments: ParsedArguments) throws(CommandFailure) -> [(code: String, value: RawValue)] {
        var values: [(code: String, value: RawValue)] = []
        if let label = arguments.value("a") { values.append(("klbl", .data(label.array))) }
        if let label = arguments.value("l") { values.append(("labl", label.attribute)) }
        if let type = arguments.value("t")?.text {
            guard let half = halves[type] else { throw .usage("-t takes symmetric, public or private") }
            values.append(("kcls", .string(half.rawValue)))
        }
        return values + uses.filter { arguments.has($0.letter) }.map { ($0.code, .boolean(true)) }
    }
}
