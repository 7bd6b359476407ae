import CommandOptions
import DER
import KeychainModel
import KeychainWire
import LinuxSystem

/// `attest-key`: lets the TPM say of an enclave key that it was made in it.
enum AttestKey {
    private static let call = "attest-key"

    static let command = Command(
        "attest-key", "Let the TPM prove that a key was made in it.",
        synopsis: "[-k file | -l label -t tag] -n nonce -o folder",
        options: [
            CommandOption("k", value: "file", "The key itself, as its program wrote it (kSecAttrTokenOID)."),
            CommandOption("l", value: "label", "Match the label."),
            CommandOption("t", value: "tag", "Match the application tag."),
            CommandOption("n", value: "nonce", "What the verifier has chosen: 1 to 32 bytes in hexadecimal."),
            CommandOption("o", value: "folder", "The folder to write to; made if it is not there."),
        ],
        notes: [
            """
            By label and tag, only keys of the access group of `security` itself are found; a key of any other program \
            is given with -k. It is attested, not used. scripts/verify-attestation checks what is written, with \
            nothing but openssl. See docs/guides/device.md.
            """
        ]
    ) { arguments, session throws(CommandFailure) in try attest(arguments, session) }

    private static func attest(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) {
        guard let folder = arguments.value("o")?.text, let nonce = arguments.value("n")?.text.hexBytes else {
            throw .refused(call: call, .nonceOrFolderMissing)
        }
        let key = if let file = arguments.value("k") { try readKey(file.text) } else { try findKey(arguments, session) }
        let output = try session.use(key, KeyUse(KeyUse.attestation, nonce), call)
        do throws(Refusal) { try save(try KeyAttestation(decoding: output), to: folder) } catch {
            throw .refused(call: call, error)
        }
    }

    /// The key in a file: `dataRepresentation`, or the attribute `kSecAttrTokenOID`.
    private static func readKey(_ path: String) throws(CommandFailure) -> SealedKey {
        do throws(Refusal) {
            let bytes: SecretBytes
            do throws(SystemError) { bytes = try AtomicFile.readSecret(path, limit: largestKey) } catch {
                throw .unreadableKey(path, error)
            }
            return try SealedKey(decoding: bytes)
        } catch { throw .refused(call: call, error) }
    }

    private static let largestKey = 64 << 10

    private static func findKey(_ arguments: ParsedArguments, _ session: Session) throws(CommandFailure) -> SealedKey {
        let response = try session.send(call) { () throws(Refusal) in
            var builder = ItemRequestBuilder(.copyMatching)
            try builder.set("class", .string(ItemClass.key.code))
            for (letter, code) in [("l", "labl"), ("t", "atag")] as [(Character, String)] {
                if let value = arguments.value(letter) { try builder.set(code, .string(value.text)) }
            }
            try builder.set("m_Limit", .string("m_LimitOne"))
            try builder.set("r_Ref", .boolean(true))
            return try builder.build()
        }
        guard let item = response.items.first else { throw .refused(call: call, .nothingFound) }
        do throws(Refusal) {
            guard let key = try item.attributes.sealedKey() else { throw .extractableKey }
            return key
        } catch { throw .refused(call: call, error) }
    }

    static func save(_ attestation: KeyAttestation, to folder: String) throws(Refusal) {
        let files: [(String, [UInt8])] = [
            ("key.pem", PublicKeyText.pem(attestation.keyPoint)), ("key.tpmt", attestation.key),
            ("attestation-key.pem", PublicKeyText.pem(attestation.attestationPoint)),
            ("attestation-key.tpmt", attestation.attestationKey),
            ("certify.attest", attestation.certification.attest),
            ("certify.sig", PublicKeyText.signature(attestation.certification.signature)),
            ("quote.attest", attestation.quote.attest),
            ("quote.sig", PublicKeyText.signature(attestation.quote.signature)),
        ]
        do throws(SystemError) {
            try PrivateDirectory.ensure(folder)
            for (name, content) in files {
                try AtomicFile.replace("\(folder)/\(name)", with: content.span, mode: 0o644)
            }
        } catch {
            throw Refusal(
                .io, .unavailable, folder, "The attestation cannot be written (\(error)).",
                do: "Choose a folder of your own.")
        }
    }
}

/// The forms in which openssl takes public keys and signatures on P-256.
enum PublicKeyText {
    /// A SubjectPublicKeyInfo up to the point (RFC 5480).
    private static let head: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48,
        0xce,
        0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    /// PEM (RFC 7468) of a point `04 ‖ X ‖ Y`.
    static func pem(_ point: [UInt8]) -> [UInt8] {
        let key = head + point
        return Array(PEM.text(label: "PUBLIC KEY", key.span).utf8)
    }

    /// ECDSA-Sig-Value (RFC 3279) of `r ‖ s`.
    static func signature(_ numbers: [UInt8]) -> [UInt8] {
        var writer = DERWriter()
        writer.element(.sequence) { sequence in
            for number in [numbers.prefix(32), numbers.suffix(32)] {
                let digits = Array(number.drop { $0 == 0 })
                sequence.element(.integer, (digits.first ?? 0x80) >= 0x80 ? [0] + digits : digits)
            }
        }
        return writer.bytes
    }
}

extension String {
    /// The bytes of hexadecimal digits, 1 to 32; nil when it is something else.
    fileprivate var hexBytes: [UInt8]? {
        let digits = utf8.map { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count % 2 == 0, (1...32).contains(digits.count / 2) else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = digits[index], let low = digits[index + 1] else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}

extension Refusal {
    fileprivate static var nonceOrFolderMissing: Refusal {
        Refusal(
            .param, .wrongValue, "attest-key",
            "A folder (-o) and a nonce of 1 to 32 bytes in hexadecimal (-n) are needed.",
            do: "Take the nonce from the verifier; openssl rand -hex 32 makes one.")
    }

    fileprivate static func unreadableKey(_ path: String, _ error: SystemError) -> Refusal {
        Refusal(
            .io, .unavailable, path, "The key cannot be read (\(error)).",
            do: "Have its program write kSecAttrTokenOID of SecKeyCopyAttributes to a file.")
    }

    fileprivate static var extractableKey: Refusal {
        Refusal(
            .notAvailable, .unavailable, "key", "The key was not made in a TPM, so no TPM can attest it.",
            do: "Make one with kSecAttrTokenIDSecureEnclave in a keychain that rests on the TPM.")
    }
}
