import KeychainModel
import LinuxSystem
import Testing

@testable import KeychainCrypto

@Suite("Wycheproof: keys", .enabled(if: Wycheproof.folder != nil, Wycheproof.note))
struct KeyWycheproofTests {
    // MARK: - Signatures

    struct Signatures: Decodable {
        let sha: String?
        let publicKey: Point?
        let publicKeyAsn: String?
        let tests: [Test]

        struct Point: Decodable {
            let uncompressed: String?
            let pk: String?
        }

        struct Test: Decodable {
            let tcId: Int
            let flags: [String]
            let msg, sig, result: String
        }

        func key(_ type: KeyType) throws -> PublicKey {
            let digits = try #require(publicKeyAsn ?? publicKey?.uncompressed ?? publicKey?.pk)
            return try PublicKey(external: bytes(digits).span, type: type)
        }
    }

    struct SignatureFile: Sendable, CustomTestStringConvertible {
        let name: String
        let type: KeyType
        let algorithm: String
        var testDescription: String { name }

        init(_ name: String, _ type: KeyType, _ algorithm: String) {
            (self.name, self.type, self.algorithm) = (name, type, algorithm)
        }

        static let all = [
            Self("ecdsa_secp256r1_sha256_test.json", .ecSECPrimeRandom, "ECDSA:message-X962:SHA256"),
            Self("ecdsa_secp256r1_sha512_test.json", .ecSECPrimeRandom, "ECDSA:message-X962:SHA512"),
            Self("ecdsa_secp384r1_sha384_test.json", .ecSECPrimeRandom, "ECDSA:message-X962:SHA384"),
            Self("ecdsa_secp521r1_sha512_test.json", .ecSECPrimeRandom, "ECDSA:message-X962:SHA512"),
            Self("ecdsa_secp256r1_sha256_p1363_test.json", .ecSECPrimeRandom, "ECDSA:message-RFC4754:SHA256"),
            Self("ecdsa_secp384r1_sha384_p1363_test.json", .ecSECPrimeRandom, "ECDSA:message-RFC4754:SHA384"),
            Self("ecdsa_secp521r1_sha512_p1363_test.json", .ecSECPrimeRandom, "ECDSA:message-RFC4754:SHA512"),
            Self("ed25519_test.json", .ed25519, "EdDSA:message-Curve25519:SHA512"),
            Self("rsa_pss_2048_sha1_mgf1_20_test.json", .rsa, "RSA:message-PSS:SHA1:SHA1:20"),
            Self("rsa_pss_2048_sha256_mgf1_32_test.json", .rsa, "RSA:message-PSS:SHA256:SHA256:32"),
            Self("rsa_pss_2048_sha384_mgf1_48_test.json", .rsa, "RSA:message-PSS:SHA384:SHA384:48"),
            Self("rsa_signature_2048_sha256_test.json", .rsa, "RSA:message-PKCS1v15:SHA256"),
            Self("rsa_signature_2048_sha512_test.json", .rsa, "RSA:message-PKCS1v15:SHA512"),
            Self("rsa_signature_3072_sha256_test.json", .rsa, "RSA:message-PKCS1v15:SHA256"),
            Self("rsa_signature_4096_sha512_test.json", .rsa, "RSA:message-PKCS1v15:SHA512"),
        ]
    }

    @Test("Signatures: every valid one is verified, every other is not", arguments: SignatureFile.all)
    func signatures(_ source: SignatureFile) throws {
        let file = try WycheproofFile<Signatures>(source.name)
        let algorithm = try #require(KeyAlgorithm(name: "algid:sign:" + source.algorithm))
        var run = 0
        for group in file.testGroups {
            let key = try group.key(source.type)
            for test in group.tests {
                run += 1
                let isValid = try key.verify(bytes(test.sig).span, of: bytes(test.msg).span, algorithm)
                let expected = WycheproofDecision.accepts(result: test.result, flags: test.flags)
                #expect(isValid == expected, "case \(test.tcId) \(test.flags)")
            }
        }
        #expect(run == file.numberOfTests)
    }

    // MARK: - Key exchange

    struct Exchanges: Decodable {
        let curve: String
        let tests: [Test]

        struct Test: Decodable {
            let tcId: Int
            let flags: [String]
            let `public`, `private`, shared, result: String
        }
    }

    @Test(
        "ECDH with points: every valid secret is computed, every other peer is refused",
        arguments: [
            ("ecdh_secp256r1_ecpoint_test.json", 256), ("ecdh_secp384r1_ecpoint_test.json", 384),
            ("ecdh_secp521r1_ecpoint_test.json", 521),
        ])
    func exchangesWithPoints(_ name: String, bits: Int) throws {
        try checkExchanges(name) { test throws(CryptoError) in
            let key = try PrivateKey(scalar: bytes(padded(test.private)), bits: bits)
            return try key.agree(with: bytes(test.public).span, .ecdh, parameters: KeyParameters())
        }
    }

    @Test("ECDH with SubjectPublicKeyInfo: every valid secret is computed, every other peer is refused")
    func exchangesWithInfo() throws {
        try checkExchanges("ecdh_secp256r1_test.json") { test throws(CryptoError) in
            let key = try PrivateKey(scalar: bytes(padded(test.private)), bits: 256)
            let peer = try PublicKey(subjectPublicKeyInfo: bytes(test.public).span)
            return try key.agree(with: peer, .ecdh, parameters: KeyParameters())
        }
    }

    @Test("X25519: every secret is computed but those of points of low order, which are refused")
    func x25519() throws {
        try checkExchanges("x25519_test.json") { test throws(CryptoError) in
            let key = try PrivateKey(external: bytes(test.private).span, type: .x25519)
            return try key.agree(with: bytes(test.public).span, .ecdh, parameters: KeyParameters())
        }
    }

    private func checkExchanges(
        _ name: String, by exchange: (Exchanges.Test) throws(CryptoError) -> SecretBytes
    ) throws {
        let file = try WycheproofFile<Exchanges>(name)
        var run = 0
        for test in file.testGroups.flatMap(\.tests) {
            run += 1
            switch WycheproofDecision.accepts(result: test.result, flags: test.flags) {
            case true?:
                #expect(try hexadecimal(exchange(test)) == test.shared, "case \(test.tcId) \(test.flags)")
            case false?:
                #expect(throws: CryptoError.self, "case \(test.tcId) \(test.flags)") { try exchange(test) }
            case nil: Issue.record("case \(test.tcId) \(test.flags): nobody has decided")
            }
        }
        #expect(run == file.numberOfTests)
    }

    // MARK: - Encryption

    struct Ciphertexts: Decodable {
        let privateKeyPkcs8: String
        let tests: [Test]

        struct Test: Decodable {
            let tcId: Int
            let flags: [String]
            let msg, ct, label, result: String
        }
    }

    @Test(
        "OAEP: every valid ciphertext without a label is decrypted, every other is refused",
        arguments: ["SHA1", "SHA256", "SHA512"])
    func oaep(_ hash: String) throws {
        let lower = hash.lowercased()
        let file = try WycheproofFile<Ciphertexts>("rsa_oaep_2048_\(lower)_mgf1\(lower)_test.json")
        let algorithm = try #require(KeyAlgorithm(name: "algid:encrypt:RSA:OAEP:\(hash)"))
        var run = 0
        for group in file.testGroups {
            let key = try PrivateKey(privateKeyInfo: bytes(group.privateKeyPkcs8).span)
            for test in group.tests {
                run += 1
                // Apple's OAEP has no label, so a ciphertext with a label was made for another algorithm.
                if test.result == "valid", test.label.isEmpty {
                    let plaintext = try key.decrypt(bytes(test.ct).span, algorithm)
                    #expect(hexadecimal(plaintext) == test.msg, "case \(test.tcId)")
                } else {
                    #expect(throws: CryptoError.self, "case \(test.tcId)") {
                        try key.decrypt(bytes(test.ct).span, algorithm)
                    }
                }
            }
        }
        #expect(run == file.numberOfTests)
    }
}

/// Wycheproof writes private keys as numbers, without a leading zero digit or with a whole leading zero byte.
private func padded(_ digits: String) -> String { digits.count.isMultiple(of: 2) ? digits : "0" + digits }
