import Foundation
import KeychainCrypto
import LinuxSystem
import TestSupport
import Testing

@Suite("Chains of certificates (RFC 5280 section 6)")
struct ChainTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let problems: Set<ChainProblem>
        var others = ["intermediate"]
        var purpose = ChainVerifier.Purpose.tlsServer
        var host: String? = "www.example.org"
        var testDescription: String { "\(name) for \(host ?? "anybody")" }

        init(
            _ name: String, _ problems: Set<ChainProblem>, others: [String] = ["intermediate"],
            purpose: ChainVerifier.Purpose = .tlsServer, host: String? = "www.example.org"
        ) {
            (self.name, self.problems, self.others, self.purpose, self.host) = (name, problems, others, purpose, host)
        }
    }

    private static let certificates = [
        Case("server", []), Case("server-noeku", []), Case("server-expired", [.expired]),
        Case("server-future", [.notYetValid]), Case("server-clientonly", [.wrongPurpose]),
        Case("server-nonames", [.wrongName]), Case("server", [.missingIssuer], others: []),
        Case("server-toodeep", [.pathTooLong], others: ["below", "intermediate"]),
        Case("server-nosigning", [.mayNotSign], others: ["intermediate-no-signing"]),
        Case("server-constrained", [.nameNotAllowed], others: ["intermediate-constrained"]),
        Case("server-expired-issuer", [.expired], others: ["intermediate-expired"]),
        Case("server-by-leaf", [.notAnAuthority], others: ["server", "intermediate"]),
        Case("server-by-namesake", [.badSignature], others: []),
        Case("server-selfsigned", [.untrustedRoot], others: []),
        Case("server-critical", [.unknownCriticalExtension]), Case("server-weakkey", [.weakKey]),
        Case("server-sha1", [.weakDigest]), Case("client", [], purpose: .tlsClient, host: nil),
        Case("client", [.wrongPurpose], host: nil), Case("server", [.wrongPurpose], purpose: .tlsClient, host: nil),
        Case("root-other", [.untrustedRoot], others: [], purpose: .anything, host: nil),
        Case("root", [], others: [], purpose: .anything, host: nil), Case("mail", [], purpose: .mail, host: nil),
        Case("key-ed25519", [], others: [], purpose: .anything, host: nil),
        Case("key-rsa", [], others: [], purpose: .anything, host: nil),
    ]

    private static let hosts: [Case] = [
        ("WWW.Example.ORG", true), ("www.example.org.", true), ("a.apps.example.org", true),
        ("apps.example.org", false),
        ("a.b.apps.example.org", false), ("example.org", false), ("www.example.org.evil.net", false),
        ("192.0.2.7", true),
        ("192.0.2.8", false), ("2001:0DB8::0007", true), ("::ffff:192.0.2.7", false), ("2001:db8::7", true),
        ("2001:db8:0:0:0:0:0:7", true), ("2001:db8::8", false),
    ].map { host, isRight in Case("server", isRight ? [] : [.wrongName], host: host) }

    private static func verifier(_ test: Case) throws -> ChainVerifier {
        var verifier = ChainVerifier()
        verifier.anchors = TrustAnchors([try fixture("root")])
        verifier.others = try test.others.map(fixture)
        verifier.purpose = test.purpose
        verifier.name = test.host.map { .host($0) }
        verifier.date = now()
        return verifier
    }

    @Test("A chain is believed when nothing is wrong with it, and what is wrong has its name", arguments: certificates)
    func certificate(test: Case) throws {
        let finding = try Self.verifier(test).verify(try fixture(test.name))
        #expect(Set(finding.problems.map(\.problem)).isSuperset(of: test.problems))
        #expect(finding.problems.isEmpty == test.problems.isEmpty, "\(finding.problems)")
    }

    @Test("A server's names are compared as RFC 6125 says", arguments: hosts)
    func host(test: Case) throws {
        let finding = try Self.verifier(test).verify(try fixture(test.name))
        #expect(finding.problems.map(\.problem) == Array(test.problems))
    }

    @Test("The chain goes from the certificate to the anchor, also when the helpers are in disorder")
    func chain() throws {
        let test = Case("server", [], others: ["root-other", "root", "below", "intermediate", "server"])
        let finding = try Self.verifier(test).verify(try fixture("server"))
        #expect(finding.chain == [try fixture("server"), try fixture("intermediate"), try fixture("root")])
    }

    @Test("Any certificate may be the anchor, and nothing above it is asked for")
    func partial() throws {
        var verifier = try Self.verifier(Case("server", [], others: []))
        verifier.anchors = TrustAnchors([try fixture("intermediate")])
        #expect(try verifier.verify(try fixture("server")).problems.isEmpty)
        verifier.anchors = TrustAnchors([try fixture("server-selfsigned")])
        #expect(try verifier.verify(try fixture("server-selfsigned")).problems.isEmpty)
    }

    @Test("What is wrong is named with its place in the chain")
    func place() throws {
        let test = Case("server-expired-issuer", [], others: ["intermediate-expired"])
        let finding = try Self.verifier(test).verify(try fixture(test.name))
        #expect(finding.problems.map(\.place) == [1])
    }

    @Test("Signature algorithms that differ in an absent parameter are read, and the signature counts for nothing")
    func differingParameters() throws {
        let folder = try TemporaryDirectory()
        let (key, path) = (folder.file("key"), folder.file("certificate"))
        let made = try RunningProgram(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-subj", "/CN=Differs", "-days", "30",
                "-outform", "DER", "-out", path,
            ])
        try #require(made.waitForExit() == 0)
        let bytes = try AtomicFile.read(path, limit: 65536)
        let given = try Certificate(parsing: bytes.span)
        let without = try #require(Self.withoutOuterNull(bytes))
        let changed = try Certificate(parsing: without.span)
        #expect(changed.commonName == "Differs" && changed.publicKey == given.publicKey)
        var verifier = ChainVerifier()
        (verifier.anchors, verifier.date) = (TrustAnchors([given]), now())
        #expect(try verifier.verify(given).problems.isEmpty)
        #expect(try !verifier.verify(changed).problems.isEmpty)
    }

    /// The certificate without the NULL in the algorithm before its signature.
    private static func withoutOuterNull(_ bytes: [UInt8]) -> [UInt8]? {
        let name: [UInt8] = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 0x0b]
        let whole: [UInt8] = [0x30, 13] + name + [5, 0]
        let starts = (0..<bytes.count - whole.count).filter { Array(bytes[$0..<$0 + whole.count]) == whole }
        guard starts.count == 2, bytes[1] == 0x82 else { return nil }
        var changed = bytes
        changed.replaceSubrange(starts[1]..<starts[1] + whole.count, with: [0x30, 11] + name)
        let content = changed.count - 4
        (changed[2], changed[3]) = (UInt8(content >> 8), UInt8(content & 255))
        return changed
    }

    @Test("The date decides")
    func date() throws {
        var verifier = try Self.verifier(Case("server", []))
        verifier.date = try fixture("server").notAfter + 1
        #expect(try verifier.verify(try fixture("server")).problems.map(\.problem) == [.expired])
        verifier.date = try fixture("server-future").notBefore + 1
        #expect(try verifier.verify(try fixture("server-future")).problems.isEmpty)
        verifier.date = .nan
        #expect(try !verifier.verify(try fixture("server")).problems.isEmpty)
    }

    @Test("Without anchors nothing is believed")
    func noAnchors() throws {
        var verifier = try Self.verifier(Case("root", []))
        verifier.anchors = TrustAnchors([])
        #expect(try !verifier.verify(try fixture("root")).problems.isEmpty)
    }

    @Test(
        "A name that can be none is refused, also where it would stand for all below it or only looks like an address",
        arguments: [
            "", "a\u{0}b", "*.apps.example.org", ".example.org", ".org", ".", "..", "www..example.org",
            "www.example.org..",
            "192.0.2.07", "192.0.2.007", "0300.0.2.7", "0xc0.0.2.7", "192.0.519", "3221225991", "192.0.2.7.",
            "192.0.2.7 ",
            "[2001:db8::7]", "2001:db8::7%lo", "2001:db8:::7", "www.example.org:443", "www.example.org/",
            "www.example.1",
        ])
    func badHost(host: String) throws {
        let verifier = try Self.verifier(Case("server", [], host: host))
        #expect(throws: CryptoError.invalidParameter) { try verifier.verify(try fixture("server")) }
    }

    @Test("The verdict is that of the openssl command", arguments: certificates.filter { $0.host != nil })
    func sameAsCommand(test: Case) throws {
        let folder = try TemporaryDirectory()
        func write(_ names: [String], _ file: String) throws {
            let text = try names.map { try PEMText.certificate($0) }.joined()
            try Data(text.utf8).write(to: URL(filePath: folder.file(file)))
        }
        try write(["root"], "root.pem")
        try write(test.others, "others.pem")
        try write([test.name], "leaf.pem")
        let untrusted = test.others.isEmpty ? [] : ["-untrusted", folder.file("others.pem")]
        let command = try RunningProgram(
            "/usr/bin/env",
            ["openssl", "verify", "-CAfile", folder.file("root.pem"), "-no-CApath", "-no-CAstore", "-auth_level", "2"]
                + untrusted
                + ["-purpose", test.purpose == .tlsServer ? "sslserver" : "sslclient", folder.file("leaf.pem")])
        // Without other names the command compares the common name; it is not asked for that.
        let expected = test.problems.isEmpty || test.problems == [.wrongName]
        #expect((command.waitForExit() == 0) == expected)
    }

    @Test("The system's anchors are read once, and again when the file has changed")
    func bundle() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("bundle.pem")
        #expect(throws: SystemError.self) { try TrustAnchors.bundle(at: path) }
        try Data(PEMText.certificate("root-other").utf8).write(to: URL(filePath: path))
        var verifier = try Self.verifier(Case("server", []))
        verifier.anchors = try TrustAnchors.bundle(at: path)
        #expect(try !verifier.verify(try fixture("server")).problems.isEmpty)
        try Data((PEMText.certificate("root-other") + PEMText.certificate("root")).utf8).write(to: URL(filePath: path))
        verifier.anchors = try TrustAnchors.bundle(at: path)
        #expect(try verifier.verify(try fixture("server")).problems.isEmpty)
    }
}

enum PEMText {
    static func certificate(_ name: String) throws -> String {
        let base64 = Data(try CertificateFixtures.bytes("\(name).der")).base64EncodedString(
            options: .lineLength64Characters)
        return "-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----\n"
    }
}
