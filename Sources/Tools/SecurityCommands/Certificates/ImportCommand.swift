import CertificateWire
import CommandOptions
import KeychainModel
import LinuxSystem

/// `import`: the certificates and keys of a file become items.
enum ImportCommand {
    static let command = Command(
        "import", "Import certificates and keys from a file.",
        synopsis: "file [-k keychain] [-t type] [-f format] [-P passphrase] [-w] [-x] [-A | -T program]",
        options: [
            CommandOption("k", value: "keychain", "The keychain to import into."),
            CommandOption("t", value: "type", "Accepted for old scripts: the file says what it holds."),
            CommandOption("f", value: "format", "Accepted for old scripts: the bytes tell the format."),
            CommandOption("P", value: "passphrase", isSecret: true, "The file's passphrase."),
            CommandOption(
                "F", word: "password-fd", value: "number", "Read the passphrase from this descriptor, a line."),
            CommandOption("w", "Private keys are encrypted in the file."),
            CommandOption("x", "Mark private keys so that export does not write them."),
            CommandOption("a", value: "name value", hasTwoWords: true, "Accepted for old scripts; changes nothing."),
            CommandOption("A", "Accepted for old scripts; changes nothing."),
            CommandOption("T", value: "program", "Accepted for old scripts; changes nothing."),
            CommandOption("n", word: "dry-run", "Say what would be imported, and import nothing."),
        ],
        notes: [
            """
            Formats: PEM with any number of blocks, DER of certificates and keys (PKCS #1, PKCS #8, SEC 1), PKCS #7, \
            PKCS #12 of any age, OpenSSH's private keys without a passphrase. The whole file is imported, or nothing; \
            what the keychain has already stays as it is. Imported items belong to this command. A passphrase in the \
            command line can be seen by other programs: without one it is asked for, or read as a line.
            """
        ],
        operands: 1...1, takesOperandFirst: true
    ) { arguments, session throws(CommandFailure) in
        do throws(CommandFailure) { try run(arguments, session) } catch { throw error.withStatusOne }
    }

    private static let types = ["pub", "priv", "session", "cert", "agg"]
    private static let formats = [
        "openssl", "openssh1", "openssh2", "bsafe", "raw", "pkcs7", "pkcs8", "pkcs12", "netscape", "x509", "pemseq",
    ]
    /// The formats that have an encrypted form.
    private static let wrapping = ["openssl", "openssh1", "openssh2", "pkcs8"]

    private static func run(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        try check(arguments)
        try session.turn(to: arguments.value("k"), ImportFile.call)
        if arguments.has("A") || arguments.has("T") || arguments.has("a") {
            session.explain("-A, -T and -a change nothing: an item belongs to the program that added it.")
        }
        let passphrase = try FilePassphrase(session).given(arguments)
        let items = try ImportFile(arguments.operands[0], session).items(passphrase)
        let kinds = ImportedKinds(items)
        guard !arguments.has("n") else {
            return show(kinds.lines(Set(items.indices), "would be imported"), session)
        }
        var added: Set<Int> = []
        try UnlockOffer(session).run { () throws(CommandFailure) in
            let addition = ItemAddition(
                items: items, session: session, call: ImportFile.call, isExtractable: !arguments.has("x"))
            added = try addition.run()
        }
        show(kinds.lines(added, "imported"), session)
    }

    private static func show(_ lines: [String], _ session: Session) {
        if session.writesJSON { return session.output.write(.array(lines.map { .string($0) })) }
        for line in lines { session.output.write("\(line)\n") }
    }

    private static func check(_ arguments: ParsedArguments) throws(CommandFailure) {
        let (type, format) = (arguments.value("t")?.text, arguments.value("f")?.text)
        if let type, !types.contains(type) { throw .usage("\"\(type)\" is none of \(types.joined(separator: ", "))") }
        if let format, !formats.contains(format) {
            throw .usage("\"\(format)\" is none of \(formats.joined(separator: ", "))")
        }
        if arguments.has("w"), let format, !wrapping.contains(format) {
            throw .usage("Don't know how to wrap in specified format/type")
        }
        if type == "session" {
            throw .failed(
                "\(ImportFile.call): a symmetric key is not imported",
                remedy: "Keep it as a password, with `security add-generic-password`.")
        }
    }
}

/// The passphrase of a file, where the command line says.
struct FilePassphrase {
    private let session: Session

    init(_ session: Session) { self.session = session }

    /// The passphrase of `-P` or of the descriptor of `-F`; nil when neither is given.
    func given(_ arguments: ParsedArguments) throws(CommandFailure) -> SecretBytes? {
        if let number = arguments.value("F")?.text {
            guard let descriptor = FileDescriptor(inherited: number) else {
                throw .usage("--password-fd takes the number of an open descriptor")
            }
            do throws(SystemError) { return try Input(descriptor).readLine() ?? SecretBytes(count: 0) } catch {
                throw CommandFailure("the passphrase's descriptor", error)
            }
        }
        guard arguments.has("P") else { return nil }
        guard let given = arguments.value("P") else { throw .usage("option requires an argument -- P") }
        if !session.isInteractive {
            session.explain("a password in the command line can be seen by other programs; use --password-fd.")
        }
        return given.bytes
    }
}

extension CommandFailure {
    /// The same failure where macOS's command exits with 1 whatever the keychain's status is.
    var withStatusOne: CommandFailure {
        guard case .refused = self else { return self }
        return .failed(message ?? "", cause: explanation.cause, remedy: explanation.remedy)
    }
}
