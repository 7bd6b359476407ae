import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `generate`: a new password, printed, copied or stored.
struct GenerateCommand {
    private let session: Session
    private let arguments: ParsedArguments
    private let target: GivenItem?

    static let command = Command(
        "generate", "Generate a password.",
        synopsis: "[-l length] [-R rules | -w number | -P length] [-c] [-s item]",
        options: [
            CommandOption("c", word: "copy", "Copy the password in place of printing it."),
            CommandOption("l", word: "length", value: "length", "The number of characters."),
            CommandOption("P", word: "pin", value: "length", "So many digits."),
            CommandOption("R", word: "rules", value: "rules", "Obey a website's rules."),
            CommandOption("s", word: "save", value: "item", "Store the password as an item, service/account."),
            CommandOption("w", word: "words", value: "number", "So many words that can be pronounced."),
        ],
        notes: [
            """
            Without options there are three groups of six letters with a capital and a digit. Rules are Apple's: \
            minlength, maxlength, max-consecutive, required and allowed, with classes upper, lower, digit, special, \
            ascii-printable and [characters]. The bits on standard error are the logarithm of the number of passwords \
            that were as likely. A password that is stored is printed after the keychain has acknowledged it.
            """
        ],
        exits: [(2, "The rules contradict each other, or leave hardly any password."), (45, "There is such an item.")],
        examples: [
            "security generate", "security generate --words 4 --save backup/disk",
            "security generate --rules 'minlength: 20; required: upper; required: digit; allowed: [-_.]'",
        ],
        layer: .people
    ) { arguments, session throws(CommandFailure) in
        let generate = try GenerateCommand(arguments, session)
        let password = try generate.password()
        try UnlockOffer(session).run { () throws(CommandFailure) in try generate.store(password.bytes) }
        try generate.showPassword(password)
    }

    private init(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        (self.arguments, self.session) = (arguments, session)
        if ["R", "w", "P"].filter({ arguments.has($0) }).count > 1 {
            throw .usage("--rules, --words and --pin exclude each other")
        }
        if arguments.has("l"), arguments.has("w") || arguments.has("P") {
            throw .usage("--length belongs neither to --words nor to --pin")
        }
        target = try arguments.value("s").map { (word) throws(CommandFailure) in try GivenItem(word.text) }
    }

    private func password() throws(CommandFailure) -> GeneratedPassword {
        if let count = try number("w", 1...64) { return .words(count) }
        if let length = try number("P", 1...64) { return .pin(length) }
        let length = try number("l", 1...1024)
        if !arguments.has("R"), length == nil { return .usual() }
        do throws(PasswordRules.Wrong) {
            let rules = try PasswordRules(arguments.value("R")?.text ?? Self.rulesOfLength)
            return try .obeying(rules, length: try Self.length(length, rules))
        } catch { throw .usage("the rules cannot be obeyed: \(error.problem)") }
    }

    /// The rules where only a length is given.
    private static let rulesOfLength = "allowed: lower, upper, digit, [-]"
    private static let usualLength = 20

    private static func length(_ wanted: Int?, _ rules: PasswordRules) throws(PasswordRules.Wrong) -> Int {
        let (least, most) = (max(rules.minLength ?? 1, rules.required.isEmpty ? 1 : 2), rules.maxLength ?? 1024)
        guard let wanted else { return min(max(least, usualLength), most) }
        if let maxLength = rules.maxLength, wanted > maxLength {
            throw PasswordRules.Wrong(problem: "a length of \(wanted) contradicts maxlength: \(maxLength)")
        }
        if let minLength = rules.minLength, wanted < minLength {
            throw PasswordRules.Wrong(problem: "a length of \(wanted) contradicts minlength: \(minLength)")
        }
        return wanted
    }

    private func number(_ letter: Character, _ range: ClosedRange<Int>) throws(CommandFailure) -> Int? {
        guard let text = arguments.value(letter)?.text else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .usage("\"\(text)\" is no number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    private func store(_ password: SecretBytes) throws(CommandFailure) {
        guard let target else { return }
        try target.save(password, session, "generate")
    }

    private func showPassword(_ password: GeneratedPassword) throws(CommandFailure) {
        if arguments.has("c") {
            try Clipboard(session).copy(password.bytes, for: Clipboard.usualSeconds, once: false, "the password")
        } else if session.writesJSON {
            session.output.write(
                .object([("password", .bytes(password.bytes)), ("bits", .number(Int64(password.bits)))]))
        } else {
            session.output.write { buffer in
                password.bytes.withSpan { buffer.append($0) }
                buffer.append(utf8: "\n")
            }
        }
        guard !session.isQuiet, !session.writesJSON else { return }
        session.output.flush()
        session.diagnostics.write("\(Int(password.bits)) bits\n")
    }
}
