import LinuxSystem
import Testing

@testable import KeychainCrypto

@Suite("Wycheproof", .enabled(if: Wycheproof.folder != nil, Wycheproof.note))
struct WycheproofTests {
    struct Ciphers: Decodable {
        let keySize: Int
        let ivSize: Int
        let tests: [Test]

        struct Test: Decodable {
            let tcId: Int
            let key, iv, aad, msg, ct, tag, result: String
        }
    }

    @Test("AES-GCM: every valid box is made and opened, every other is refused")
    func aesGCM() throws {
        let file = try WycheproofFile<Ciphers>("aes_gcm_test.json")
        var run = 0
        for group in file.testGroups {
            for test in group.tests {
                run += 1
                if group.keySize != 256 {
                    // This format has only keys of 256 bits.
                    #expect(throws: CryptoError.invalidParameter) { try AESGCM(key: bytes(test.key)) }
                } else if group.ivSize != 96 {
                    // It also has only nonces of 96 bits. With any other nonce the box has the wrong length for its
                    // content, and the bytes in the places of nonce and ciphertext do not authenticate.
                    #expect(opened(test) == nil, "case \(test.tcId)")
                } else {
                    try check(test)
                }
            }
        }
        #expect(run == file.numberOfTests)
    }

    private func check(_ test: Ciphers.Test) throws {
        if test.result == "valid" {
            let context = try GCMContext()
            try context.setKey(bytes(test.key).span)
            let sealed = try context.seal(bytes(test.msg), nonce: bytes(test.iv), aad: bytes(test.aad))
            #expect(sealed == bytes(test.ct) + bytes(test.tag), "case \(test.tcId)")
            #expect(opened(test) == bytes(test.msg), "case \(test.tcId)")
        } else {
            #expect(opened(test) == nil, "case \(test.tcId)")
        }
    }

    private func opened(_ test: Ciphers.Test) -> [UInt8]? {
        var output: [UInt8] = []
        do {
            let box = bytes(test.iv) + bytes(test.ct) + bytes(test.tag)
            try AESGCM(key: bytes(test.key)).open(box, aad: bytes(test.aad), leaving: &output)
        } catch {
            #expect(output.allSatisfy { $0 == 0 } || error == .boxTooShort, "case \(test.tcId)")
            return nil
        }
        return output
    }

    struct MACs: Decodable {
        let tagSize: Int
        let tests: [Test]

        struct Test: Decodable {
            let tcId: Int
            let key, msg, tag, result: String
        }
    }

    @Test("HMAC-SHA256: every valid digest is computed, every other is not")
    func hmac() throws {
        let file = try WycheproofFile<MACs>("hmac_sha256_test.json")
        var run = 0
        for group in file.testGroups {
            for test in group.tests {
                run += 1
                let digest = try KeyedDigest(key: bytes(test.key))
                try digest.update(bytes(test.msg))
                var tag = [UInt8](repeating: 0, count: group.tagSize / 8)
                var span = tag.mutableSpan
                try digest.finish(into: &span)
                #expect(ConstantTime.areEqual(tag, bytes(test.tag)) == (test.result == "valid"), "case \(test.tcId)")
            }
        }
        #expect(run == file.numberOfTests)
    }

    struct Derivations: Decodable {
        let tests: [Test]

        struct Test: Decodable {
            let tcId, size: Int
            let ikm, salt, info, okm, result: String
        }
    }

    @Test("HKDF-SHA256: every valid key is derived, sizes that do not exist are refused")
    func hkdf() throws {
        let file = try WycheproofFile<Derivations>("hkdf_sha256_test.json")
        var run = 0
        for test in file.testGroups.flatMap(\.tests) {
            run += 1
            let derive = { () throws(CryptoError) in
                try HKDF.derive(
                    from: bytes(test.ikm), salt: bytes(test.salt), info: bytes(test.info),
                    count: test.size)
            }
            if test.result == "valid" {
                #expect(hexadecimal(try derive()) == test.okm, "case \(test.tcId)")
            } else {
                #expect(throws: CryptoError.invalidParameter, "case \(test.tcId)") { try derive() }
            }
        }
        #expect(run == file.numberOfTests)
    }
}
