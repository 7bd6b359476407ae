import Foundation
import KeychainCrypto
import LinuxSystem
import TestSupport
import Testing

@Suite("A host against the name constraints of its chain (RFC 5280, 4.2.1.10)")
struct HostConstraintTests {
    /// A root, an authority that may vouch for all of example.com but one host, and a certificate for a wildcard.
    private struct Chain {
        let root: Certificate
        let authority: Certificate
        let leaf: Certificate

        init(constraints: String) throws {
            let folder = try TemporaryDirectory()
            let signs = ["basicConstraints=critical,CA:TRUE", "keyUsage=critical,keyCertSign"]
            root = try Self.make("root", signs, by: nil, folder)
            let limited = signs + ["nameConstraints=critical,\(constraints)"]
            authority = try Self.make("authority", limited, by: "root", folder)
            let names = ["subjectAltName=DNS:*.example.com,DNS:plain.example.com", "extendedKeyUsage=serverAuth"]
            leaf = try Self.make("leaf", names, by: "authority", folder)
        }

        private static func make(
            _ name: String, _ extensions: [String], by issuer: String?, _ folder: TemporaryDirectory
        ) throws -> Certificate {
            let head = "[req]\ndistinguished_name=n\nprompt=no\nx509_extensions=v3\n[n]\nCN=\(name)\n[v3]\n"
            let text = head + extensions.joined(separator: "\n") + "\n"
            try Data(text.utf8).write(to: URL(filePath: folder.file("\(name).cnf")))
            let signer = issuer.map { ["-CA", folder.file("\($0).der"), "-CAkey", folder.file("\($0).key")] } ?? []
            let made = try RunningProgram(
                "/usr/bin/openssl",
                [
                    "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "300",
                    "-config", folder.file("\(name).cnf"), "-keyout", folder.file("\(name).key"), "-outform", "DER",
                    "-out", folder.file("\(name).der"),
                ] + signer)
            try #require(made.waitForExit() == 0)
            let bytes = try AtomicFile.read(folder.file("\(name).der"), limit: 65536)
            return try Certificate(parsing: bytes.span)
        }

        func problems(for host: String?) throws -> [ChainProblem] {
            var verifier = ChainVerifier()
            (verifier.anchors, verifier.others) = (TrustAnchors([root]), [authority])
            (verifier.purpose, verifier.date) = (.tlsServer, now())
            verifier.name = host.map { .host($0) }
            return try verifier.verify(leaf).problems.map(\.problem)
        }
    }

    @Test(
        "A host that an authority excludes is refused, though a wildcard of the certificate covers it",
        .rule("trust.policy.excluded-host"))
    func excluded() throws {
        let chain = try Chain(constraints: "permitted;DNS:example.com,excluded;DNS:secret.example.com")
        for host in ["www.example.com", "secrets.example.com", "plain.example.com"] {
            #expect(try chain.problems(for: host).isEmpty, "\(host)")
        }
        for host in ["secret.example.com", "SECRET.example.com", "secret.example.com."] {
            #expect(try chain.problems(for: host) == [.nameNotAllowed], "\(host)")
        }
        #expect(try chain.problems(for: nil).isEmpty)
        #expect(try chain.problems(for: "a.secret.example.com") == [.wrongName, .nameNotAllowed])
    }

    @Test("Constraints that exclude nothing of the wildcard change nothing", .rule("trust.policy.excluded-host"))
    func permitted() throws {
        let chain = try Chain(constraints: "permitted;DNS:example.com,permitted;DNS:example.org")
        #expect(try chain.problems(for: "www.example.com").isEmpty)
        #expect(try chain.problems(for: "www.example.org") == [.wrongName])
    }
}
