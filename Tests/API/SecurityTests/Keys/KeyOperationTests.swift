import LinuxSystem
import Security
import TestSupport
import Testing

@Suite("Operations with keys", .rule("keys.use.sign", "keys.algorithm.table"))
struct KeyOperationTests {
    private let message = Data("a server's challenge".utf8)

    @Test(
        "a signature made with .ecdsaSignatureMessageX962SHA256 is verified with the public key alone",
        .rule("keys.use.sign"))
    func messageSignature() throws {
        let key = Keys.p256
        let signature = try #require(sign(key, .ecdsaSignatureMessageX962SHA256, message).value)
        #expect(signature.first == 0x30)
        let half = try #require(importKey(external(publicKey(key))!, kSecAttrKeyTypeEC, kSecAttrKeyClassPublic).value)
        #expect(verify(half, .ecdsaSignatureMessageX962SHA256, message, signature).value == true)
        let other = verify(half, .ecdsaSignatureMessageX962SHA256, message + [0], signature)
        #expect(other.value == nil)
        #expect(other.code == Int(errSecVerifyFailed))
    }

    @Test(
        "26 bytes, the point of 65 and base64 in lines of 64 are a PEM with which openssl verifies",
        .rule("keys.public.pem"))
    func articlesPEM() throws {
        let point = try #require(external(publicKey(Keys.p256)))
        #expect(point.count == 65)
        let header = Data(hexadecimal: "3059301306072A8648CE3D020106082A8648CE3D030107034200")
        #expect(header.count == 26)
        let text = (header + point).base64EncodedString()
        let lines = stride(from: 0, to: text.count, by: 64).map { text.dropFirst($0).prefix(64) }
        let pem = (["-----BEGIN PUBLIC KEY-----"] + lines + ["-----END PUBLIC KEY-----", ""]).joined(separator: "\n")
        let signature = try #require(sign(Keys.p256, .ecdsaSignatureMessageX962SHA256, message).value)
        #expect(try OpenSSLCommand.verifies(signature, of: message, pem: pem))
        #expect(try !OpenSSLCommand.verifies(signature, of: message + [0], pem: pem))
        let foreign = try #require(sign(Keys.p384, .ecdsaSignatureMessageX962SHA256, message).value)
        #expect(try !OpenSSLCommand.verifies(foreign, of: message, pem: pem))
    }

    @Test(
        "A digest of another length than the algorithm's is −50, not signed and not verified",
        .rule("keys.algorithm.digest-length"))
    func digestLengths() {
        for size in [0, 19, 21, 31, 33, 64] {
            #expect(sign(Keys.p256, .ecdsaSignatureDigestX962SHA256, Data(count: size)).code == Int(errSecParam))
            #expect(sign(Keys.rsa2048, .rsaSignatureDigestPKCS1v15SHA256, Data(count: size)).code == Int(errSecParam))
            #expect(sign(Keys.rsa2048, .rsaSignatureDigestPSSSHA256, Data(count: size)).code == Int(errSecParam))
            let checked = verify(
                publicKey(Keys.p256), .ecdsaSignatureDigestX962SHA256, Data(count: size), Data(count: 70))
            #expect(checked.code == Int(errSecParam))
        }
        // A message in place of a digest would be cut off.
        #expect(sign(Keys.p256, .ecdsaSignatureDigestX962, Data(count: 65)).code == Int(errSecParam))
        #expect(sign(Keys.p256, .ecdsaSignatureDigestX962, Data(count: 64)).value != nil)
        #expect(sign(Keys.p256, .ecdsaSignatureDigestX962, Data()).code == Int(errSecParam))
    }

    @Test("A signature of any other length is −67808, whatever the algorithm", .rule("keys.use.verify"))
    func signatureLengths() {
        let cases: [(SecKey, SecKeyAlgorithm)] = [
            (Keys.p521, .ecdsaSignatureMessageRFC4754SHA512), (Keys.p256, .ecdsaSignatureMessageX962SHA1),
            (Keys.rsa1024, .rsaSignatureMessagePKCS1v15SHA256), (Keys.rsa1024, .rsaSignatureMessagePSSSHA1),
            (Keys.ed25519, .edDSASignatureMessageCurve25519SHA512),
        ]
        for (key, algorithm) in cases {
            for size in [0, 1, 63, 65, 127, 129, 131, 133, 70000] {
                let checked = verify(publicKey(key), algorithm, message, Data(repeating: 1, count: size))
                #expect(checked.code == Int(errSecVerifyFailed), "\(algorithm.rawValue) \(size)")
            }
        }
    }

    @Test("r ‖ s has twice the size of the field, also when a number begins with zeros")
    func plainSignatures() throws {
        for (key, size) in zip(Keys.curves, [64, 96, 132]) {
            for _ in 0..<50 {
                let signature = try #require(sign(key, .ecdsaSignatureMessageRFC4754SHA256, message).value)
                #expect(signature.count == size)
                #expect(verify(publicKey(key), .ecdsaSignatureMessageRFC4754SHA256, message, signature).value == true)
            }
        }
    }

    @Test("A ciphertext that was changed anywhere, cut or made longer is −50", .rule("keys.use.decrypt"))
    func changedCiphertexts() throws {
        let cases: [(SecKey, SecKeyAlgorithm)] = [
            (Keys.p256, .eciesEncryptionStandardX963SHA256AESGCM),
            (Keys.p384, .eciesEncryptionCofactorVariableIVX963SHA384AESGCM),
            (Keys.rsa1024, .rsaEncryptionOAEPSHA256AESGCM), (Keys.rsa1024, .rsaEncryptionOAEPSHA1),
        ]
        for (key, algorithm) in cases {
            let whole = try #require(encrypt(publicKey(key), algorithm, message).value)
            #expect(decrypt(key, algorithm, whole).value == message)
            for index in whole.indices {
                var changed = whole
                changed[index] ^= 1 << UInt8(index % 8)
                #expect(decrypt(key, algorithm, changed).code == Int(errSecParam), "\(algorithm.rawValue) \(index)")
            }
            for size in 0..<whole.count {
                #expect(decrypt(key, algorithm, whole.prefix(size)).code == Int(errSecParam))
            }
            #expect(decrypt(key, algorithm, whole + [0]).code == Int(errSecParam))
        }
    }

    @Test("AES-GCM takes nothing and much: 0 bytes and 1 MiB")
    func contentSizes() throws {
        for size in [0, 1, 1 << 20] {
            let content = Data(Randomness.bytes(size))
            let curves = try #require(
                encrypt(publicKey(Keys.p256), .eciesEncryptionStandardVariableIVX963SHA256AESGCM, content).value)
            #expect(curves.count == 65 + size + 16)
            #expect(decrypt(Keys.p256, .eciesEncryptionStandardVariableIVX963SHA256AESGCM, curves).value == content)
            let modulus = try #require(encrypt(publicKey(Keys.rsa2048), .rsaEncryptionOAEPSHA512AESGCM, content).value)
            #expect(modulus.count == 256 + size + 16)
            #expect(decrypt(Keys.rsa2048, .rsaEncryptionOAEPSHA512AESGCM, modulus).value == content)
        }
    }

    @Test("A plaintext for which the padding leaves no room is −50")
    func plaintextSizes() {
        let half = publicKey(Keys.rsa2048)
        let most: [(SecKeyAlgorithm, Int)] = [
            (.rsaEncryptionPKCS1, 245), (.rsaEncryptionOAEPSHA1, 214), (.rsaEncryptionOAEPSHA256, 190),
            (.rsaEncryptionOAEPSHA512, 126),
        ]
        for (algorithm, size) in most {
            #expect(encrypt(half, algorithm, Data(count: size)).value?.count == 256)
            #expect(encrypt(half, algorithm, Data(count: size + 1)).code == Int(errSecParam))
        }
        #expect(encrypt(half, .rsaEncryptionRaw, Data(count: 257)).code == Int(errSecParam))
        #expect(encrypt(half, .rsaEncryptionRaw, Data(repeating: 0xff, count: 256)).code == Int(errSecParam))
        #expect(sign(Keys.rsa2048, .rsaSignatureRaw, Data(repeating: 0xff, count: 256)).code == Int(errSecParam))
    }

    @Test(
        "Without padding RSA takes less than its modulus, with zeros before it, and gives it back without them",
        .rule("keys.algorithm.raw"))
    func rawBlocks() throws {
        let (own, half) = (Keys.rsa2048, publicKey(Keys.rsa2048))
        for input in [Data([5]), Data(repeating: 7, count: 100), Data([1]) + Data(count: 200)] {
            let ciphertext = try #require(encrypt(half, .rsaEncryptionRaw, input).value)
            #expect(ciphertext == encrypt(half, .rsaEncryptionRaw, Data(count: 256 - input.count) + input).value)
            #expect(decrypt(own, .rsaEncryptionRaw, ciphertext).value == input)
            let signature = try #require(sign(own, .rsaSignatureRaw, input).value)
            #expect(signature.count == 256)
            #expect(verify(half, .rsaSignatureRaw, input, signature).value == true)
            #expect(verify(half, .rsaSignatureRaw, Data([9]), signature).code == Int(errSecVerifyFailed))
            // The public key inverts the operation of the private key.
            #expect(decrypt(half, .rsaEncryptionRaw, signature).value == input)
        }
        #expect(sign(own, .rsaSignatureRaw, Data(count: 257)).code == Int(errSecParam))
        let padded = try #require(encrypt(half, .rsaEncryptionPKCS1, Data([1])).value)
        #expect(decrypt(half, .rsaEncryptionPKCS1, padded).code == Int(errSecParam))
        #expect(decrypt(half, .rsaEncryptionRaw, Data(count: 255)).code == Int(errSecParam))
    }

    @Test("An RSA private key reports that it verifies, and no signature fits it", .rule("keys.use.verify"))
    func privateKeyVerifiesNothing() throws {
        let (own, half) = (Keys.rsa2048, publicKey(Keys.rsa2048))
        for algorithm in [
            SecKeyAlgorithm.rsaSignatureRaw, .rsaSignatureMessagePKCS1v15SHA256, .rsaSignatureMessagePSSSHA256,
        ] {
            let signature = try #require(sign(own, algorithm, message).value)
            #expect(SecKeyIsAlgorithmSupported(own, .verify, algorithm))
            #expect(verify(half, algorithm, message, signature).value == true)
            #expect(verify(own, algorithm, message, signature).code == Int(errSecVerifyFailed))
        }
        #expect(verify(own, .ecdsaSignatureMessageX962SHA256, message, message).code == Int(errSecParam))
    }

    @Test("An exchange takes the parameters that go with it, and no others", .rule("keys.algorithm.parameters"))
    func exchangeParameters() {
        let (own, peer) = (Keys.p256, publicKey(makeKey(kSecAttrKeyTypeEC, 256).value!))
        let derives = SecKeyAlgorithm.ecdhKeyExchangeStandardX963SHA256
        #expect(exchange(own, derives, peer).code == Int(errSecParam))
        for size in [0, -1, 65537, Int.max] {
            #expect(exchange(own, derives, peer, ["requestedSize": size]).code == Int(errSecParam))
        }
        #expect(exchange(own, derives, peer, ["requestedSize": "32"]).code == Int(errSecParam))
        #expect(exchange(own, derives, peer, ["requestedSize": 32, "more": 1]).code == Int(errSecParam))
        // An exchange without a derivation ignores parameters.
        for plain in [SecKeyAlgorithm.ecdhKeyExchangeStandard, .ecdhKeyExchangeCofactor] {
            let shared = exchange(own, plain, peer).value
            #expect(shared?.count == 32)
            #expect(exchange(own, plain, peer, ["requestedSize": 16, "sharedInfo": message]).value == shared)
            let wrong: [String: Any] = ["requestedSize": "x", "sharedInfo": -5, "more": 1]
            #expect(exchange(own, plain, peer, wrong).value == shared)
        }
        let names =
            [
                SecKeyKeyExchangeParameter.requestedSize.rawValue as String: 32,
                SecKeyKeyExchangeParameter.sharedInfo.rawValue as String: message,
            ] as [String: Any]
        let constants: [SecKeyKeyExchangeParameter: Any] = [.requestedSize: 32, .sharedInfo: message]
        let first = exchange(own, derives, peer, names).value
        #expect(first?.count == 32)
        let second = unsafe outcome {
            unsafe SecKeyCopyKeyExchangeResult(own, derives, peer, constants as CFDictionary, $0) as Data?
        }
        #expect(second.value == first)
    }

    @Test("A peer of another type or size is −50", .rule("keys.use.exchange"))
    func foreignPeers() {
        for key in [Keys.p256, Keys.x25519] {
            for peer in Keys.all where peer != key {
                #expect(exchange(key, .ecdhKeyExchangeStandard, publicKey(peer)).code == Int(errSecParam))
            }
        }
    }

    @Test("Many threads use one key at once")
    func threads() {
        let (key, half) = (Keys.p256, publicKey(Keys.p256))
        let message = message
        DispatchQueue.concurrentPerform(iterations: 200) { _ in
            let signature = sign(key, .ecdsaSignatureMessageX962SHA256, message).value
            #expect(verify(half, .ecdsaSignatureMessageX962SHA256, message, signature ?? Data()).value == true)
        }
    }
}
