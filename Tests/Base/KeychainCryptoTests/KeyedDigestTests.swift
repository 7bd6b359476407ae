import KeychainCrypto
import KeychainModel
import LinuxSystem
import Testing

/// A message and its HMAC-SHA256.
struct MACVector: Sendable {
    let key: [UInt8]
    let message: [UInt8]
    let digest: String

    // RFC 4231 section 4, test cases 1 to 4, 6 and 7; a separate test has the fifth, truncated one.
    static let published = [
        MACVector(
            key: Array(repeating: 0x0b, count: 20), message: Array("Hi There".utf8),
            digest: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        MACVector(
            key: Array("Jefe".utf8), message: Array("what do ya want for nothing?".utf8),
            digest: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        MACVector(
            key: Array(repeating: 0xaa, count: 20), message: Array(repeating: 0xdd, count: 50),
            digest: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        MACVector(
            key: Array(1...25), message: Array(repeating: 0xcd, count: 50),
            digest: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        MACVector(
            key: Array(repeating: 0xaa, count: 131),
            message: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            digest: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        MACVector(
            key: Array(repeating: 0xaa, count: 131),
            message: Array(
                ("This is a test using a larger than block-size key and a larger than block-size data. "
                    + "The key needs to be hashed before being used by the HMAC algorithm.").utf8),
            digest: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
    ]
}

@Suite("HMAC-SHA256")
struct KeyedDigestTests {
    @Test("RFC 4231: the published digests, as often as asked", arguments: MACVector.published)
    func published(vector: MACVector) throws {
        let digest = try KeyedDigest(key: vector.key)
        for _ in 0..<3 {
            let whole = try digest.digest(vector.message)
            #expect(whole == vector.digest)
        }
    }

    @Test("RFC 4231: the published digest cut to 16 bytes")
    func truncated() throws {
        let digest = try KeyedDigest(key: [UInt8](repeating: 0x0c, count: 20))
        try digest.update(Array("Test With Truncation".utf8))
        let short = try digest.finishShort()
        #expect(hexadecimal(short.span) == "a3b6167473100ee06e0c796c2955552b")
    }

    @Test("A message in parts has the digest of the whole")
    func parts() throws {
        let digest = try KeyedDigest(key: [1, 2, 3])
        let whole = try digest.digest([1, 2, 3, 4])
        for part in [[1], [], [2, 3, 4]] as [[UInt8]] { try digest.update(part) }
        let joined = try digest.finish()
        #expect(hexadecimal(joined.span) == whole)
    }

    @Test("A digest is cut to a span of 16 to 32 bytes and to no other", arguments: [0, 15, 16, 20, 32, 33])
    func sizes(size: Int) throws {
        let digest = try KeyedDigest(key: [1])
        let whole = try digest.digest([7])
        try digest.update([7])
        var output = [UInt8](repeating: 0, count: size)
        var span = output.mutableSpan
        if (16...32).contains(size) {
            try digest.finish(into: &span)
            #expect(whole.hasPrefix(hexadecimal(output.span)))
        } else {
            #expect(throws: CryptoError.invalidParameter) {
                var span = output.mutableSpan
                try digest.finish(into: &span)
            }
        }
    }

    @Test("An empty key and an empty message are allowed")
    func empty() throws {
        let digest = try KeyedDigest(key: []).digest([])
        #expect(digest == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }
}

@Suite("Digests without a key")
struct DigestTests {
    @Test(
        "FIPS 180-4 examples: SHA-256 and SHA-1",
        arguments: [
            (
                "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
                "da39a3ee5e6b4b0d3255bfef95601890afd80709"
            ),
            (
                "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                "a9993e364706816aba3e25717850c26c9cd0d89d"
            ),
            (
                "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
                "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1",
                "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
            ),
        ])
    func published(message: String, sha256: String, sha1: String) throws {
        let message = Array(message.utf8)
        #expect(hexadecimal(try Digest.sha256(message.span).span) == sha256)
        // The compiler crashes on the span of a temporary array inside of the macro.
        let digest = try Digest.of(message.span, .sha1)
        #expect(hexadecimal(digest.span) == sha1)
    }
}

@Suite("Comparing in constant time")
struct ConstantTimeTests {
    @Test("Bytes are equal when all of them are, and as many")
    func comparison() {
        let value = Randomness.bytes(32)
        #expect(ConstantTime.areEqual(value, value) && ConstantTime.areEqual([], []))
        #expect(!ConstantTime.areEqual(value, Array(value.dropLast())))
        for index in value.indices {
            var other = value
            other[index] ^= 0x10
            #expect(!ConstantTime.areEqual(value, other))
        }
    }

}
