import CommandOptions
import KeychainModel
import LinuxSystem

/// One of the two classes of passwords and what its commands call its attributes.
enum PasswordKind: String, Sendable {
    case generic
    case internet

    var itemClass: ItemClass { self == .generic ? .genericPassword : .internetPassword }

    /// The word in the commands' names.
    var name: String { rawValue }

    /// The word with its article, for sentences.
    var phrase: String { self == .generic ? "a generic password" : "an internet password" }

    /// The word for the password's place, in a synopsis.
    var place: String { self == .generic ? "service" : "server" }

    var criteria: [Criterion] { self == .generic ? Self.genericCriteria : Self.internetCriteria }

    /// The attributes that, all given, name one item; other criteria are then left out of a search, as on macOS.
    var identifying: [Character] { self == .generic ? ["a", "s"] : ["a", "d", "p", "P", "r", "s", "t"] }

    /// The attribute that becomes the label when none is given.
    var labelSource: Character { "s" }

    /// The options a password comes with, besides `-X`.
    var secrets: [CommandOption] { self == .generic ? [Self.oldOption, Self.passwordOption] : [Self.passwordOption] }

    /// The call that macOS's command names when an item cannot be added.
    func additionCall(_ keychain: String?) -> String {
        switch self {
        case .generic: "SecKeychainItemCreateFromContent (\(keychain ?? "<default>"))"
        case .internet: "SecKeychainAddInternetPassword \(keychain ?? "<NULL>")"
        }
    }

    /// An attribute that an option speaks of.
    struct Criterion: Sendable {
        let letter: Character
        /// The key in a query.
        let code: String
        let form: Form
        /// The name of the option's value.
        let value: String
        let meaning: String

        init(_ letter: Character, _ code: String, _ value: String, as form: Form = .text, _ meaning: String) {
            self.letter = letter
            self.code = code
            self.form = form
            self.value = value
            self.meaning = meaning
        }
    }

    /// How an option's value becomes an attribute's.
    enum Form: Sendable {
        case text
        /// Four characters as one number.
        case number
        /// Four characters as they are: the constants of Swift programs for these attributes are strings.
        case code
        case port
    }

    private static let genericCriteria = [
        account, creator, type, kind,
        Criterion("G", "gena", "value", "generic attribute"),
        comment, label,
        Criterion("s", "svce", "service", "service name"),
    ]

    private static let internetCriteria = [
        account, creator, type,
        Criterion("d", "sdmn", "domain", "security domain"),
        kind, comment, label,
        Criterion("p", "path", "path", "path on the server"),
        Criterion("P", "port", "port", as: .port, "port number"),
        Criterion("r", "ptcl", "protocol", as: .code, "protocol (four characters, such as \"htps\" or \"ftp \")"),
        Criterion("s", "srvr", "server", "server name"),
        Criterion("t", "atyp", "type", as: .code, "authentication type (four characters, such as \"dflt\")"),
    ]

    private static let account = Criterion("a", "acct", "account", "account name")
    private static let creator = Criterion("c", "crtr", "creator", as: .number, "creator (four characters)")
    private static let type = Criterion("C", "type", "type", as: .number, "type (four characters)")
    private static let kind = Criterion("D", "desc", "kind", "kind of item, in words")
    private static let comment = Criterion("j", "icmt", "comment", "comment")
    private static let label = Criterion("l", "labl", "label", "label")
    private static let oldOption = CommandOption(
        "p", value: "password", isSecret: true, "The same as -w, for old scripts.")
    private static let passwordOption = CommandOption(
        "w", value: "password", isSecret: true, "The password; as the last option without a value: ask for it.")
}

extension PasswordKind.Criterion {
    /// Reads the option's value.
    ///
    /// - Throws: ``CommandFailure/usage(_:nearest:)`` when it does not have the form.
    func value(of argument: Argument) throws(CommandFailure) -> RawValue {
        switch form {
        case .text: return argument.attribute
        case .number:
            let bytes = try fourCharacters(argument)
            return .number(bytes.reduce(0) { $0 << 8 | Int64($1) })
        case .code:
            _ = try fourCharacters(argument)
            return argument.attribute
        case .port:
            guard let port = UInt16(argument.text) else { throw .usage("\"\(argument.text)\" is not a port number") }
            return .number(Int64(port))
        }
    }

    private func fourCharacters(_ argument: Argument) throws(CommandFailure) -> [UInt8] {
        guard argument.bytes.count == 4 else {
            throw .usage("Error: four-character types must be exactly 4 characters long.")
        }
        return argument.array
    }
}

extension Argument {
    /// The word as an attribute's value: text, or data when it is not UTF-8, so that nothing is lost.
    var attribute: RawValue { bytes.withSpan { $0.text(0, $0.count) }.map { .string($0) } ?? .data(array) }
}
