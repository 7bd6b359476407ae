import CommonCrypto
import Testing

/// CommonCryptor: expected values from SP 800-38A and FIPS 81, checked with PyPI's cryptography.
@Suite("Ciphers of CommonCrypto")
struct CipherTests {
    static let message = bytes(
        "6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51"
            + "30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710")
    static let iv = [UInt8](0..<16)
    static let key128 = bytes("2b7e151628aed2a6abf7158809cf4f3c")
    static let key192 = bytes("8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b")
    static let key256 = bytes("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")

    @Test("AES in CBC and ECB mode is SP 800-38A's, for keys of all sizes")
    func aes() {
        let cbc = [
            (Self.key128, "7649abac8119b246cee98e9b12e9197d 5086cb9b507219ee95db113a917678b2"),
            (Self.key192, "4f021db243bc633d7178183a9fa071e8 b4d9ada9ad7dedf4e5e738763f69145a"),
            (Self.key256, "f58c4c04d6e5f1ba779eabfb5f7bfbd6 9cfc4e967edb808d679f777bc6702c7d"),
        ]
        for (key, expected) in cbc {
            check(kCCAlgorithmAES, 0, key, Self.iv, Array(Self.message[..<32]), bytes(expected))
        }
        let ecb = [
            (Self.key128, "3ad77bb40d7a3660a89ecaf32466ef97 f5d3d58503b9699de785895a96fdbaaf"),
            (Self.key192, "bd334f1d6e45f25ff712a214571fa5cc 974104846d0ad3ad7734ecb3ecee4eef"),
            (Self.key256, "f3eed1bdb5d2a03c064b5a7e3db181f8 591ccb10d410ed26dc5ba74a31362870"),
        ]
        for (key, expected) in ecb {
            check(kCCAlgorithmAES, kCCOptionECBMode, key, nil, Array(Self.message[..<32]), bytes(expected))
        }
    }

    @Test("DES is FIPS 81's, and three times DES with equal keys is DES")
    func des() {
        let key = bytes("0123456789abcdef")
        let text = Array("Now is the time for all ".utf8)
        let ecb = bytes("3fa40e8a984d4815 6a271787ab8883f9 893d51ec4b563b53")
        check(kCCAlgorithmDES, kCCOptionECBMode, key, nil, text, ecb)
        check(kCCAlgorithm3DES, kCCOptionECBMode, key + key + key, nil, text, ecb)
        let iv = bytes("1234567890abcdef")
        check(kCCAlgorithmDES, 0, key, iv, text, bytes("e5c7cdde872bf27c43e934008c389c0f683788499a7c05f6"))
        let keys = bytes("0123456789abcdef 23456789abcdef01 456789abcdef0123")
        check(
            kCCAlgorithm3DES, kCCOptionECBMode, keys, nil, Array("The quick brown fox jump".utf8),
            bytes("1ccf23869d09333ecce21c8112256fe668d5c05dd9b6b900"))
    }

    @Test("A message of any size comes back from under padding", arguments: 0...33)
    func padding(size: Int) {
        let message = [UInt8](repeating: 0x41, count: size)
        let padded = CCOptions(kCCOptionPKCS7Padding)
        for options in [padded, padded | CCOptions(kCCOptionECBMode)] {
            let sealed = crypt(kCCEncrypt, options: options, message, room: size + 16)
            #expect(sealed.status == kCCSuccess)
            #expect(sealed.output.count == (size / 16 + 1) * 16)
            let opened = crypt(kCCDecrypt, options: options, sealed.output, room: sealed.output.count)
            #expect(opened.status == kCCSuccess)
            #expect(opened.output == message)
        }
    }

    @Test("Too little room is refused, and what is needed is said")
    func room() {
        let padded = CCOptions(kCCOptionPKCS7Padding)
        let sealed = crypt(kCCEncrypt, options: padded, Array(Self.message[..<20]), room: 31)
        #expect(sealed.status == kCCBufferTooSmall)
        #expect(sealed.moved == 32)
        #expect(crypt(kCCEncrypt, options: padded, Array(Self.message[..<20]), room: 32).status == kCCSuccess)
    }

    @Test("What is no whole block, or has no proper padding, is refused")
    func damaged() {
        let padded = CCOptions(kCCOptionPKCS7Padding)
        #expect(crypt(kCCEncrypt, options: 0, Array(Self.message[..<17]), room: 64).status == kCCAlignmentError)
        #expect(crypt(kCCDecrypt, options: 0, Array(Self.message[..<17]), room: 64).status == kCCAlignmentError)
        #expect(crypt(kCCDecrypt, options: padded, Array(Self.message[..<17]), room: 64).status == kCCAlignmentError)
        let sealed = crypt(kCCEncrypt, options: padded, Array("secret".utf8), room: 16)
        let opened = crypt(kCCDecrypt, options: padded, key: Self.key256, sealed.output, room: 16)
        #expect(opened.status == kCCDecodeError)
        #expect(opened.moved == 0)
    }

    @Test("Keys of other sizes, ciphers that are not here and numbers that mean nothing are refused")
    func refused() {
        var cryptor: CCCryptorRef?
        func create(_ operation: Int, _ algorithm: Int, _ key: [UInt8]?, _ mode: Int = kCCModeCBC) -> CCCryptorStatus {
            unsafe CCCryptorCreateWithMode(
                CCOperation(operation), CCMode(mode), CCAlgorithm(algorithm), CCPadding(ccNoPadding), nil, key,
                key?.count ?? 0, nil, 0, 0, 0, &cryptor)
        }
        #expect(create(kCCEncrypt, kCCAlgorithmAES, [UInt8](repeating: 0, count: 15)) == kCCKeySizeError)
        #expect(create(kCCEncrypt, kCCAlgorithmDES, Self.key128) == kCCKeySizeError)
        #expect(create(kCCEncrypt, kCCAlgorithmAES, nil) == kCCParamError)
        #expect(create(2, kCCAlgorithmAES, Self.key128) == kCCParamError)
        #expect(create(kCCEncrypt, 7, Self.key128) == kCCParamError)
        #expect(create(kCCEncrypt, kCCAlgorithmAES, Self.key128, 99) == kCCParamError)
        for algorithm in [kCCAlgorithmCAST, kCCAlgorithmRC4, kCCAlgorithmRC2, kCCAlgorithmBlowfish] {
            #expect(create(kCCEncrypt, algorithm, Self.key128) == kCCUnimplemented)
        }
        #expect(create(kCCEncrypt, kCCAlgorithm3DES, Self.key192, kCCModeCTR) == kCCUnimplemented)
        #expect(create(kCCEncrypt, kCCAlgorithmAES, Self.key128, kCCModeRC4) == kCCUnimplemented)
        #expect(unsafe cryptor == nil)
        #expect(CCCryptorUpdate(nil, nil, 0, nil, 0, nil) == kCCParamError)
        #expect(CCCryptorFinal(nil, nil, 0, nil) == kCCParamError)
        #expect(CCCryptorReset(nil, nil) == kCCParamError)
        #expect(CCCryptorRelease(nil) == kCCSuccess)
    }

    /// Encrypts to the expected bytes and decrypts back, in a new place and in place.
    private func check(
        _ algorithm: Int, _ options: Int, _ key: [UInt8], _ iv: [UInt8]?, _ message: [UInt8], _ expected: [UInt8]
    ) {
        let sealed = crypt(
            kCCEncrypt, algorithm, options: CCOptions(options), key: key, iv: iv, message, room: message.count)
        #expect(sealed.status == kCCSuccess)
        #expect(sealed.output == expected)
        let opened = crypt(
            kCCDecrypt, algorithm, options: CCOptions(options), key: key, iv: iv, expected, room: message.count)
        #expect(opened.output == message)
        var place = message
        var moved = 0
        unsafe place.withUnsafeMutableBytes { place in
            let start = place.baseAddress
            let status = unsafe CCCrypt(
                CCOperation(kCCEncrypt), CCAlgorithm(algorithm), CCOptions(options), key, key.count, iv, start,
                place.count, start, place.count, &moved)
            #expect(status == kCCSuccess)
        }
        #expect(place == expected && moved == expected.count)
    }

    private func crypt(
        _ operation: Int, _ algorithm: Int = kCCAlgorithmAES, options: CCOptions, key: [UInt8] = key128,
        iv: [UInt8]? = nil, _ input: [UInt8], room: Int
    ) -> (status: CCCryptorStatus, output: [UInt8], moved: Int) {
        var output = [UInt8](repeating: 0, count: room)
        var moved = 0
        let status = unsafe CCCrypt(
            CCOperation(operation), CCAlgorithm(algorithm), options, key, key.count, iv, input, input.count, &output,
            output.count, &moved)
        return (status, Array(output.prefix(moved)), moved)
    }
}
