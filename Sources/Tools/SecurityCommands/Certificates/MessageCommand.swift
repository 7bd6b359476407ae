import CertificateWire
import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem

/// `cms`: signs, verifies, encrypts and decrypts messages (RFC 5652).
struct MessageCommand {
    private static let call = "cms"
    private let arguments: ParsedArguments
    private let session: Session
    private let stored: StoredCertificates

    static let command = Command(
        "cms", "Encode or decode CMS messages.",
        synopsis: "-S -N nick | -D | -E -r id,... [-i infile] [-o outfile] [options...]",
        options: [
            CommandOption("S", "Sign."),
            CommandOption("D", "Decrypt, verify, and write the content."),
            CommandOption("E", "Encrypt."),
            CommandOption("C", "Make a message of certificates; not here."),
            CommandOption("k", value: "keychain", "The keychain with certificates and keys."),
            CommandOption("N", value: "nick", "The signer, by the name of their certificate or a part of it."),
            CommandOption("Z", value: "hash", "The signer, by the SHA-1 or SHA-256 of their certificate."),
            CommandOption("r", value: "id,...", "The recipients, by address or name."),
            CommandOption("H", value: "hash", "SHA256 (unless one is given), SHA384, SHA512 or SHA1."),
            CommandOption("i", value: "infile", "The input; standard input unless given."),
            CommandOption("o", value: "outfile", "The output; standard output unless given."),
            CommandOption("c", value: "content", "With -D, the file that was signed, for a detached signature."),
            CommandOption("T", "Leave the content out of the signed message."),
            CommandOption("G", "Sign the time, too."),
            CommandOption("n", "With -D, write no content."),
            CommandOption("u", value: "usage", "Accepted for old scripts; changes nothing."),
        ],
        notes: [
            """
            -D fails when a signature does not hold, and writes nothing. It does not say whether a signer is trusted: \
            verify-cert does. Keys in the Secure Enclave do not sign messages.
            """
        ]
    ) { arguments, session throws(CommandFailure) in
        do throws(CommandFailure) {
            let stored = StoredCertificates(session: session, call: call, keychains: arguments.values(of: "k"))
            let command = MessageCommand(arguments: arguments, session: session, stored: stored)
            try UnlockOffer(session).run { () throws(CommandFailure) in try command.run() }
        } catch { throw error.withStatusOne }
    }

    private func run() throws(CommandFailure) {
        switch ["S", "D", "E", "C"].filter(arguments.has) {
        case ["S"]: try sign()
        case ["D"]: try decode()
        case ["E"]: try encrypt()
        case ["C"]: throw .failed("cms: not supported here", remedy: "Use `security export -f pkcs7`.")
        default: throw .usage("one of -S, -D and -E is needed")
        }
    }

    private func sign() throws(CommandFailure) {
        let digests: [String: UInt16] = ["SHA1": 1, "SHA256": 256, "SHA384": 384, "SHA512": 512]
        let usual = session.imitatesMacOS ? "SHA1" : "SHA256"
        guard let digest = digests[arguments.value("H")?.text ?? usual] else { throw .usage("there is no such hash") }
        let identity = try signer()
        guard let key = try stored.privateKey(of: identity, ["r_Data"]),
            let certificate = CertificateItem(stored: .certificate, identity.stored.item.attributes)
        else { throw .refused(call: Self.call, .nothingFound) }
        var task = WriteMessage(try input())
        task.signer = [try key.item.extractedKey(Self.call), certificate]
        (task.digestBits, task.isDetached, task.namesTime) = (digest, arguments.has("T"), arguments.has("G"))
        try write(try CertificateProgram.perform(task, Self.call).file)
    }

    private func signer() throws(CommandFailure) -> StoredCertificates.Found {
        let (name, hash) = (arguments.value("N")?.text.lowercased(), arguments.value("Z")?.text.uppercased())
        guard name != nil || hash != nil else { throw .usage("-S needs -N or -Z") }
        let all = try stored.identities()
        let facts = try stored.facts(all.map(\.certificate))
        let index = all.indices.first { index in
            let isNamed = name.map { facts[index].summary.lowercased().contains($0) } ?? true
            return isNamed
                && (hash.map { [facts[index].sha1.upperHex, facts[index].sha256.upperHex].contains($0) } ?? true)
        }
        guard let index else { throw .refused(call: Self.call, .nothingFound) }
        return all[index]
    }

    private func encrypt() throws(CommandFailure) {
        guard let names = arguments.value("r")?.text.split(separator: ",").map({ $0.lowercased() }), !names.isEmpty
        else {
            throw .usage("-E needs -r")
        }
        let all = try stored.all()
        let facts = try stored.facts(all.map(\.certificate))
        var recipients: [[UInt8]] = []
        for name in names {
            let index =
                facts.firstIndex { $0.addresses.contains { $0.lowercased() == name } }
                ?? facts.firstIndex { $0.summary.lowercased().contains(name) }
            guard let index else {
                throw .failed(
                    "cms: no certificate of \(name.quoted)", remedy: "Import it with `security add-certificates`.")
            }
            recipients.append(all[index].certificate)
        }
        var task = WriteMessage(try input())
        task.recipients = recipients
        try write(try CertificateProgram.perform(task, Self.call).file)
    }

    private func decode() throws(CommandFailure) {
        var task = ReadMessage(try input())
        if let content = arguments.value("c") { task.content = try read(content.text) }
        do throws(CommandFailure) { return try show(try CertificateProgram.perform(task, Self.call)) } catch {
            // Private keys leave the keychain's daemon only for a message that needs one.
            guard case .refused(_, let refusal) = error, refusal.status == .decode else { throw error }
        }
        task.keys = try extractableKeys()
        try show(try CertificateProgram.perform(task, Self.call))
    }

    private func extractableKeys() throws(CommandFailure) -> [CertificateItem] {
        let keys = try stored.privateKeys(["r_Attributes", "r_Data"]).compactMap {
            try? $0.item.extractedKey(Self.call)
        }
        return keys + (try stored.all().compactMap { CertificateItem(stored: .certificate, $0.stored.item.attributes) })
    }

    private func show(_ message: ReadMessage.Answer) throws(CommandFailure) {
        guard message.signers.allSatisfy(\.holds) else {
            throw .failed(
                "cms: a signature does not hold", cause: "The content is not what was signed, or is not given.",
                remedy: "Give the content of a detached signature with -c.")
        }
        if !arguments.has("n") { try write(message.content) }
    }

    private func write(_ bytes: SecretBytes) throws(CommandFailure) {
        try OutputOfFile(arguments.value("o")?.text, session).save(bytes)
    }

    private func input() throws(CommandFailure) -> SecretBytes {
        if let path = arguments.value("i")?.text { return try read(path) }
        do throws(SystemError) { return try session.input.readAll() } catch {
            throw CommandFailure("standard input", error)
        }
    }

    private func read(_ path: String) throws(CommandFailure) -> SecretBytes {
        do throws(SystemError) { return try AtomicFile.readSecret(path, limit: CertificateLimits.fileBytes) } catch {
            throw CommandFailure(path, error)
        }
    }
}
