import DER
import KeychainCrypto
import LinuxSystem
import TestSupport
import Testing

@Suite("PKCS#12 files that ask for too much work")
struct PKCS12WorkTests {
    /// The refusal of such a file; nil when it opens.
    private func refusal(_ file: [UInt8]) -> PKCS12.Failure? {
        let text = Array("secret".utf8)
        return failure { () throws(PKCS12.Failure) in
            _ = try PKCS12(file.span, passphrase: SecretBytes(copying: text.span))
        }
    }

    /// A key bag encrypted with PBKDF2 and this number of iterations; its content is meaningless.
    private func shrouded(passes: UInt64) -> [UInt8] {
        PKCS12Maker.bag(.shroudedKeyBag, PKCS12Maker.sealed(PKCS12Maker.derivation(.pbkdf2, [passes])))
    }

    /// The same with scrypt.
    private func shrouded(scrypt factors: [UInt64]) -> [UInt8] {
        PKCS12Maker.bag(.shroudedKeyBag, PKCS12Maker.sealed(PKCS12Maker.derivation(.scrypt, factors)))
    }

    @Test("Passes are added up over all bags before the first of them is computed", .rule("certificates.file.work"))
    func bags() {
        // A bag that does not decrypt has another passphrase.
        #expect(refusal(PKCS12Maker.file([[shrouded(passes: 2000)]])) == .wrongPassphrase)
        #expect(refusal(PKCS12Maker.file([[shrouded(passes: 5_000_001)]])) == .tooLarge)
        let half = shrouded(passes: 2_500_001)
        #expect(refusal(PKCS12Maker.file([[half, half]])) == .tooLarge)
    }

    @Test("Passes are added up over all encrypted safes")
    func safes() {
        let safe = { (passes: UInt64) in
            PKCS12Maker.encryptedSafe(PKCS12Maker.derivation(.pbkdf2, [passes]))
        }
        #expect(refusal(PKCS12Maker.file(safes: [safe(2000)])) == .wrongPassphrase)
        #expect(refusal(PKCS12Maker.file(safes: [safe(2_500_001), safe(2_500_001)])) == .tooLarge)
    }

    @Test("The work of scrypt is the product of its factors")
    func scrypt() {
        #expect(refusal(PKCS12Maker.file([[shrouded(scrypt: [1024, 8, 1])]])) == .wrongPassphrase)
        // This is within OpenSSL's limits, and a quarter of an hour's work.
        #expect(refusal(PKCS12Maker.file([[shrouded(scrypt: [1 << 15, 1, 1 << 16])]])) == .tooLarge)
        #expect(refusal(PKCS12Maker.file([[shrouded(scrypt: [1 << 62, 1 << 62, 1 << 62])]])) == .tooLarge)
    }

    @Test("Safes and bags are counted")
    func parts() {
        let bag = PKCS12Maker.bag(.unknownBag, PKCS12Maker.element(.null, []))
        #expect(refusal(PKCS12Maker.file([Array(repeating: bag, count: PKCS12.mostParts - 1)])) == nil)
        #expect(refusal(PKCS12Maker.file([Array(repeating: bag, count: PKCS12.mostParts)])) == .tooLarge)
        #expect(refusal(PKCS12Maker.file(Array(repeating: [], count: PKCS12.mostParts + 1))) == .tooLarge)
    }

    @Test("A key whose public half would take minutes to compute is not read")
    func foreignKey() {
        let bag = PKCS12Maker.bag(.keyBag, signatureKey(bytes: 20_000))
        #expect(refusal(PKCS12Maker.file([[bag]])) == .unsupportedKey)
    }
}
