import CommandOptions
import KeychainModel
import LinuxSystem

/// The words `field=value` behind an item's name.
struct GivenFields {
    private(set) var fields: [ItemField: String] = [:]
    /// A password among the words, which other programs can see.
    private(set) var password: SecretBytes?

    private static let secret = "password"

    /// - Throws: ``CommandFailure/usage(_:nearest:)`` for a word that is no field, or that stands twice.
    init(_ words: some Sequence<Argument>) throws(CommandFailure) {
        for word in words {
            guard let sign = word.bytes.withSpan({ $0.indices.first { [span = $0] in span[$0] == 0x3D } }) else {
                throw .usage("\"\(word.text)\" is no field=value")
            }
            let name = word.bytes.withSpan { $0.text(0, sign) } ?? ""
            try take(name, word.dropping(sign + 1))
        }
    }

    private mutating func take(_ name: String, _ value: Argument) throws(CommandFailure) {
        if name == Self.secret {
            guard password == nil else { throw .usage("\(name)= stands twice") }
            return password = value.bytes
        }
        guard let field = ItemField(rawValue: name) else {
            let names = (ItemField.allCases.map(\.rawValue) + [Self.secret]).joined(separator: ", ")
            throw .usage(
                "\"\(name)\" is none of \(names)",
                nearest: NearestName.find(name, among: ItemField.allCases.map(\.rawValue)))
        }
        guard value.isText else { throw .usage("\(value.text.quoted) is not UTF-8") }
        guard fields.updateValue(value.text, forKey: field) == nil else { throw .usage("\(name)= stands twice") }
    }
}

/// Where `add` and `edit` get a value from.
struct ValueSource {
    private let session: Session
    private let arguments: ParsedArguments
    /// The option that names a descriptor.
    static let option = CommandOption(
        "d", word: "password-fd", value: "number", "Read the password from this open descriptor.")

    init(_ arguments: ParsedArguments, _ session: Session) { (self.arguments, self.session) = (arguments, session) }

    /// Whether the command line says where the value is.
    var isGiven: Bool { arguments.has("d") }

    /// The password of a word, with the note that it could be seen; else that of the descriptor; nil for neither.
    func given(_ word: SecretBytes?) throws(CommandFailure) -> SecretBytes? {
        if let word {
            if !session.isQuiet, !session.isInteractive {
                session.complain("the password in the command line was visible to other programs.")
            }
            return word
        }
        guard let number = arguments.value("d")?.text else { return nil }
        return try read(descriptor: number)
    }

    private func read(descriptor text: String) throws(CommandFailure) -> SecretBytes {
        guard let number = CInt(text), number >= 0, let copy = try? FileDescriptor.duplicate(number, from: 3) else {
            throw .usage("\"\(text)\" is the number of no open descriptor")
        }
        do throws(SystemError) { return PipedSecret.unwrap(try Input(copy).readAll()) } catch {
            throw CommandFailure("descriptor \(text)", error)
        }
    }
}
