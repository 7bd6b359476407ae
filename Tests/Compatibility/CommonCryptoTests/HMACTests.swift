import CommonCrypto
import Testing

/// CommonHMAC: expected values from RFC 2202 and RFC 4231, their second cases.
@Suite("Message codes of CommonCrypto")
struct HMACTests {
    private static let vectors: [(Int, String)] = [
        (kCCHmacAlgMD5, "750c783e6ab0b503eaa86e310a5db738"),
        (kCCHmacAlgSHA1, "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        (kCCHmacAlgSHA224, "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44"),
        (kCCHmacAlgSHA256, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        (
            kCCHmacAlgSHA384,
            "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649"
        ),
        (
            kCCHmacAlgSHA512,
            "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737"
        ),
    ]
    private static let key = "Jefe"
    private static let message = "what do ya want for nothing?"

    @Test("A code is the RFC's, whole and in pieces", arguments: vectors)
    func code(algorithm: Int, expected: String) {
        let expected = bytes(expected)
        var code = [UInt8](repeating: 0, count: expected.count)
        unsafe CCHmac(CCHmacAlgorithm(algorithm), Self.key, 4, Self.message, 28, &code)
        #expect(code == expected)

        var context = CCHmacContext()
        var inPieces = [UInt8](repeating: 0, count: expected.count)
        unsafe CCHmacInit(&context, CCHmacAlgorithm(algorithm), Self.key, 4)
        let message = Array(Self.message.utf8)
        for piece in [message[..<10], message[10..<10], message[10...]] {
            unsafe CCHmacUpdate(&context, Array(piece), piece.count)
        }
        unsafe CCHmacFinal(&context, &inPieces)
        #expect(inPieces == expected)
    }

    @Test("Of a context and its copy, each goes on by itself")
    func copies() {
        var context = CCHmacContext()
        unsafe CCHmacInit(&context, CCHmacAlgorithm(kCCHmacAlgSHA256), Self.key, 4)
        unsafe CCHmacUpdate(&context, "what do ya want ", 16)
        var copy = context
        unsafe CCHmacUpdate(&copy, "something else", 14)
        unsafe CCHmacUpdate(&context, "for nothing?", 12)
        var (first, second) = ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32))
        unsafe CCHmacFinal(&context, &first)
        unsafe CCHmacFinal(&copy, &second)
        #expect(first == bytes("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"))
        #expect(first != second)
    }

    @Test("A key may be empty, and longer than a block (RFC 4231, case 6)")
    func keySizes() {
        var code = [UInt8](repeating: 0, count: 32)
        unsafe CCHmac(CCHmacAlgorithm(kCCHmacAlgSHA256), nil, 0, nil, 0, &code)
        #expect(code == bytes("b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"))
        let key = [UInt8](repeating: 0xAA, count: 131)
        let message = "Test Using Larger Than Block-Size Key - Hash Key First"
        unsafe CCHmac(CCHmacAlgorithm(kCCHmacAlgSHA256), key, 131, message, message.utf8.count, &code)
        #expect(code == bytes("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"))
    }

    @Test("A number that is no algorithm ends the program rather than leave a code unmade")
    func unknownAlgorithm() async {
        await #expect(processExitsWith: .failure) {
            var code = [UInt8](repeating: 0, count: 64)
            unsafe CCHmac(CCHmacAlgorithm(99), "", 0, "", 0, &code)
        }
    }
}
