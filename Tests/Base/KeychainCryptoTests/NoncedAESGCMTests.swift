import LinuxSystem
import TestSupport
import Testing

@testable import KeychainCrypto

@Suite("AES-GCM with nonces that its caller computes")
struct NoncedAESGCMTests {
    @Test("The published messages", arguments: GCMVector.published)
    func published(vector: GCMVector) throws {
        let cipher = try NoncedAESGCM(key: bytes(vector.key).span)
        let (content, nonce, aad) = (bytes(vector.plaintext), bytes(vector.nonce), bytes(vector.aad))
        var sealed = [UInt8](repeating: 0, count: content.count + 16)
        var span = sealed.mutableSpan
        try cipher.seal(plaintext: content.span, nonce: nonce.span, aad: aad.span, into: &span)
        #expect(sealed == bytes(vector.ciphertext) + bytes(vector.tag))
        var opened = [UInt8](repeating: 0xFF, count: content.count)
        var target = opened.mutableSpan
        try cipher.open(message: sealed.span, nonce: nonce.span, aad: aad.span, into: &target)
        #expect(opened == content)
    }

    @Test("What does not open under nonce and associated data leaves zeros")
    func tampering() throws {
        let cipher = try NoncedAESGCM(key: Randomness.bytes(32).span)
        let nonce = Randomness.bytes(12)
        var sealed = [UInt8](repeating: 0, count: 5 + 16)
        var span = sealed.mutableSpan
        try cipher.seal(plaintext: [1, 2, 3, 4, 5].span, nonce: nonce.span, aad: [9].span, into: &span)
        var cases = sealed.indices.map { place in
            var changed = sealed
            changed[place] ^= 0x40
            return (changed, nonce, [9] as [UInt8])
        }
        cases += nonce.indices.map { place in
            var changed = nonce
            changed[place] ^= 1
            return (sealed, changed, [9] as [UInt8])
        }
        cases.append((sealed, nonce, []))
        for (message, nonce, aad) in cases {
            var opened = [UInt8](repeating: 0xFF, count: 5)
            let error = failure { () throws(CryptoError) in
                var target = opened.mutableSpan
                try cipher.open(message: message.span, nonce: nonce.span, aad: aad.span, into: &target)
            }
            #expect(error == .authenticationFailed && opened == [0, 0, 0, 0, 0])
        }
    }

    @Test("Keys, nonces and results of other sizes are refused")
    func sizes() throws {
        for size in [0, 15, 24, 31, 33] {
            #expect(throws: CryptoError.invalidParameter) { try NoncedAESGCM(key: Randomness.bytes(size).span) }
        }
        let cipher = try NoncedAESGCM(key: Randomness.bytes(32).span)
        for (nonce, room) in [(11, 17), (13, 17), (0, 17), (12, 16), (12, 18), (12, 0)] {
            #expect(throws: CryptoError.invalidParameter) {
                var output = [UInt8](repeating: 0, count: room)
                var span = output.mutableSpan
                try cipher.seal(plaintext: [1].span, nonce: Randomness.bytes(nonce).span, aad: Span(), into: &span)
            }
        }
        for (message, nonce, room, error) in [
            (15, 12, 0, .boxTooShort), (0, 12, 0, .boxTooShort), (17, 11, 1, .invalidParameter),
            (17, 12, 2, .invalidParameter),
        ] as [(Int, Int, Int, CryptoError)] {
            #expect(throws: error) {
                var output = [UInt8](repeating: 0, count: room)
                var span = output.mutableSpan
                try cipher.open(
                    message: Randomness.bytes(message).span, nonce: Randomness.bytes(nonce).span, aad: Span(),
                    into: &span)
            }
        }
    }
}
