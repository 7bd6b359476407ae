import CommonCrypto
import Testing

/// CommonSymmetricKeywrap: expected values from RFC 3394, section 4.
@Suite("Wrapped keys of CommonCrypto")
struct KeyWrapTests {
    private static let vectors: [([UInt8], [UInt8], String)] = [
        (
            [UInt8](0..<16), bytes("00112233445566778899aabbccddeeff"),
            "1fa68b0a8112b447aef34bd8fb5a7b829d3e862371d2cfe5"
        ),
        (
            [UInt8](0..<32), bytes("00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f"),
            "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21"
        ),
    ]

    @Test("A wrapped key is the RFC's, and comes back", arguments: vectors)
    func wrapped(wrappingKey: [UInt8], key: [UInt8], expected: String) {
        let wrapped = wrap(key, under: wrappingKey, room: key.count + 8)
        #expect(wrapped.status == kCCSuccess)
        #expect(wrapped.output == bytes(expected))
        #expect(CCSymmetricWrappedSize(CCWrappingAlgorithm(kCCWRAPAES), key.count) == wrapped.output.count)
        #expect(CCSymmetricUnwrappedSize(CCWrappingAlgorithm(kCCWRAPAES), wrapped.output.count) == key.count)
        let unwrapped = unwrap(wrapped.output, under: wrappingKey, room: key.count)
        #expect(unwrapped.status == kCCSuccess)
        #expect(unwrapped.output == key)
    }

    @Test("A key does not come back from damaged bytes, or under another key")
    func damaged() {
        let (wrappingKey, key, _) = Self.vectors[0]
        var wrapped = wrap(key, under: wrappingKey, room: 24).output
        #expect(unwrap(wrapped, under: key, room: 16).status == kCCDecodeError)
        wrapped[3] ^= 1
        let unwrapped = unwrap(wrapped, under: wrappingKey, room: 16)
        #expect(unwrapped.status == kCCDecodeError)
        #expect(unwrapped.output.isEmpty)
    }

    @Test("Sizes that the RFC does not have, and too little room, are refused")
    func refused() {
        let wrappingKey = [UInt8](0..<16)
        for size in [0, 8, 15, 17] {
            #expect(wrap([UInt8](repeating: 0, count: size), under: wrappingKey, room: 64).status == kCCParamError)
        }
        #expect(wrap(wrappingKey, under: [1, 2, 3], room: 64).status == kCCParamError)
        #expect(wrap(wrappingKey, under: wrappingKey, room: 23).status == kCCParamError)
        #expect(unwrap([UInt8](repeating: 0, count: 16), under: wrappingKey, room: 64).status == kCCParamError)
        #expect(wrap(wrappingKey, under: wrappingKey, iv: [1, 2, 3], room: 24).status == kCCParamError)
        #expect(CCSymmetricUnwrappedSize(1, 3) == 0)
        #expect(CCSymmetricWrappedSize(1, .max) == .max)
    }

    @Test("No IV is the RFC's, which the constant names")
    func initialValue() {
        let key = [UInt8](0..<16)
        #expect(CCrfc3394_ivLen == 8)
        let value = unsafe Array(UnsafeBufferPointer(start: CCrfc3394_iv, count: CCrfc3394_ivLen))
        #expect(value == [UInt8](repeating: 0xA6, count: 8))
        let standard = [UInt8](repeating: 0xA6, count: 8)
        #expect(wrap(key, under: key, iv: nil, room: 24).output == wrap(key, under: key, iv: standard, room: 24).output)
        let other = wrap(key, under: key, iv: [UInt8](0..<8), room: 24).output
        #expect(unwrap(other, under: key, room: 16).status == kCCDecodeError)
        #expect(unwrap(other, under: key, iv: [UInt8](0..<8), room: 16).output == key)
    }

    private func wrap(
        _ key: [UInt8], under wrappingKey: [UInt8], iv: [UInt8]? = nil, room: Int
    ) -> (status: Int32, output: [UInt8]) {
        var output = [UInt8](repeating: 0, count: room)
        var count = room
        let status = unsafe CCSymmetricKeyWrap(
            CCWrappingAlgorithm(kCCWRAPAES), iv, iv?.count ?? 0, wrappingKey, wrappingKey.count, key, key.count,
            &output,
            &count)
        return (status, Array(output.prefix(status == kCCSuccess ? count : 0)))
    }

    private func unwrap(
        _ wrapped: [UInt8], under wrappingKey: [UInt8], iv: [UInt8]? = nil, room: Int
    ) -> (status: Int32, output: [UInt8]) {
        var output = [UInt8](repeating: 0, count: room)
        var count = room
        let status = unsafe CCSymmetricKeyUnwrap(
            CCWrappingAlgorithm(kCCWRAPAES), iv, iv?.count ?? 0, wrappingKey, wrappingKey.count, wrapped, wrapped.count,
            &output, &count)
        return (status, Array(output.prefix(count == room && status != kCCSuccess ? 0 : count)))
    }
}
