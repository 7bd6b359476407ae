import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainCrypto

@Suite("Private keys under a passphrase")
struct EncryptedKeyTests {
    private func secret(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8).span) }

    @Test("a key opens with its passphrase and with no other", arguments: [KeyType.ed25519, .ecSECPrimeRandom])
    func opens(type: KeyType) throws {
        let key = try PrivateKey.generate(type, bits: 256)
        let sealed = try key.encryptedPrivateKeyInfo(secret("correct horse"))
        let opened = try sealed.withSpan { (bytes) throws(CryptoError) in
            try PrivateKey(encryptedPrivateKeyInfo: bytes, secret("correct horse"))
        }
        #expect(opened.publicKey.external() == key.publicKey.external())
        for wrong in ["", "correct", "correct horse "] {
            let failed = failure { () throws(CryptoError) in
                try sealed.withSpan { (bytes) throws(CryptoError) in
                    try PrivateKey(encryptedPrivateKeyInfo: bytes, secret(wrong))
                }
            }
            #expect(failed == .authenticationFailed || failed == .malformedKey)
        }
    }

    @Test("an empty passphrase is one too; one that is too long is none")
    func lengths() throws {
        let key = try PrivateKey.generate(.ed25519, bits: 256)
        let sealed = try key.encryptedPrivateKeyInfo(secret(""))
        let opened = try sealed.withSpan { (bytes) throws(CryptoError) in
            try PrivateKey(encryptedPrivateKeyInfo: bytes, secret(""))
        }
        #expect(opened.publicKey.external() == key.publicKey.external())
        #expect(throws: CryptoError.invalidParameter) {
            try key.encryptedPrivateKeyInfo(secret(String(repeating: "x", count: 5000)))
        }
    }

    @Test("a file that asks for more work than a key is worth is refused at once")
    func work() throws {
        // PBES2 { PBKDF2 { salt, 2 000 000 000 iterations }, AES-256-CBC }, 16 bytes.
        let file = bytes(
            "3060304c06092a864886f70d01050d303f301e06092a864886f70d01050c3011040801010101010101010205007735940030"
                + "1d060960864801650304012a041002020202020202020202020202020202041003030303030303030303030303030303")
        let failed = failure { () throws(CryptoError) in
            try PrivateKey(encryptedPrivateKeyInfo: file.span, secret("x"))
        }
        #expect(failed == .malformedKey)
    }
}

@Suite("Digests of pieces")
struct RunningDigestTests {
    @Test("the pieces' borders do not matter")
    func pieces() throws {
        let message = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        for hash in HashFunction.allCases {
            let running = try DigestContext(hash)
            for start in stride(from: 0, to: 1000, by: 7) {
                try running.update(message[start..<min(1000, start + 7)].span)
            }
            try running.update([UInt8]().span)
            #expect(try running.finish() == Digest.of(message.span, hash))
        }
    }
}
