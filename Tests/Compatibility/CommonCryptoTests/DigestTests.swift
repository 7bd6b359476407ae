import CommonCrypto
import Testing

/// The functions of one digest.
@safe private struct Functions<Context>: @unchecked Sendable {
    let name: String
    let size: Int32
    let block: Int32
    let new: Context
    let begin: (UnsafeMutablePointer<Context>?) -> Int32
    let goOn: (UnsafeMutablePointer<Context>?, UnsafeRawPointer?, CC_LONG) -> Int32
    let end: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Context>?) -> Int32
    let whole: (UnsafeRawPointer?, CC_LONG, UnsafeMutablePointer<UInt8>?) -> UnsafeMutablePointer<UInt8>?

    /// The digest of a message in pieces.
    func digest(ofPieces pieces: [[UInt8]]) -> [UInt8] {
        var context = new
        #expect(unsafe begin(&context) == 1)
        for piece in pieces { #expect(unsafe goOn(&context, piece, CC_LONG(piece.count)) == 1) }
        return ended(&context)
    }

    func ended(_ context: inout Context) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(size))
        #expect(unsafe end(&digest, &context) == 1)
        return digest
    }

    func digest(of message: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Int(size))
        #expect(unsafe whole(message, CC_LONG(message.count), &digest) != nil)
        return digest
    }
}

extension Functions {
    /// Properties of every digest.
    func check(abc: [UInt8], empty: [UInt8]) {
        #expect(Int(size) == abc.count, "\(name)")
        #expect(digest(of: Array("abc".utf8)) == abc, "\(name)")
        #expect(digest(of: []) == empty, "\(name)")
        #expect(digest(ofPieces: [[], Array("a".utf8), Array("bc".utf8)]) == abc, "\(name)")
        let long = [UInt8](repeating: 7, count: Int(block) * 5 + 3)
        let pieces = [Array(long[..<1]), Array(long[1..<Int(block) + 9]), Array(long[(Int(block) + 9)...])]
        #expect(digest(ofPieces: pieces) == digest(of: long), "\(name)")
        checkCopies()
        checkMisuse()
    }

    private func checkCopies() {
        var context = new
        _ = unsafe begin(&context)
        _ = unsafe goOn(&context, Array("ab".utf8), 2)
        var copy = context
        _ = unsafe goOn(&context, Array("c".utf8), 1)
        #expect(ended(&copy) == digest(of: Array("ab".utf8)), "\(name)")
        #expect(ended(&context) == digest(of: Array("abc".utf8)), "\(name)")
    }

    private func checkMisuse() {
        var context = new
        var place = [UInt8](repeating: 0, count: Int(size))
        #expect(unsafe goOn(&context, nil, 0) == 0, "\(name): never begun")
        #expect(unsafe end(&place, &context) == 0, "\(name): never begun")
        #expect(begin(nil) == 0, "\(name): no context")
        #expect(unsafe whole(nil, 0, nil) == nil, "\(name): no place")
        #expect(unsafe begin(&context) == 1)
        #expect(unsafe end(nil, &context) == 0, "\(name): no place")
        #expect(unsafe end(&place, &context) == 1)
        #expect(unsafe end(&place, &context) == 0, "\(name): has ended")
    }
}

/// CommonDigest: expected values from RFC 1321 and FIPS 180-4.
@Suite("Digests of CommonCrypto")
struct DigestTests {
    @Test("MD5 is RFC 1321's, whole, in pieces and from copies")
    func md5() {
        unsafe Functions(
            name: "MD5", size: CC_MD5_DIGEST_LENGTH, block: CC_MD5_BLOCK_BYTES, new: CC_MD5_CTX(), begin: CC_MD5_Init,
            goOn: CC_MD5_Update, end: CC_MD5_Final, whole: CC_MD5
        ).check(abc: bytes("900150983cd24fb0d6963f7d28e17f72"), empty: bytes("d41d8cd98f00b204e9800998ecf8427e"))
    }

    @Test("SHA-1 is FIPS 180-4's, whole, in pieces and from copies")
    func sha1() {
        unsafe Functions(
            name: "SHA1", size: CC_SHA1_DIGEST_LENGTH, block: CC_SHA1_BLOCK_BYTES, new: CC_SHA1_CTX(),
            begin: CC_SHA1_Init, goOn: CC_SHA1_Update, end: CC_SHA1_Final, whole: CC_SHA1
        ).check(
            abc: bytes("a9993e364706816aba3e25717850c26c9cd0d89d"),
            empty: bytes("da39a3ee5e6b4b0d3255bfef95601890afd80709"))
    }

    @Test("SHA-224 is FIPS 180-4's, whole, in pieces and from copies")
    func sha224() {
        unsafe Functions(
            name: "SHA224", size: CC_SHA224_DIGEST_LENGTH, block: CC_SHA224_BLOCK_BYTES, new: CC_SHA256_CTX(),
            begin: CC_SHA224_Init, goOn: CC_SHA224_Update, end: CC_SHA224_Final, whole: CC_SHA224
        ).check(
            abc: bytes("23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"),
            empty: bytes("d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f"))
    }

    @Test("SHA-256 is FIPS 180-4's, whole, in pieces and from copies")
    func sha256() {
        unsafe Functions(
            name: "SHA256", size: CC_SHA256_DIGEST_LENGTH, block: CC_SHA256_BLOCK_BYTES, new: CC_SHA256_CTX(),
            begin: CC_SHA256_Init, goOn: CC_SHA256_Update, end: CC_SHA256_Final, whole: CC_SHA256
        ).check(
            abc: bytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            empty: bytes("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
    }

    @Test("SHA-384 is FIPS 180-4's, whole, in pieces and from copies")
    func sha384() {
        unsafe Functions(
            name: "SHA384", size: CC_SHA384_DIGEST_LENGTH, block: CC_SHA384_BLOCK_BYTES, new: CC_SHA512_CTX(),
            begin: CC_SHA384_Init, goOn: CC_SHA384_Update, end: CC_SHA384_Final, whole: CC_SHA384
        ).check(
            abc: bytes(
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7"),
            empty: bytes(
                "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b"))
    }

    @Test("SHA-512 is FIPS 180-4's, whole, in pieces and from copies")
    func sha512() {
        let abc =
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
            + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
        let empty =
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
            + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
        unsafe Functions(
            name: "SHA512", size: CC_SHA512_DIGEST_LENGTH, block: CC_SHA512_BLOCK_BYTES, new: CC_SHA512_CTX(),
            begin: CC_SHA512_Init, goOn: CC_SHA512_Update, end: CC_SHA512_Final, whole: CC_SHA512
        ).check(abc: bytes(abc), empty: bytes(empty))
    }

    @Test("A context in memory that nobody initialised or deinitialises is begun and ended")
    func rawMemory() {
        let context = UnsafeMutablePointer<CC_SHA256_CTX>.allocate(capacity: 1)
        defer { unsafe context.deallocate() }
        var digest = [UInt8](repeating: 0, count: 32)
        unsafe CC_SHA256_Init(context)
        unsafe CC_SHA256_Update(context, "abc", 3)
        unsafe CC_SHA256_Final(&digest, context)
        #expect(digest == bytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
    }

    @Test("MD2 and MD4 compute nothing, and say so")
    func withdrawn() {
        var digest = [UInt8](repeating: 7, count: Int(CC_MD4_DIGEST_LENGTH))
        var (md2, md4) = (CC_MD2_CTX(), CC_MD4_CTX())
        #expect(unsafe CC_MD2_Init(&md2) == 0 && CC_MD4_Init(&md4) == 0)
        #expect(unsafe CC_MD2_Update(&md2, "a", 1) == 0 && CC_MD4_Update(&md4, "a", 1) == 0)
        #expect(unsafe CC_MD2_Final(&digest, &md2) == 0 && CC_MD4_Final(&digest, &md4) == 0)
        #expect(unsafe CC_MD2("a", 1, &digest) == nil && CC_MD4("a", 1, &digest) == nil)
        #expect(digest == [UInt8](repeating: 7, count: 16))
    }
}
