import LinuxSystem
import Security
import TestSupport
import Testing

@Suite("The older functions for keys", .rule("keys.legacy.padding"))
struct LegacyKeyFunctionTests {
    private func rawSign(_ key: SecKey, _ padding: SecPadding, _ input: [UInt8], room: Int = 1024) -> (OSStatus, Data) {
        var output = [UInt8](repeating: 0, count: room)
        var size = room
        let status = unsafe SecKeyRawSign(key, padding, input, input.count, &output, &size)
        return (status, Data(status == errSecSuccess ? Array(output.prefix(size)) : []))
    }

    private func rawVerify(_ key: SecKey, _ padding: SecPadding, _ input: [UInt8], _ signature: Data) -> OSStatus {
        unsafe SecKeyRawVerify(key, padding, input, input.count, [UInt8](signature), signature.count)
    }

    @Test("SecKeyRawSign with PKCS1 and a digest is ECDSA over it, as X9.62", .rule("keys.legacy.sign"))
    func digest() {
        let digest = Randomness.bytes(32)
        let (status, signature) = rawSign(Keys.p256, .PKCS1, digest)
        #expect(status == errSecSuccess)
        let half = publicKey(Keys.p256)
        #expect(rawVerify(half, .PKCS1, digest, signature) == errSecSuccess)
        #expect(verify(half, .ecdsaSignatureDigestX962SHA256, Data(digest), signature).value == true)
        #expect(rawVerify(half, .PKCS1, Randomness.bytes(32), signature) == errSSLCrypto)
        #expect(rawVerify(half, .PKCS1, digest, signature.dropLast()) == errSSLCrypto)
        #expect(rawSign(Keys.p256, .PKCS1, Randomness.bytes(20)).0 == errSecSuccess)
        #expect(rawSign(Keys.p256, .PKCS1, Randomness.bytes(65)).0 == errSecParam)
    }

    static let paddings: [(padding: SecPadding, rsa: SecKeyAlgorithm?, curve: SecKeyAlgorithm?, size: Int)] = [
        ([], .rsaSignatureRaw, .ecdsaSignatureDigestX962, 32),
        (.PKCS1, .rsaSignatureDigestPKCS1v15Raw, .ecdsaSignatureDigestX962, 32),
        (.OAEP, nil, nil, 32),
        (.sigRaw, nil, .ecdsaSignatureRFC4754, 32),
        (.PKCS1MD2, nil, nil, 16),
        (.PKCS1MD5, SecKeyAlgorithm("algid:sign:RSA:digest-PKCS1v15:MD5"), nil, 16),
        (.PKCS1SHA1, .rsaSignatureDigestPKCS1v15SHA1, .ecdsaSignatureDigestX962SHA1, 20),
        (.PKCS1SHA224, .rsaSignatureDigestPKCS1v15SHA224, .ecdsaSignatureDigestX962SHA224, 28),
        (.PKCS1SHA256, .rsaSignatureDigestPKCS1v15SHA256, .ecdsaSignatureDigestX962SHA256, 32),
        (.PKCS1SHA384, .rsaSignatureDigestPKCS1v15SHA384, .ecdsaSignatureDigestX962SHA384, 48),
        (.PKCS1SHA512, .rsaSignatureDigestPKCS1v15SHA512, .ecdsaSignatureDigestX962SHA512, 64),
    ]

    @Test("A padding means the algorithm of the table, for both kinds of keys", arguments: paddings.indices)
    func table(_ index: Int) {
        let row = Self.paddings[index]
        check(Keys.p256, row.padding, row.curve, row.size)
        check(Keys.rsa1024, row.padding, row.rsa, row.padding.isEmpty ? 128 : row.size)
        check(Keys.ed25519, row.padding, nil, row.size)
    }

    private func check(_ key: SecKey, _ padding: SecPadding, _ algorithm: SecKeyAlgorithm?, _ size: Int) {
        var input = Randomness.bytes(size)
        input[0] = 0
        let (status, signature) = rawSign(key, padding, input)
        // MD5 signatures of other programs are verified. No new ones are made.
        if padding == .PKCS1MD5 { return #expect(status == errSecParam) }
        guard let algorithm else {
            #expect(status == errSecParam)
            #expect(rawVerify(publicKey(key), padding, input, Data(count: 64)) == errSecParam)
            return
        }
        #expect(status == errSecSuccess)
        #expect(verify(publicKey(key), algorithm, Data(input), signature).value == true)
        #expect(rawVerify(publicKey(key), padding, input, signature) == errSecSuccess)
    }

    @Test(
        "Too little room, a wrong half and a negative length are −50, with an explanation", .rule("keys.legacy.errors"))
    func refusals() {
        let digest = Randomness.bytes(32)
        #expect(rawSign(Keys.p256, .sigRaw, digest, room: 63).0 == errSecParam)
        #expect(SecCopyLastItemError()?.problem.contains("64 bytes") == true)
        #expect(rawSign(Keys.p256, .sigRaw, digest, room: 64).0 == errSecSuccess)
        #expect(rawSign(publicKey(Keys.p256), .sigRaw, digest).0 == errSecParam)
        #expect(rawVerify(Keys.p256, .sigRaw, digest, Data(count: 64)) == errSecParam)
        // An RSA private key is taken, and no signature fits it.
        let signature = rawSign(Keys.rsa1024, .PKCS1SHA256, digest).1
        #expect(rawVerify(publicKey(Keys.rsa1024), .PKCS1SHA256, digest, signature) == errSecSuccess)
        #expect(rawVerify(Keys.rsa1024, .PKCS1SHA256, digest, signature) == errSSLCrypto)
        var output = [UInt8](repeating: 0, count: 64)
        var size = 64
        #expect(unsafe SecKeyRawSign(Keys.p256, .sigRaw, digest, -1, &output, &size) == errSecParam)
        size = -1
        #expect(unsafe SecKeyRawSign(Keys.p256, .sigRaw, digest, 32, &output, &size) == errSecParam)
    }

    @Test(
        "SecKeyEncrypt and SecKeyDecrypt pad as the table says; without padding leading zeros are left out",
        .rule("keys.legacy.raw-decrypt"))
    func encryption() {
        let plaintext: [UInt8] = Array("a secret".utf8)
        for (padding, algorithm) in [
            (SecPadding.PKCS1, SecKeyAlgorithm.rsaEncryptionPKCS1), (.OAEP, .rsaEncryptionOAEPSHA1),
        ] {
            let ciphertext = rawEncrypt(publicKey(Keys.rsa1024), padding, plaintext)
            #expect(decrypt(Keys.rsa1024, algorithm, Data(ciphertext)).value == Data(plaintext))
            #expect(rawDecrypt(Keys.rsa1024, padding, ciphertext) == plaintext)
            #expect(rawDecrypt(Keys.rsa1024, padding, Array(ciphertext.dropLast())).isEmpty)
        }
        let block = [UInt8](repeating: 0, count: 120) + plaintext
        #expect(rawDecrypt(Keys.rsa1024, [], rawEncrypt(publicKey(Keys.rsa1024), [], block)) == plaintext)
        #expect(rawEncrypt(publicKey(Keys.p256), .PKCS1, plaintext).isEmpty)
        #expect(rawEncrypt(publicKey(Keys.rsa1024), .sigRaw, plaintext).isEmpty)
    }

    private func rawEncrypt(_ key: SecKey, _ padding: SecPadding, _ input: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 512)
        var size = output.count
        let status = unsafe SecKeyEncrypt(key, padding, input, input.count, &output, &size)
        return status == errSecSuccess ? Array(output.prefix(size)) : []
    }

    private func rawDecrypt(_ key: SecKey, _ padding: SecPadding, _ input: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 512)
        var size = output.count
        let status = unsafe SecKeyDecrypt(key, padding, input, input.count, &output, &size)
        return status == errSecSuccess ? Array(output.prefix(size)) : []
    }

    @Test("Untyped memory is taken too, as from C (SE-0324)")
    func untyped() {
        let digest = Data(Randomness.bytes(32))
        let room = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 1)
        defer { unsafe room.deallocate() }
        var size = 64
        let status = unsafe digest.withUnsafeBytes { bytes in
            unsafe SecKeyRawSign(Keys.p256, .sigRaw, bytes.baseAddress!, 32, room, &size)
        }
        #expect(status == errSecSuccess)
        let signature = unsafe Data(bytes: room, count: size)
        #expect(verify(publicKey(Keys.p256), .ecdsaSignatureDigestRFC4754SHA256, digest, signature).value == true)
    }
}
