import CertificateWire
import CommandOptions
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// `create-keypair`.
struct CreateKeypair {
    private static let call = "SecKeyCreatePair"
    /// 128 bits of security (NIST SP 800-57 part 1, table 2).
    private static let usualBits = 3072

    private let arguments: ParsedArguments
    private let session: Session
    private let label: String

    static let command = Command(
        "create-keypair", "Create an asymmetric key pair.",
        synopsis: "[-a alg] [-s size] [-k keychain] [-A | -T program] [--enclave] [label]",
        options: [
            CommandOption("a", value: "alg", "rsa (unless one is given) or ec."),
            CommandOption("s", value: "size", "In bits: \(usualBits) for rsa and 256 for ec, unless given."),
            CommandOption("f", value: "date", "Accepted for old scripts; changes nothing."),
            CommandOption("t", value: "date", "Accepted for old scripts; changes nothing."),
            CommandOption("d", value: "days", "Accepted for old scripts; changes nothing."),
            CommandOption("k", value: "keychain", "The keychain to keep the pair in."),
            CommandOption("A", "Accepted for old scripts; changes nothing."),
            CommandOption("T", value: "program", "Accepted for old scripts; changes nothing."),
            CommandOption("E", word: "enclave", "Make a private key that never leaves the Secure Enclave."),
        ],
        notes: [
            "The enclave makes keys of type ec with 256 bits. macOS makes RSA keys of 512 bits unless told otherwise."
        ],
        operands: 0...1
    ) { arguments, session throws(CommandFailure) in
        try session.turn(to: arguments.value("k"), call)
        let create = CreateKeypair(
            arguments: arguments, session: session, label: arguments.operands.first?.text ?? "<key>")
        try UnlockOffer(session).run { () throws(CommandFailure) in try create.run() }
    }

    private func run() throws(CommandFailure) {
        let (type, bits) = try wanted()
        if arguments.has("E") { return try makeInEnclave() }
        if let weakness = type.weakness(bits: bits), !session.imitatesMacOS { session.complain("warning: \(weakness)") }
        let items = try CertificateProgram.perform(MakeKeys(type, bits: bits), Self.call).items
        _ = try ItemAddition(items: items.map(named), session: session, call: Self.call).run()
    }

    private func wanted() throws(CommandFailure) -> (KeyType, bits: Int) {
        let name = arguments.value("a")?.text ?? (arguments.has("E") ? "ec" : "rsa")
        let types: [String: KeyType] = ["rsa": .rsa, "ec": .ecSECPrimeRandom, "ecdsa": .ecSECPrimeRandom]
        guard let type = types[name] else {
            guard ["dh", "dsa", "fee"].contains(name) else { throw .usage("\"\(name)\" is neither rsa nor ec") }
            throw .failed("\(Self.call): keys of type \(name) are not made", remedy: "Use -a rsa or -a ec.")
        }
        let given = arguments.value("s")?.text
        guard let bits = given.map({ Int($0) }) ?? (type == .rsa ? Self.usualBits : 256), type.isMade(bits: bits) else {
            let more = type == .rsa ? ", from 2048 on an even number" : ""
            throw .usage("a key of type \(name) has \(type.sizes) bits\(more)")
        }
        guard !arguments.has("E") || type == .ecSECPrimeRandom && bits == 256 else {
            throw .usage("the enclave makes keys of type ec with 256 bits")
        }
        return (type, bits)
    }

    private func named(_ item: CertificateItem) -> CertificateItem {
        let buffer = SecretBuffer()
        for entry in item.attributes where entry.id != .label { buffer.append(entry, of: item.attributes) }
        buffer.append(.label, .string(label))
        guard let list = try? AttributeList(parsing: buffer.finish()) else { return item }
        return CertificateItem(item.itemClass, list)
    }
}

/// Keys that never leave the enclave.
extension CreateKeypair {
    /// The bytes before the point of a P-256 key in `SubjectPublicKeyInfo` (RFC 5480).
    private static let infoHead: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A, 0x86, 0x48,
        0xCE,
        0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    private func makeInEnclave() throws(CommandFailure) {
        do throws(Refusal) {
            let binding = KeyBinding(
                group: "", accessibility: ItemClass.key.defaultAccessibility, control: AccessControl.privateKeyUsage)
            guard case .key(let key) = try session.connection().key(.make(binding)) else {
                throw .malformed("the answer to a key request")
            }
            try add(key)
        } catch { throw .refused(call: Self.call, error) }
    }

    private func add(_ key: SealedKey) throws(Refusal) {
        let info = Self.infoHead + key.publicKey
        let publicKey: CertificateItem
        do throws(CommandFailure) {
            let read = ReadFile(file: SecretBytes(copying: info.span), passphrase: nil)
            guard let item = try CertificateProgram.perform(read, Self.call).items.first else { throw .shown }
            publicKey = item
        } catch { throw .malformed("the public key") }
        var builder = ItemRequestBuilder(.add)
        try builder.set("class", .string(ItemClass.key.code))
        try builder.set("labl", .string(label))
        try builder.set("kcls", .number(1))
        try builder.set("type", .string(KeyType.ecSECPrimeRandom.rawValue))
        try builder.set("bsiz", .number(256))
        try builder.set("tkid", .string("com.apple.setoken"))
        for use in ["sign", "decr", "drve"] { try builder.set(use, .boolean(true)) }
        builder.fill(.applicationLabel, .data(publicKey.keyHash))
        builder.fill(.sealedKey, .data(key.bytes))
        _ = try session.connection().send(try builder.build())
    }
}
