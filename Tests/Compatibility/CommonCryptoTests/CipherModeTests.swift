import CommonCrypto
import Testing

/// Ciphers that take their message in pieces: expected values from SP 800-38A.
@Suite("Ciphers of CommonCrypto, piece by piece")
struct CipherModeTests {
    private static let counter = bytes("f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff")
    private static let vectors: [(Int, [UInt8]?, String)] = [
        (
            kCCModeECB, nil,
            "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"
                + "43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4"
        ),
        (
            kCCModeCBC, CipherTests.iv,
            "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
                + "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7"
        ),
        (
            kCCModeCFB, CipherTests.iv,
            "3b3fd92eb72dad20333449f8e83cfb4ac8a64537a0b3a93fcde3cdad9f1ce58b"
                + "26751f67a3cbb140b1808cf187a4f4dfc04b05357c5d1c0eeac4c66f9ff7f2e6"
        ),
        (
            kCCModeCFB8, CipherTests.iv,
            "3b79424c9c0dd436bace9e0ed4586a4f32b9ded50ae3ba69d472e88267fb5052"
                + "70cbad1e257691f7c47c5038297edda32ff26d0ed19174096161ecc14086dd62"
        ),
        (
            kCCModeOFB, CipherTests.iv,
            "3b3fd92eb72dad20333449f8e83cfb4a7789508d16918f03f53c52dac54ed825"
                + "9740051e9c5fecf64344f7a82260edcc304c6528f659c77866a510d9c1d6ae5e"
        ),
        (
            kCCModeCTR, counter,
            "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
                + "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee"
        ),
    ]

    @Test("Every mode of AES is SP 800-38A's, however the message is cut", arguments: vectors)
    func modes(mode: Int, iv: [UInt8]?, expected: String) {
        for cut in [1, 7, 16, 23, 64] {
            #expect(run(kCCEncrypt, mode, ccNoPadding, iv, CipherTests.message, cut) == bytes(expected))
            #expect(run(kCCDecrypt, mode, ccNoPadding, iv, bytes(expected), cut) == CipherTests.message)
        }
    }

    @Test("With padding, messages of all sizes go back and forth, however they are cut", arguments: [1, 5, 16, 17, 40])
    func padding(cut: Int) {
        for mode in [kCCModeECB, kCCModeCBC, kCCModeCTR] {
            for size in [0, 1, 15, 16, 17, 32, 63] {
                let message = Array(CipherTests.message[..<size])
                let sealed = run(kCCEncrypt, mode, ccPKCS7Padding, CipherTests.iv, message, cut)
                #expect(sealed.count == (mode == kCCModeCTR ? size : (size / 16 + 1) * 16))
                #expect(run(kCCDecrypt, mode, ccPKCS7Padding, CipherTests.iv, sealed, cut) == message)
            }
        }
    }

    @Test("A reset begins a message with its own IV, in the modes that Apple resets")
    func reset() throws {
        let cbc = try unsafe #require(made(kCCEncrypt, kCCModeCBC, ccNoPadding, CipherTests.iv))
        defer { unsafe CCCryptorRelease(cbc) }
        let first = unsafe update(cbc, Array(CipherTests.message[..<23]))
        #expect(unsafe CCCryptorReset(cbc, CipherTests.iv) == kCCSuccess)
        #expect(unsafe update(cbc, Array(CipherTests.message[..<16])) == first)
        #expect(unsafe CCCryptorReset(cbc, nil) == kCCSuccess)
        #expect(unsafe update(cbc, Array(CipherTests.message[..<16])) != first)
        let ecb = try unsafe #require(made(kCCEncrypt, kCCModeECB, ccNoPadding, nil))
        defer { unsafe CCCryptorRelease(ecb) }
        #expect(unsafe CCCryptorReset(ecb, nil) == kCCUnimplemented)
    }

    @Test("Too little room is refused, and the piece or the end can be had afterwards")
    func room() throws {
        let cryptor = try unsafe #require(made(kCCEncrypt, kCCModeCBC, ccPKCS7Padding, CipherTests.iv))
        defer { unsafe CCCryptorRelease(cryptor) }
        var output = [UInt8](repeating: 0, count: 64)
        var moved = 0
        let message = Array(CipherTests.message[..<20])
        #expect(unsafe CCCryptorUpdate(cryptor, message, 20, &output, 15, &moved) == kCCBufferTooSmall)
        #expect(moved == 16)
        #expect(unsafe CCCryptorGetOutputLength(cryptor, 20, false) == 16)
        #expect(unsafe CCCryptorGetOutputLength(cryptor, 20, true) == 32)
        #expect(unsafe CCCryptorGetOutputLength(cryptor, .max, true) == .max)
        #expect(unsafe CCCryptorUpdate(cryptor, message, 20, &output, 16, &moved) == kCCSuccess)
        #expect(unsafe CCCryptorFinal(cryptor, &output, 15, &moved) == kCCBufferTooSmall)
        #expect(unsafe CCCryptorFinal(cryptor, &output, 16, &moved) == kCCSuccess)
        #expect(moved == 16)
    }

    @Test("A cipher made in the caller's memory works, and does not use that memory")
    func callersMemory() throws {
        var memory = [UInt8](repeating: 0x5A, count: kCCContextSizeAES128)
        var cryptor: CCCryptorRef?
        var used = 1
        let status = unsafe CCCryptorCreateFromData(
            CCOperation(kCCEncrypt), CCAlgorithm(kCCAlgorithmAES), CCOptions(kCCOptionECBMode), CipherTests.key128, 16,
            nil,
            &memory, memory.count, &cryptor, &used)
        #expect(status == kCCSuccess && used == 0)
        let made = try unsafe #require(cryptor)
        defer { unsafe CCCryptorRelease(made) }
        #expect(unsafe update(made, Array(CipherTests.message[..<16])) == bytes("3ad77bb40d7a3660a89ecaf32466ef97"))
        #expect(memory.allSatisfy { $0 == 0x5A })
    }

    private func made(_ operation: Int, _ mode: Int, _ padding: Int, _ iv: [UInt8]?) -> CCCryptorRef? {
        var cryptor: CCCryptorRef?
        let status = unsafe CCCryptorCreateWithMode(
            CCOperation(operation), CCMode(mode), CCAlgorithm(kCCAlgorithmAES), CCPadding(padding), iv,
            CipherTests.key128, 16, nil, 0, 0, CCModeOptions(kCCModeOptionCTR_BE), &cryptor)
        #expect(status == kCCSuccess)
        return unsafe cryptor
    }

    private func update(_ cryptor: CCCryptorRef, _ piece: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: unsafe CCCryptorGetOutputLength(cryptor, piece.count, false))
        var moved = 0
        #expect(
            unsafe CCCryptorUpdate(cryptor, piece, piece.count, &output, output.count, &moved) == kCCSuccess)
        #expect(moved == output.count)
        return output
    }

    private func run(
        _ operation: Int, _ mode: Int, _ padding: Int, _ iv: [UInt8]?, _ message: [UInt8], _ cut: Int
    ) -> [UInt8] {
        guard let cryptor = unsafe made(operation, mode, padding, iv) else { return [] }
        defer { unsafe CCCryptorRelease(cryptor) }
        var output: [UInt8] = []
        for start in stride(from: 0, to: message.count, by: cut) {
            output += unsafe update(cryptor, Array(message[start..<min(start + cut, message.count)]))
        }
        var last = [UInt8](repeating: 0, count: 16)
        var moved = 0
        #expect(unsafe CCCryptorFinal(cryptor, &last, last.count, &moved) == kCCSuccess)
        return output + last.prefix(moved)
    }
}
