import LinuxSystem
import TestSupport
import Testing

@testable import KeychainCrypto

/// One message sealed under AES-256-GCM.
struct GCMVector: Sendable {
    let key: String
    let nonce: String
    let plaintext: String
    let aad: String
    let ciphertext: String
    let tag: String

    var box: [UInt8] { bytes(nonce) + bytes(ciphertext) + bytes(tag) }

    // "The Galois/Counter Mode of Operation (GCM)", submitted to NIST by McGrew and Viega: test cases 13 to 16.
    static let published = [
        GCMVector(
            key: zeros, nonce: "000000000000000000000000", plaintext: "", aad: "", ciphertext: "",
            tag: "530f8afbc74536b9a963b4f1c4cb738b"),
        GCMVector(
            key: zeros, nonce: "000000000000000000000000", plaintext: "00000000000000000000000000000000", aad: "",
            ciphertext: "cea7403d4d606b6e074ec5d3baf39d18", tag: "d0d1c8a799996bf0265b98b5d48ab919"),
        GCMVector(
            key: key, nonce: "cafebabefacedbaddecaf888", plaintext: text + "1aafd255", aad: "",
            ciphertext: cipher + "898015ad", tag: "b094dac5d93471bdec1a502270e3cc6c"),
        GCMVector(
            key: key, nonce: "cafebabefacedbaddecaf888", plaintext: text,
            aad: "feedfacedeadbeeffeedfacedeadbeefabaddad2", ciphertext: cipher,
            tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
    ]

    private static let zeros = String(repeating: "0", count: 64)
    private static let key = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
    private static let text = """
        d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72\
        1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39
        """
    private static let cipher = """
        522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa\
        8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662
        """
}

extension GCMContext {
    /// Seals with a given nonce, which only a test may do, and returns ciphertext and tag.
    func seal(_ plaintext: [UInt8], nonce: [UInt8], aad: [UInt8]) throws -> [UInt8] {
        var output = [UInt8](repeating: 0, count: plaintext.count + AESGCM.tagSize)
        try unsafe output.withUnsafeMutableBufferPointer { output throws(CryptoError) in
            try unsafe plaintext.withUnsafeBufferPointer { plaintext throws(CryptoError) in
                try unsafe nonce.withUnsafeBufferPointer { nonce throws(CryptoError) in
                    try unsafe seal(input: plaintext, nonce: nonce.baseAddress!, aad: aad.span, to: output.baseAddress!)
                }
            }
        }
        return output
    }
}

@Suite("AES-256-GCM")
struct AESGCMTests {
    let key = Randomness.bytes(32)
    let aad = Array("row 7".utf8)

    @Test("The published cases are sealed to the published boxes and opened again", arguments: GCMVector.published)
    func published(vector: GCMVector) throws {
        let context = try GCMContext()
        try context.setKey(bytes(vector.key).span)
        let sealed = try context.seal(bytes(vector.plaintext), nonce: bytes(vector.nonce), aad: bytes(vector.aad))
        #expect(sealed == bytes(vector.ciphertext) + bytes(vector.tag))
        var opened: [UInt8] = []
        try AESGCM(key: bytes(vector.key)).open(vector.box, aad: bytes(vector.aad), leaving: &opened)
        #expect(opened == bytes(vector.plaintext))
    }

    @Test(
        "One context seals and opens messages of any size in any order",
        arguments: [0, 1, 15, 16, 17, 400, 4096, 1 << 20])
    func roundTrip(size: Int) throws {
        let cipher = try AESGCM(key: key)
        let messages = (0..<3).map { _ in Randomness.bytes(size) }
        let boxes = try messages.map { try cipher.seal($0, aad: aad) }
        for (message, box) in zip(messages, boxes).reversed() {
            var opened: [UInt8] = []
            try cipher.open(box, aad: aad, leaving: &opened)
            #expect(opened == message)
        }
    }

    @Test("A thousand boxes have a thousand nonces")
    func nonces() throws {
        let cipher = try AESGCM(key: key)
        let nonces = try (0..<1000).map { _ in Array(try cipher.seal([1], aad: aad).prefix(AESGCM.nonceSize))
        }
        #expect(Set(nonces).count == 1000)
    }

    @Test("A change of any byte of nonce, ciphertext, tag or associated data is refused and nothing is released")
    func tampering() throws {
        let cipher = try AESGCM(key: key)
        let box = try cipher.seal(Array("the secret".utf8), aad: aad)
        var output: [UInt8] = []
        for index in box.indices {
            var tampered = box
            tampered[index] ^= 1
            #expect(throws: CryptoError.authenticationFailed) { try cipher.open(tampered, aad: aad, leaving: &output) }
            #expect(output == [UInt8](repeating: 0, count: 10))
        }
        for other in [[], aad + [0], Array(aad.dropLast()), Array("row 8".utf8)] {
            #expect(throws: CryptoError.authenticationFailed) { try cipher.open(box, aad: other, leaving: &output) }
            #expect(output == [UInt8](repeating: 0, count: 10))
        }
        try cipher.open(box, aad: aad, leaving: &output)
        #expect(output == Array("the secret".utf8))
    }

    @Test("A box that lost or gained bytes is refused")
    func lengths() throws {
        let cipher = try AESGCM(key: key)
        let box = try cipher.seal(Array("the secret".utf8), aad: aad)
        var output: [UInt8] = []
        for count in 0..<box.count {
            let expected: CryptoError = count < AESGCM.overhead ? .boxTooShort : .authenticationFailed
            #expect(throws: expected) { try cipher.open(Array(box.prefix(count)), aad: aad, leaving: &output) }
        }
        #expect(throws: CryptoError.authenticationFailed) { try cipher.open(box + [0], aad: aad, leaving: &output) }
    }

    @Test("Another key does not open the box")
    func otherKey() throws {
        let box = try AESGCM(key: key).seal([1, 2, 3], aad: aad)
        var output: [UInt8] = []
        let other = try AESGCM(key: Randomness.bytes(32))
        #expect(throws: CryptoError.authenticationFailed) { try other.open(box, aad: aad, leaving: &output) }
        #expect(output == [0, 0, 0])
    }

    @Test("A key that has not 32 bytes is refused", arguments: [0, 16, 24, 31, 33, 64])
    func keySize(size: Int) {
        let key = Randomness.bytes(size)
        #expect(throws: CryptoError.invalidParameter) { try AESGCM(key: key) }
        #expect(throws: CryptoError.invalidParameter) {
            try OneTimeAESGCM().seal([1], key: key, aad: aad)
        }
    }

    @Test("A span of the wrong size for the result is refused")
    func outputSize() throws {
        let cipher = try AESGCM(key: key)
        let box = try cipher.seal([1, 2, 3], aad: aad)
        for size in [0, 2, 4] {
            #expect(throws: CryptoError.invalidParameter) {
                var output = [UInt8](repeating: 0, count: size)
                var span = output.mutableSpan
                try cipher.open(box.span, aad: aad.span, into: &span)
            }
            #expect(throws: CryptoError.invalidParameter) {
                var output = [UInt8](repeating: 0, count: size + AESGCM.overhead)
                var span = output.mutableSpan
                try cipher.seal([1, 2, 3].span, aad: aad.span, into: &span)
            }
        }
    }

    @Test("A box is opened at the end of a buffer, which stays as it was when the box does not open")
    func intoBuffer() throws {
        let cipher = try AESGCM(key: key)
        let buffer = SecretBuffer(capacity: 8)
        buffer.append([1, 2, 3])
        let box = try cipher.seal(Array(repeating: 9, count: 100), aad: aad)
        try cipher.open(box, aad: aad, into: buffer)
        #expect(throws: CryptoError.authenticationFailed) { try cipher.open(box, aad: [], into: buffer) }
        #expect(throws: CryptoError.boxTooShort) { try cipher.open([1, 2], aad: [], into: buffer) }
        let expected = SecretBytes(([1, 2, 3] + Array(repeating: 9, count: 100)))
        #expect(buffer.copy().isEqual(to: expected))
    }

    @Test("With a key for each message, every box opens under its own key only, whatever was done before")
    func oneTimeKeys() throws {
        let cipher = try OneTimeAESGCM()
        let keys = (0..<4).map { _ in Randomness.bytes(32) }
        let boxes = try keys.map { try cipher.seal($0, key: $0, aad: aad) }
        for (index, box) in boxes.enumerated() {
            let buffer = SecretBuffer()
            #expect(throws: CryptoError.authenticationFailed) {
                try cipher.open(box, key: keys[(index + 1) % 4], aad: aad, into: buffer)
            }
            try cipher.open(box, key: keys[index], aad: aad, into: buffer)
            #expect(buffer.copy().isEqual(to: SecretBytes(keys[index])))
        }
    }

    @Test("A box made under a key of its own is the same as one made under a fixed key")
    func sameBoxes() throws {
        let box = try OneTimeAESGCM().seal([5, 6], key: key, aad: aad)
        var output: [UInt8] = []
        try AESGCM(key: key).open(box, aad: aad, leaving: &output)
        #expect(output == [5, 6])
    }
}
