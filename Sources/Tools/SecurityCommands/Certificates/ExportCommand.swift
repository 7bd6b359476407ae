import CertificateWire
import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `export`: certificates and keys of the keychain, in a file.
struct ExportCommand {
    private static let call = "SecKeychainItemExport"
    private let arguments: ParsedArguments
    private let session: Session
    private let stored: StoredCertificates

    static let command = Command(
        "export", "Export certificates and keys from a keychain.",
        synopsis: "[-k keychain] [-t type] [-f format] [-w] [-p] [-P passphrase] [-o outfile]",
        options: [
            CommandOption("k", value: "keychain", "The keychain to export from; all of the search list unless given."),
            CommandOption(
                "t", value: "type", "certs, allKeys, pubKeys, privKeys, identities, or all (unless one is given)."),
            CommandOption(
                "f", value: "format", "openssl, openssh2, pkcs7, pkcs8, pkcs12, x509 or pemseq."),
            CommandOption("w", "Encrypt private keys with a passphrase."),
            CommandOption("p", "Write PEM."),
            CommandOption("P", value: "passphrase", isSecret: true, "The passphrase of the file."),
            CommandOption(
                "F", word: "password-fd", value: "number", "Read the passphrase from this descriptor, a line."),
            CommandOption("L", word: "legacy", "Encrypt PKCS #12 with 3DES and SHA-1, for old programs."),
            CommandOption("o", value: "outfile", "The file to write; standard output unless given."),
        ],
        notes: [
            """
            all is certificates and private keys. Several items are a PEM sequence unless -f says otherwise. The file \
            is its owner's alone, and is there whole or not at all. A key that does not leave the keychain ends the \
            export with exit status 1. Items of other programs are not exported.
            """
        ]
    ) { arguments, session throws(CommandFailure) in
        do throws(CommandFailure) {
            let stored = StoredCertificates(session: session, call: call, keychains: arguments.values(of: "k"))
            let export = ExportCommand(arguments: arguments, session: session, stored: stored)
            try UnlockOffer(session).run { () throws(CommandFailure) in try export.run() }
        } catch { throw error.withStatusOne }
    }

    private func run() throws(CommandFailure) {
        let form = try ExportFormat(arguments)
        let items = try chosen()
        guard !items.isEmpty else { throw .refused(call: Self.call, .nothingFound) }
        let passphrase = form.needsPassphrase ? try passphrase() : nil
        let task = WriteFile(
            items, as: form.form, isPEM: arguments.has("p"), isLegacy: arguments.has("L"), passphrase: passphrase)
        let file = try CertificateProgram.perform(task, Self.call).file
        try OutputOfFile(arguments.value("o")?.text, session).save(file)
    }

    private static let types = ["certs", "allKeys", "pubKeys", "privKeys", "identities", "all"]

    private func chosen() throws(CommandFailure) -> [CertificateItem] {
        let type = arguments.value("t")?.text ?? "all"
        guard Self.types.contains(type) else {
            throw .usage("\"\(type)\" is none of \(Self.types.joined(separator: ", "))")
        }
        var items: [CertificateItem] = []
        if ["allKeys", "privKeys", "identities", "all"].contains(type) { items += try privateKeys() }
        if ["allKeys", "pubKeys"].contains(type) { items += try publicKeys() }
        if ["certs", "identities", "all"].contains(type) { items += try certificates() }
        return type == "identities" ? paired(items) : items
    }

    /// The items of identities alone.
    private func paired(_ items: [CertificateItem]) -> [CertificateItem] {
        let keys = Set(items.filter(\.isPrivateKey).map(\.keyHash))
        let certificates = Set(items.filter { !$0.isPrivateKey }.map(\.keyHash))
        return items.filter { ($0.isPrivateKey ? certificates : keys).contains($0.keyHash) }
    }

    private func certificates() throws(CommandFailure) -> [CertificateItem] {
        try stored.all().compactMap { CertificateItem(stored: .certificate, $0.stored.item.attributes) }
    }

    private func publicKeys() throws(CommandFailure) -> [CertificateItem] {
        let criteria: [(code: String, value: RawValue)] = [("kcls", .string(KeyClass.public.rawValue))]
        return try stored.items(.key, ["r_Attributes", "r_Data"], criteria)
            .compactMap { CertificateItem(stored: .key, $0.item.attributes) }
    }

    private func privateKeys() throws(CommandFailure) -> [CertificateItem] {
        var keys: [CertificateItem] = []
        for key in try stored.privateKeys(["r_Attributes", "r_Data"]) {
            keys.append(try key.item.extractedKey(Self.call))
        }
        return keys
    }

    /// A terminal is asked twice.
    private func passphrase() throws(CommandFailure) -> SecretBytes {
        if let given = try FilePassphrase(session).given(arguments) { return given }
        let input = PasswordInput(session)
        let first = try input.passcode("passphrase for the exported file: ")
        guard session.input.isTerminal else { return first }
        guard first.isEqual(to: try input.passcode("retype the passphrase: ")) else {
            throw .failed("the passphrases don't match", remedy: "Give the command again.")
        }
        return first
    }
}

extension ItemResponse.Item {
    /// The private key with its bytes.
    ///
    /// - Throws: a failure that names the key, when it stays in the enclave or is marked not to leave the keychain.
    func extractedKey(_ call: String) throws(CommandFailure) -> CertificateItem {
        let isMarked = attributes[.isExtractable]?.number == 0
        guard !isMarked, let key = CertificateItem(stored: .key, attributes) else {
            let label = attributes[.label]?.string ?? ""
            throw .failed(
                "\(call): The private key \(label.quoted) cannot be exported.",
                cause: isMarked ? "It was imported with -x." : "It is in the Secure Enclave and does not leave it.",
                remedy: "Export certificates alone, with -t certs.")
        }
        return key
    }
}

/// The format of an exported file, as the options name it.
private struct ExportFormat {
    let form: ExportForm
    let needsPassphrase: Bool

    private static let forms: [String: ExportForm] = [
        "openssl": .openSSL, "openssh2": .openSSH, "pkcs7": .pkcs7, "pkcs8": .pkcs8, "pkcs12": .pkcs12, "x509": .x509,
        "pemseq": .pemSequence,
    ]
    private static let notHere = ["openssh1", "bsafe", "raw", "netscape"]

    init(_ arguments: ParsedArguments) throws(CommandFailure) {
        let (name, isWrapped) = (arguments.value("f")?.text, arguments.has("w"))
        if let name, Self.notHere.contains(name) {
            throw .failed("SecKeychainItemExport: the format \(name) is not written", remedy: "Use pkcs12 or pemseq.")
        }
        guard let form = name.map({ Self.forms[$0] }) ?? .usual else {
            throw .usage("\"\(name ?? "")\" is none of \(Self.forms.keys.sorted().joined(separator: ", "))")
        }
        guard isWrapped, name != nil else {
            (self.form, needsPassphrase) = (form, isWrapped || form == .pkcs12)
            return
        }
        guard [.openSSL, .pkcs8, .pemSequence, .pkcs12].contains(form) else {
            throw .usage("Don't know how to wrap in specified format/type")
        }
        self.form = form == .openSSL || form == .pkcs8 ? .wrappedPKCS8 : form
        needsPassphrase = true
    }
}

/// The place to which a command writes a file.
struct OutputOfFile {
    private let path: String?
    private let session: Session

    /// - Parameter path: nil for standard output.
    init(_ path: String?, _ session: Session) { (self.path, self.session) = (path, session) }

    /// Writes the file for its owner alone: whole, or not at all.
    func save(_ file: SecretBytes) throws(CommandFailure) {
        guard let path else { return file.withSpan { session.output.write($0) } }
        do throws(SystemError) {
            try file.withSpan { (bytes) throws(SystemError) in try AtomicFile.replace(path, with: bytes) }
        } catch { throw CommandFailure(path, error) }
        session.output.flush()
        session.diagnostics.write("...\(file.count) bytes written to \(path.printable)\n")
    }
}
