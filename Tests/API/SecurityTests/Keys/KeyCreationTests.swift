import Security
import TestSupport
import Testing

@Suite("Keys are made and read")
struct KeyCreationTests {
    @Test(
        "SecKeyCreateRandomKey makes a key of every type and size that is allowed", .rule("keys.create.random"),
        arguments: [
            (kSecAttrKeyTypeRSA as String, 1024, 128), (kSecAttrKeyTypeRSA as String, 1032, 129),
            (kSecAttrKeyTypeEC as String, 256, 32), (kSecAttrKeyTypeEC as String, 384, 48),
            (kSecAttrKeyTypeEC as String, 521, 66), (kSecAttrKeyTypeEd25519 as String, 256, 32),
            (kSecAttrKeyTypeX25519 as String, 256, 32),
        ])
    func sizes(_ type: String, bits: Int, blockSize: Int) throws {
        let key = try #require(makeKey(type as CFString, bits).value)
        #expect(SecKeyGetBlockSize(key) == blockSize)
        #expect((SecKeyCopyAttributes(key) as? [String: Any])?["bsiz"] as? Int == bits)
        #expect(CFGetTypeID(key) == SecKeyGetTypeID())
    }

    @Test(
        "a size that is not allowed is −50, and the explanation names those that are",
        .rule("keys.create.random", "keys.type.sizes"),
        arguments: [
            (kSecAttrKeyTypeRSA as String, 511), (kSecAttrKeyTypeRSA as String, 8193),
            (kSecAttrKeyTypeRSA as String, 8200),
            (kSecAttrKeyTypeRSA as String, 0), (kSecAttrKeyTypeRSA as String, -2048),
            (kSecAttrKeyTypeRSA as String, Int.max), (kSecAttrKeyTypeEC as String, 191),
            (kSecAttrKeyTypeEC as String, 225), (kSecAttrKeyTypeEC as String, 255), (kSecAttrKeyTypeEC as String, 512),
            (kSecAttrKeyTypeX25519 as String, 255), (kSecAttrKeyTypeEd25519 as String, 448),
            // OpenSSL would make a key that is one bit shorter.
            (kSecAttrKeyTypeRSA as String, 2049), (kSecAttrKeyTypeRSA as String, 4095),
        ])
    func refusedSizes(_ type: String, bits: Int) {
        let made = makeKey(type as CFString, bits)
        #expect(made.value == nil)
        #expect(made.code == Int(errSecParam))
        #expect(made.explanation?.contains("Ask for") == true)
    }

    @Test(
        "RSA of 512 bits, RSA of sizes that are no multiple of 8, P-192 and P-224 are made, kept and used",
        arguments: [
            (kSecAttrKeyTypeRSA as String, 512), (kSecAttrKeyTypeRSA as String, 768),
            (kSecAttrKeyTypeRSA as String, 1023), (kSecAttrKeyTypeRSA as String, 1025),
            (kSecAttrKeyTypeRSA as String, 2047), (kSecAttrKeyTypeEC as String, 192),
            (kSecAttrKeyTypeEC as String, 224),
        ])
    func weakSizes(_ type: String, bits: Int) throws {
        let key = try #require(makeKey(type as CFString, bits).value)
        #expect((SecKeyCopyAttributes(key) as? [String: Any])?["bsiz"] as? Int == bits)
        #expect(SecKeyGetBlockSize(key) == (bits + 7) / 8)
        let data = try #require(external(key))
        let attributes: Attributes = [kSecAttrKeyType: type, kSecAttrKeyClass: kSecAttrKeyClassPrivate]
        let made = unsafe outcome { unsafe SecKeyCreateWithData(data as CFData, attributes as CFDictionary, $0) }
        let read = try #require(made.value)
        let algorithm: SecKeyAlgorithm =
            type == kSecAttrKeyTypeRSA as String
            ? .rsaSignatureMessagePKCS1v15SHA256 : .ecdsaSignatureMessageX962SHA256
        let signature = try #require(sign(read, algorithm, Data("message".utf8)).value)
        #expect(verify(publicKey(key), algorithm, Data("message".utf8), signature).value == true)
        #expect(verify(publicKey(key), algorithm, Data("another".utf8), signature).code == Int(errSecVerifyFailed))
        try withKeychain { _ in
            #expect(add([kSecValueRef: key, kSecAttrLabel: "weak"]) == errSecSuccess)
            let found = find([kSecClass: kSecClassKey, kSecAttrLabel: "weak", kSecReturnRef: true]).object as? SecKey
            #expect(found == key)
        }
    }

    @Test(
        "A symmetric key is not made of data: −4, whatever its type",
        arguments: [kSecAttrKeyTypeAES as String, "42", "0"])
    func symmetric(type: String) {
        let attributes: Attributes = [kSecAttrKeyType: type, kSecAttrKeyClass: kSecAttrKeyClassSymmetric]
        let data = NSData(data: Data(count: 16))
        let made = unsafe outcome { unsafe SecKeyCreateWithData(data, attributes as CFDictionary, $0) }
        #expect(made.value == nil)
        #expect(made.code == Int(errSecUnimplemented))
    }

    @Test("An error describes itself in the form of Apple's")
    func appleForm() {
        let text = makeKey(kSecAttrKeyTypeEC, 255).explanation ?? ""
        #expect(text.hasPrefix("The operation couldn’t be completed. (OSStatus error -50 - A key of type"))
        #expect(text.hasSuffix(")"))
    }

    @Test("A size with a fraction is no size")
    func fractions() {
        #expect(makeKey([kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 1024.5]).code == Int(errSecParam))
        #expect(makeKey([kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 1024.0]).value != nil)
    }

    @Test(
        "type and size are required; numbers may be text; nothing else will do",
        .rule("keys.create.random", "keys.type.sizes"))
    func parameters() {
        #expect(makeKey([kSecAttrKeyType: kSecAttrKeyTypeEC]).code == Int(errSecParam))
        #expect(makeKey([kSecAttrKeySizeInBits: 256]).code == Int(errSecParam))
        #expect(makeKey([kSecAttrKeyType: 73, kSecAttrKeySizeInBits: "256"]).value != nil)
        #expect(makeKey([kSecAttrKeyType: true, kSecAttrKeySizeInBits: 256]).code == Int(errSecParam))
        #expect(makeKey([kSecAttrKeyType: kSecAttrKeyTypeDSA, kSecAttrKeySizeInBits: 1024]).code == Int(errSecParam))
        #expect(makeKey([kSecAttrKeyType: "EC", kSecAttrKeySizeInBits: 256]).code == Int(errSecParam))
        #expect(makeKey([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: "many"]).code == Int(errSecParam))
        #expect(
            makeKey([kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256, kSecPrivateKeyAttrs: 1]).code
                == Int(errSecParam))
    }

    @Test(
        "the Secure Enclave makes elliptic curve keys of 256 bits only; the explanation says so",
        .rule("keys.enclave.size"),
        arguments: [
            (kSecAttrKeyTypeEC as String, 384), (kSecAttrKeyTypeEC as String, 521),
            (kSecAttrKeyTypeRSA as String, 2048), (kSecAttrKeyTypeEd25519 as String, 256),
        ])
    func enclaveSizes(_ type: String, bits: Int) {
        let made = makeKey([
            kSecAttrKeyType: type, kSecAttrKeySizeInBits: bits, kSecAttrTokenID: kSecAttrTokenIDSecureEnclave,
        ])
        #expect(made.value == nil)
        #expect(made.code == Int(errSecParam))
        #expect(made.explanation?.contains("256 bits only") == true)
    }

    @Test("A token nobody knows is −4", .rule("keys.create.token"))
    func unknownToken() {
        let made = makeKey([
            kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256, kSecAttrTokenID: "com.example.token",
        ])
        #expect(made.code == Int(errSecUnimplemented))
    }

    @Test("SecKeyGeneratePair gives both halves, and a status instead of an error", .rule("keys.create.pair"))
    func pair() throws {
        var (publicKey, privateKey): (SecKey?, SecKey?)
        let parameters: Attributes = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256]
        #expect(unsafe SecKeyGeneratePair(parameters as CFDictionary, &publicKey, &privateKey) == errSecSuccess)
        let (half, other) = (try #require(publicKey), try #require(privateKey))
        #expect(SecKeyCopyPublicKey(other) == half)
        #expect(half != other)
        let wrong: Attributes = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 193]
        #expect(SecKeyGeneratePair(wrong as CFDictionary, nil, nil) == errSecParam)
        #expect(SecCopyLastItemError()?.rule == "key.size")
    }

    @Test("the public key comes from the private one, and from itself", .rule("keys.public.copy"))
    func publicHalf() {
        for key in Keys.all {
            let half = publicKey(key)
            #expect(SecKeyCopyPublicKey(half) === half)
            #expect(publicKey(key) == half)
            #expect(publicKey(key).hash == half.hash)
            #expect(half != key)
        }
    }

    @Test("both halves leave as data and come back as the same keys", .rule("keys.public.export"))
    func representations() throws {
        let sizes = [97, 145, 199]
        for (key, size) in zip(Keys.curves, sizes) {
            #expect(external(key)?.count == size)
            #expect(external(publicKey(key))?.count == size - (size - 1) / 3)
            #expect(external(publicKey(key))?.first == 4)
        }
        #expect(external(Keys.ed25519)?.count == 32)
        for key in Keys.all {
            let type = try #require((SecKeyCopyAttributes(key) as? [String: Any])?["type"] as? String) as CFString
            let read = importKey(try #require(external(key)), type, kSecAttrKeyClassPrivate).value
            #expect(read == key)
            #expect(read.flatMap(external) == external(key))
            let half = importKey(try #require(external(publicKey(key))), type, kSecAttrKeyClassPublic).value
            #expect(half == publicKey(key))
        }
    }

    @Test(
        "SecKeyCreateWithData takes class and type as numbers, and refuses what is no such key",
        .rule("keys.create.random", "keys.type.sizes", "keys.form.import", "keys.form.errors"))
    func reading() throws {
        let data = try #require(external(Keys.p256))
        let numbers = ["type": 73, "kcls": 1] as CFDictionary
        #expect(SecKeyCreateWithData(data as CFData, numbers, nil) == Keys.p256)
        #expect(importKey(data, kSecAttrKeyTypeEC, kSecAttrKeyClassPublic).code == Int(errSecParam))
        #expect(importKey(data, kSecAttrKeyTypeRSA, kSecAttrKeyClassPrivate).code == Int(errSecParam))
        #expect(importKey(Data(), kSecAttrKeyTypeEC, kSecAttrKeyClassPrivate).code == Int(errSecParam))
        #expect(importKey(data, kSecAttrKeyTypeEC, kSecAttrKeyClassSymmetric).code == Int(errSecUnimplemented))
        #expect(importKey(data, kSecAttrKeyTypeEC, "7").code == Int(errSecParam))
        let missing = unsafe outcome { unsafe SecKeyCreateWithData(data as CFData, ["type": 73] as CFDictionary, $0) }
        #expect(missing.code == Int(errSecParam))
        let token = ["type": 73, "kcls": 1, "tkid": kSecAttrTokenIDSecureEnclave] as [String: Any] as CFDictionary
        #expect(unsafe outcome { unsafe SecKeyCreateWithData(data as CFData, token, $0) }.value == nil)
    }

    @Test(
        "SecKeyCreateWithData reads a public RSA key as SubjectPublicKeyInfo, and nothing else that way",
        .rule("keys.form.import", "keys.form.errors"))
    func readingSubjectPublicKeyInfo() throws {
        let key = publicKey(try #require(makeKey(kSecAttrKeyTypeRSA, 2048).value))
        let pkcs1 = try #require(external(key))
        let frame: [UInt8] = [
            0x30, 0x82, 0x01, 0x22, 0x30, 0x0D, 0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01, 0x05,
            0x00, 0x03, 0x82, 0x01, 0x0F, 0x00,
        ]
        let whole = Data(frame) + pkcs1
        let read = importKey(whole, kSecAttrKeyTypeRSA, kSecAttrKeyClassPublic).value
        #expect(read == key)
        #expect(read.flatMap(external) == pkcs1)
        for data in [whole + Data([0]), whole.dropLast()] {
            #expect(importKey(data, kSecAttrKeyTypeRSA, kSecAttrKeyClassPublic).code == Int(errSecParam))
        }
        #expect(importKey(whole, kSecAttrKeyTypeEC, kSecAttrKeyClassPublic).code == Int(errSecParam))
        #expect(importKey(whole, kSecAttrKeyTypeRSA, kSecAttrKeyClassPrivate).code == Int(errSecParam))
    }

    @Test(
        "A key describes itself in Apple's words: a public one with its numbers, a private one without",
        .rule("keys.type.description"))
    func description() throws {
        let kind = "<SecKeyRef curve type: kSecECCurveSecp256r1, algorithm id: 3, key type: EC"
        let size = ", version: 4, block size: 256 bits"
        #expect(Keys.p256.description.hasPrefix("\(kind)PrivateKey\(size), addr: 0x"))
        let half = publicKey(Keys.p256)
        let point = [UInt8](try #require(external(half)))
        func hex(_ bytes: ArraySlice<UInt8>) -> String { bytes.map { String(format: "%02X", $0) }.joined() }
        let numbers = ", y: \(hex(point[33...])), x: \(hex(point[1..<33])), addr: 0x"
        #expect((CFCopyDescription(half) as String).hasPrefix("\(kind)PublicKey\(size)\(numbers)"))
    }

    @Test("The description of an RSA key names modulus and exponent", .rule("keys.type.description"))
    func descriptionOfRSA() throws {
        let key = try #require(makeKey(kSecAttrKeyTypeRSA, 1024).value)
        let kind = "<SecKeyRef algorithm id: 1, key type: RSA"
        let size = ", version: 4, block size: 1024 bits"
        #expect(key.description.hasPrefix("\(kind)PrivateKey\(size), addr: 0x"))
        let pkcs1 = [UInt8](try #require(external(publicKey(key))))
        // SEQUENCE, INTEGER with a zero in front of the modulus, INTEGER 65537.
        let modulus = pkcs1[7..<135].map { String(format: "%02X", $0) }.joined()
        let numbers = ", exponent: {hex: 10001, decimal: 65537}, modulus: \(modulus), addr: 0x"
        #expect(publicKey(key).description.hasPrefix("\(kind)PublicKey\(size)\(numbers)"))
    }
}
