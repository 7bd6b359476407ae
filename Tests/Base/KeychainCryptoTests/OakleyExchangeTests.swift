import KeychainCrypto
import LinuxSystem
import Testing

@Suite("What a session of the Secret Service is encrypted with")
struct OakleyExchangeTests {
    @Test("Two sides share a secret of 128 bytes, also when a side leaves out leading zeros")
    func sharing() throws {
        for _ in 0..<4 {
            let (one, other) = (try OakleyExchange(), try OakleyExchange())
            let (onesKey, othersKey) = (try one.publicKey(), try other.publicKey())
            #expect(onesKey.count == 128 && othersKey.count == 128)
            let shared = try one.shared(with: othersKey.span)
            #expect(shared.count == 128)
            let same = [try other.shared(with: onesKey.span), try one.shared(with: ([0] + othersKey).span)]
            let short = Array(othersKey.drop { $0 == 0 })
            for secret in same + [try one.shared(with: short.span)] { #expect(shared.isEqual(to: secret)) }
        }
    }

    @Test("Numbers that are no public keys are refused: none, 0, 1, the prime's neighbours, and what is longer")
    func noKeys() throws {
        let side = try OakleyExchange()
        let middle: [UInt8] = [
            0xC9, 0x0F, 0xDA, 0xA2, 0x21, 0x68, 0xC2, 0x34, 0xC4, 0xC6, 0x62, 0x8B, 0x80, 0xDC, 0x1C, 0xD1,
        ]
        let ones = [UInt8](repeating: 0xFF, count: 8)
        // The prime is not written out again: 2^1024 − 1 is greater, and so is all that begins so and ends in it.
        let above = ones + [UInt8](repeating: 0xFF, count: 120)
        let keys: [[UInt8]] = [[], [0], [1], [0, 1], above, ones + middle + [UInt8](repeating: 0xFF, count: 106)]
        for key in keys where key.count != 130 { #expect(throws: CryptoError.self) { try side.shared(with: key.span) } }
        #expect(throws: CryptoError.malformedKey) { try side.shared(with: [UInt8](repeating: 2, count: 130).span) }
    }

    // NIST SP 800-38A, F.2.1, with a block of padding.
    @Test("AES-128-CBC is the published one, and every message is padded")
    func published() throws {
        let key: [UInt8] = [
            0x2B, 0x7E, 0x15, 0x16, 0x28, 0xAE, 0xD2, 0xA6, 0xAB, 0xF7, 0x15, 0x88, 0x09, 0xCF, 0x4F, 0x3C,
        ]
        let iv = (0..<16).map { UInt8($0) }
        let text: [UInt8] = [
            0x6B, 0xC1, 0xBE, 0xE2, 0x2E, 0x40, 0x9F, 0x96, 0xE9, 0x3D, 0x7E, 0x11, 0x73, 0x93, 0x17, 0x2A,
        ]
        let first: [UInt8] = [
            0x76, 0x49, 0xAB, 0xAC, 0x81, 0x19, 0xB2, 0x46, 0xCE, 0xE9, 0x8E, 0x9B, 0x12, 0xE9, 0x19, 0x7D,
        ]
        let sealed = try PaddedCBC.encrypt(text.span, key: key.span, iv: iv.span)
        #expect(sealed.count == 32 && sealed.starts(with: first))
        let opened = try PaddedCBC.decrypt(sealed.span, key: key.span, iv: iv.span)
        #expect(opened.isEqual(to: SecretBytes(copying: text.span)))
        let empty = try PaddedCBC.encrypt([UInt8]().span, key: key.span, iv: iv.span)
        #expect(empty.count == 16)
        let nothing = try PaddedCBC.decrypt(empty.span, key: key.span, iv: iv.span)
        #expect(nothing.count == 0)
    }

    @Test("A message that is not of whole blocks, has no padding or another key does not open")
    func refused() throws {
        let (key, other) = ([UInt8](repeating: 1, count: 16), [UInt8](repeating: 2, count: 16))
        let iv = [UInt8](repeating: 0, count: 16)
        let sealed = try PaddedCBC.encrypt(Array("a value".utf8).span, key: key.span, iv: iv.span)
        for text in [[], Array(sealed.dropLast()), sealed + [0]] {
            #expect(throws: CryptoError.authenticationFailed) {
                try PaddedCBC.decrypt(text.span, key: key.span, iv: iv.span)
            }
        }
        #expect(throws: CryptoError.invalidParameter) {
            try PaddedCBC.decrypt(sealed.span, key: key.span, iv: Array(iv.dropLast()).span)
        }
        // A wrong key passes by chance for one message in 256.
        let opened = try? PaddedCBC.decrypt(sealed.span, key: other.span, iv: iv.span)
        #expect(opened?.isEqual(to: SecretBytes(copying: Array("a value".utf8).span)) != true)
    }
}
