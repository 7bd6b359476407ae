import DER
import Foundation
import KeychainCrypto
import TestSupport
import Testing

@Suite("Certificates (RFC 5280)")
struct CertificateTests {
    @Test("Every field is what another implementation reads")
    func fields() throws {
        let all = try CertificateFacts.all.get()
        #expect(all.count > 40)
        for (name, facts) in all {
            let certificate = try fixture(name)
            #expect(certificate.version == facts.version, "\(name)")
            #expect(certificate.notBefore == facts.notBefore, "\(name)")
            #expect(certificate.notAfter == facts.notAfter, "\(name)")
            #expect(hexadecimal(certificate.subject.encoded) == facts.subject, "\(name)")
            #expect(hexadecimal(certificate.issuer.encoded) == facts.issuer, "\(name)")
            #expect(
                certificate.extensions.subjectKeyIdentifier.map(hexadecimal) == facts.subjectKeyIdentifier, "\(name)")
        }
    }

    @Test("The hash of the public key is that of its external representation, for keys of every type")
    func publicKeyHash() throws {
        for (name, facts) in try CertificateFacts.all.get() where name != "compressed" {
            let certificate = try fixture(name)
            #expect(hexadecimal(try certificate.publicKeyHash()) == facts.publicKeyHash, "\(name)")
            // The label is the value by which an identity's private key is found.
            let label = try certificate.subjectPublicKey().applicationLabel()
            #expect(hexadecimal(label) == facts.publicKeyHash, "\(name)")
        }
    }

    @Test("A compressed point is no key for programs, but the certificate can be read")
    func compressed() throws {
        let certificate = try fixture("compressed")
        #expect(certificate.commonName == "Compressed")
        #expect(throws: CryptoError.malformedKey) { try certificate.subjectPublicKey() }
    }

    @Test(
        "Serial numbers are the content of the integer",
        arguments: [
            ("serial-one", [1]), ("serial-high", [0, 0x80] + Array(repeating: 0, count: 15)), ("version1", [7]),
        ] as [(String, [UInt8])])
    func serialNumbers(name: String, bytes: [UInt8]) throws {
        #expect(try fixture(name).serialNumber == bytes)
    }

    @Test(
        "The summary is the common name, otherwise unit, organisation or address, otherwise anything",
        arguments: [
            ("server", "www.example.org"), ("name-ou", "Unit"), ("name-o", "Firm"), ("name-email", "who@example.org"),
            ("name-country", "DE"), ("name-empty", "nobody@example.org"), ("name-two", "second"),
            ("name-set", "in a set"),
            ("name-utf8", "  Jörg   Müller "), ("name-bmp", "Große Firma"),
        ])
    func summaries(name: String, summary: String) throws {
        #expect(try fixture(name).subjectSummary == summary)
    }

    @Test(
        "The common name is the last one; a certificate without has none",
        arguments: [("name-two", "second"), ("name-ou", nil), ("name-empty", nil)] as [(String, String?)])
    func commonNames(name: String, commonName: String?) throws {
        #expect(try fixture(name).commonName == commonName)
    }

    @Test("Addresses are those of the alternative names, then those of the subject")
    func addresses() throws {
        #expect(try fixture("mail").emailAddresses == ["ada@example.org", "countess@example.net", "Ada@Example.org"])
        #expect(try fixture("name-email").emailAddresses == ["who@example.org"])
        #expect(try fixture("server").emailAddresses.isEmpty)
    }

    @Test("60,000 addresses are told apart in a second, not in minutes")
    func manyAddresses() throws {
        let original = try CertificateFixtures.bytes("server.der")
        let parts = try DERElement(parsing: original.span).children
        var writer = DERWriter()
        try writer.element(.sequence) { writer in
            try writer.element(.sequence) { writer in
                for field in parts[0].children where field.tag != .explicit(3) {
                    writer.encoded(try field.encodedBytes(in: original.span))
                }
                writer.element(.explicit(3)) { $0.element(.sequence, addresses(60_000)) }
            }
            for part in parts.dropFirst() { writer.encoded(try part.encodedBytes(in: original.span)) }
        }
        let bytes = writer.bytes
        let certificate = try Certificate(parsing: bytes.span)
        var found: [String] = []
        let work = processorTime { found = certificate.emailAddresses }
        #expect(found.count == 60_000)
        // To compare each with all others takes minutes of a processor, to look for each in a set a second.
        #expect(work < 60)
    }

    /// The extension with so many different addresses.
    private func addresses(_ count: Int) -> [UInt8] {
        var names = DERWriter()
        names.element(.sequence) { names in
            for number in 0..<count { names.element(.implicit(1), Array("\(number)@b".utf8)) }
        }
        var writer = DERWriter()
        writer.element(.sequence) { writer in
            writer.objectIdentifier(.subjectAlternativeName)
            writer.element(.octetString, names.bytes)
        }
        return writer.bytes
    }

    @Test("Alternative names, usage and constraints are read")
    func extensions() throws {
        let server = try fixture("server").extensions
        #expect(server.dnsNames == ["www.example.org", "*.apps.example.org"])
        #expect(server.addresses.map(\.count) == [4, 16])
        #expect(server.addresses[0] == [192, 0, 2, 7])
        #expect(server.keyUsage == .digitalSignature)
        #expect(server.extendedKeyUsage == [DERObjectIdentifier(1, 3, 6, 1, 5, 5, 7, 3, 1)])
        #expect(server.isAuthority == nil)
        let root = try fixture("root").extensions
        #expect(root.isAuthority == true)
        #expect(root.keyUsage == [.keyCertSign, .crlSign])
    }

    @Test("Names are compared in upper case, without blanks at the ends and with single ones between")
    func normalized() throws {
        // The content of the sequence comes from openssl's asn1parse, with the two texts changed by hand.
        let expected = [
            "31123010060355040a13 09" + text("SOME FIRM"), "3113301106035504031 30a" + text("PLAIN NAME"),
        ].joined().replacing(" ", with: "")
        #expect(hexadecimal(try fixture("name-printable").subject.normalized) == expected)
        let utf8 = try fixture("name-utf8").subject
        #expect(hexadecimal(utf8.normalized).contains(text("JöRG MüLLER")))
        #expect(hexadecimal(utf8.normalized).contains(text("MüLLER & SöHNE")))
        // Strings of other types stay as they are.
        let bmp = try fixture("name-bmp").subject
        #expect(bmp.encoded.suffix(bmp.normalized.count) == bmp.normalized[...])
        let empty = try fixture("name-empty").subject
        #expect(empty.normalized.isEmpty && empty.encoded == [0x30, 0])
    }

    private func text(_ text: String) -> String { hexadecimal(Array(text.utf8)) }

    @Test("A name normalised once is not changed a second time, and both forms of it are equal")
    func idempotent() throws {
        for name in try CertificateFacts.all.get().keys {
            let subject = try fixture(name).subject
            var writer = DERWriter()
            writer.element(.sequence, subject.normalized)
            let bytes = writer.bytes
            #expect(try DistinguishedName(parsing: bytes.span).normalized == subject.normalized, "\(name)")
        }
    }

    @Test("The names of issuer and subject meet")
    func chain() throws {
        #expect(try fixture("server").issuer.normalized == fixture("intermediate").subject.normalized)
        #expect(try fixture("root").isSelfIssued)
        #expect(try !fixture("intermediate").isSelfIssued)
    }

    @Test("What is not exactly a certificate is none")
    func refused() throws {
        let bytes = try CertificateFixtures.bytes("server.der")
        for wrong in [
            [], [0x30, 0], bytes + [0], Array(bytes.dropLast()), Array(bytes.dropFirst()), [0x30, 3, 2, 1, 1],
        ] {
            #expect(throws: DERError.self) { try Certificate(parsing: wrong.span) }
        }
    }

    @Test("10,000 altered certificates are read or refused, here and by OpenSSL, and none is believed that was altered")
    func mutations() throws {
        var generator = SplitMix64(seed: 0xCE47)
        let originals = try ["server", "mail", "key-ed25519"].map { try CertificateFixtures.bytes("\($0).der") }
        var verifier = ChainVerifier()
        verifier.anchors = TrustAnchors([try fixture("root")])
        verifier.others = [try fixture("intermediate")]
        verifier.date = now()
        var (read, believed) = (0, 0)
        for round in 0..<10_000 {
            let original = originals[round % originals.count]
            let bytes = generator.mutate(original)
            guard let certificate = try? Certificate(parsing: bytes.span) else { continue }
            read += 1
            _ = (certificate.subjectSummary, certificate.emailAddresses, try? certificate.subjectPublicKey())
            guard round % 4 == 0 || bytes != original, let finding = try? verifier.verify(certificate) else { continue }
            if finding.problems.isEmpty, bytes != original { believed += 1 }
        }
        #expect(read > 500)
        #expect(believed == 0)
    }
}
