import KeychainCrypto
import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@Suite("PKCS#12 files (RFC 7292)")
struct PKCS12Tests {
    private func open(_ bytes: [UInt8], _ passphrase: String) throws(PKCS12.Failure) -> PKCS12 {
        let text = Array(passphrase.utf8)
        return try PKCS12(bytes.span, passphrase: SecretBytes(copying: text.span))
    }

    private func open(_ name: String, _ passphrase: String = "secret") throws -> PKCS12 {
        try open(try CertificateFixtures.bytes("\(name).p12"), passphrase)
    }

    @Test(
        "Files of every kind that openssl writes are opened, with key, certificates and names",
        arguments: [
            ("aes", "secret"), ("aes128", "secret"), ("des3", "secret"), ("legacy", "secret"), ("plain", "secret"),
            ("nomac", "secret"), ("empty", ""), ("unicode", "pässwörd €"),
        ])
    func kinds(name: String, passphrase: String) throws {
        let content = try open(name, passphrase)
        let identity = try #require(content.identities.first)
        #expect(content.identities.count == 1)
        #expect(identity.certificate == (try fixture("server")))
        #expect(identity.label == "the server")
        #expect(identity.keyID?.count == 20)
        let certificates = Set(content.certificates)
        #expect(certificates == [try fixture("server"), try fixture("intermediate"), try fixture("root")])
        #expect(identity.key.publicKey.external() == identity.certificate.publicKey)
    }

    @Test(
        "Keys of every type come with their certificate",
        arguments: [("rsa", KeyType.rsa), ("ed25519", .ed25519), ("p521", .ecSECPrimeRandom)])
    func types(name: String, type: KeyType) throws {
        let identity = try #require(try open(name).identities.first)
        #expect(identity.key.type == type)
        let written = try CertificateFixtures.bytes("key-\(name).key")
        let key = try PrivateKey(privateKeyInfo: written.span)
        #expect(try identity.key.external().isEqual(to: key.external()))
    }

    @Test("A file without keys has certificates and no identity")
    func noKey() throws {
        let content = try open("nokey")
        #expect(content.identities.isEmpty)
        #expect(content.certificates == [try fixture("intermediate")])
    }

    @Test("Another passphrase is a wrong one", arguments: ["aes", "des3", "legacy", "nomac", "unicode", "empty"])
    func wrongPassphrase(name: String) {
        for passphrase in ["Secret", "other", String(repeating: "x", count: 5000), "a\u{0}b"] {
            #expect(throws: PKCS12.Failure.wrongPassphrase) { try open(name, passphrase) }
        }
    }

    @Test("What is no such file is malformed")
    func malformed() throws {
        let bytes = try CertificateFixtures.bytes("aes.p12")
        let certificate = try CertificateFixtures.bytes("server.der")
        for wrong in [[], [0x30, 0], bytes + [0], Array(bytes.dropLast()), certificate] {
            #expect(throws: PKCS12.Failure.malformed) { try open(wrong, "secret") }
        }
    }

    @Test("A file that asks for hours of work, or is as large as no file is, is refused at once")
    func tooMuch() throws {
        // The number of 100,000 iterations, in the MAC and for each cipher, is replaced by 8,388,607.
        let bytes = try CertificateFixtures.bytes("hundredthousand.p12")
        #expect(try open(bytes, "secret").identities.count == 1)
        let passes: [UInt8] = [0x02, 0x03, 0x01, 0x86, 0xA0]
        let places = bytes.indices.filter { bytes[$0...].starts(with: passes) }
        #expect(places.count == 3)
        for place in places {
            var slow = bytes
            slow.replaceSubrange(place..<place + 5, with: [0x02, 0x03, 0x7F, 0xFF, 0xFF])
            let failure = failure { () throws(PKCS12.Failure) in try open(slow, "secret") }
            // Nothing behind the MAC is read before the MAC is verified.
            #expect(failure == (place == places.last ? .tooLarge : .wrongPassphrase))
        }
        let huge = [UInt8](repeating: 0x30, count: PKCS12.mostBytes + 1)
        #expect(throws: PKCS12.Failure.tooLarge) { try open(huge, "secret") }
    }

    @Test("2,000 altered files are opened or refused")
    func mutations() throws {
        var generator = SplitMix64(seed: 0x12)
        let originals = try ["plain", "nomac", "des3"].map { try CertificateFixtures.bytes("\($0).p12") }
        var refused = 0
        for round in 0..<2_000 {
            let bytes = generator.mutate(originals[round % originals.count])
            if (try? open(bytes, "secret")) == nil { refused += 1 }
        }
        #expect(refused > 500)
    }
}
