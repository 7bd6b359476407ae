import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainCrypto

@Suite("Keys that are none")
struct KeyImportTests {
    private func isKey(_ bytes: [UInt8], _ type: KeyType) -> Bool {
        (try? PrivateKey(external: bytes, type: type)) != nil
    }
    private func isPublicKey(_ bytes: [UInt8], _ type: KeyType) -> Bool {
        (try? PublicKey(external: bytes, type: type)) != nil
    }

    /// The same bytes with one bit changed, for every byte.
    private func changes(_ bytes: [UInt8]) -> [[UInt8]] {
        bytes.indices.map { index in
            var changed = bytes
            changed[index] ^= 1 << UInt8(index % 8)
            return changed
        }
    }

    @Test("A pair on a curve with any bit changed, cut or made longer is refused", arguments: [256, 384, 521])
    func curvePairs(bits: Int) throws {
        let key = try PrivateKey.generate(.ecSECPrimeRandom, bits: bits)
        let pair = try key.external().array
        let point = key.publicKey.external()
        #expect(isKey(pair, .ecSECPrimeRandom))
        for changed in changes(pair) { #expect(!isKey(changed, .ecSECPrimeRandom)) }
        for changed in changes(point) { #expect(!isPublicKey(changed, .ecSECPrimeRandom)) }
        for count in 0..<pair.count { #expect(!isKey(Array(pair.prefix(count)), .ecSECPrimeRandom)) }
        for count in 0..<point.count { #expect(!isPublicKey(Array(point.prefix(count)), .ecSECPrimeRandom)) }
        #expect(!isKey(pair + [0], .ecSECPrimeRandom))
        #expect(!isPublicKey(point + [0], .ecSECPrimeRandom))
        #expect(!isPublicKey(pair, .ecSECPrimeRandom))
        let size = KeyType.blockSize(bits: bits)
        // No private number is 0 or above the order, and compressed and hybrid points are other formats.
        #expect(!isKey(point + [UInt8](repeating: 0, count: size), .ecSECPrimeRandom))
        #expect(!isKey(point + [UInt8](repeating: 0xff, count: size), .ecSECPrimeRandom))
        #expect(!isPublicKey([2 + point[2 * size] % 2] + point[1...size], .ecSECPrimeRandom))
        #expect(!isPublicKey([6 + point[2 * size] % 2] + point.dropFirst(), .ecSECPrimeRandom))
    }

    @Test("An RSA pair with any bit changed, cut or made longer is refused")
    func moduli() throws {
        let pair = try PrivateKey.generate(.rsa, bits: 1024).external().array
        #expect(isKey(pair, .rsa))
        for changed in changes(pair) { #expect(!isKey(changed, .rsa)) }
        for count in stride(from: 0, to: pair.count, by: 7) { #expect(!isKey(Array(pair.prefix(count)), .rsa)) }
        #expect(!isKey(pair + [0], .rsa))
        #expect(!isPublicKey(pair, .rsa))
        #expect(!isKey([UInt8](repeating: 0x30, count: 10000), .rsa))
    }

    @Test("RSA public keys: size, modulus and exponent are held against the rules, the encoding against DER")
    func publicModuli() throws {
        let odd = { (bytes: Int) in [0] + [UInt8](repeating: 0xc1, count: bytes) }
        let key = { (modulus: [UInt8], exponent: [UInt8]) in der(0x30, der(2, modulus) + der(2, exponent)) }
        #expect(isPublicKey(key(odd(128), [1, 0, 1]), .rsa))
        #expect(isPublicKey(key(odd(1024), [3]), .rsa))
        for bytes in [63, 1025] { #expect(!isPublicKey(key(odd(bytes), [1, 0, 1]), .rsa)) }
        for bytes in [64, 127] { #expect(isPublicKey(key(odd(bytes), [1, 0, 1]), .rsa)) }
        // 1025 bits: not a multiple of eight.
        #expect(isPublicKey(key([1] + [UInt8](repeating: 0xc1, count: 128), [1, 0, 1]), .rsa))
        #expect(!isPublicKey(key(odd(127) + [0xc0], [1, 0, 1]), .rsa))
        for exponent in [[0], [1], [2], [1, 0, 0], [0xff], [1] + [UInt8](repeating: 1, count: 8)] as [[UInt8]] {
            #expect(!isPublicKey(key(odd(128), exponent), .rsa), "\(exponent)")
        }
        let modulus = der(2, odd(128))
        let longLength: [UInt8] = [0x30, 0x82, 0, UInt8(modulus.count + 5)] + modulus + [2, 3, 1, 0, 1]
        #expect(!isPublicKey(longLength, .rsa))
        #expect(!isPublicKey(der(0x30, modulus + [2, 4, 0, 1, 0, 1]), .rsa))
        #expect(!isPublicKey(der(0x30, modulus + [2, 3, 1, 0, 1] + [5, 0]), .rsa))
        #expect(!isPublicKey(key([UInt8](repeating: 0xc1, count: 128), [1, 0, 1]), .rsa))
    }

    @Test("Keys in another format are not taken for external representations")
    func otherFormats() throws {
        for (type, bits) in [(KeyType.rsa, 1024), (.ecSECPrimeRandom, 256), (.ed25519, 256), (.x25519, 256)] {
            let key = try PrivateKey.generate(type, bits: bits)
            #expect(try !isKey(key.privateKeyInfo().array, type))
            #expect(try !isPublicKey(key.publicKey.subjectPublicKeyInfo(), type))
        }
    }

    @Test(
        "PKCS#8 and SubjectPublicKeyInfo come back as the same keys; cut, longer or in a changed frame they are refused"
    )
    func infos() throws {
        for (type, bits) in [
            (KeyType.rsa, 1024), (.ecSECPrimeRandom, 256), (.ecSECPrimeRandom, 521), (.ed25519, 256), (.x25519, 256),
        ] {
            let key = try PrivateKey.generate(type, bits: bits)
            let info = try key.privateKeyInfo().array
            #expect(try PrivateKey(privateKeyInfo: info).external().isEqual(to: key.external()))
            let half = try key.publicKey.subjectPublicKeyInfo()
            #expect(try PublicKey(subjectPublicKeyInfo: half).external() == key.publicKey.external())
            #expect(throws: CryptoError.self) { try PrivateKey(privateKeyInfo: info + [0]) }
            #expect(throws: CryptoError.self) { try PublicKey(subjectPublicKeyInfo: half + [0]) }
            for count in 0..<info.count {
                #expect(throws: CryptoError.self) { try PrivateKey(privateKeyInfo: Array(info.prefix(count))) }
            }
            for index in 0..<half.count - key.publicKey.external().count {
                var changed = half
                changed[index] ^= 1
                #expect(throws: CryptoError.self) { try PublicKey(subjectPublicKeyInfo: changed) }
            }
        }
    }

    @Test(
        "Keys of kinds that are not used here are refused, in both their halves",
        arguments: [
            ["EC", "ec_paramgen_curve:secp256k1"], ["EC", "ec_paramgen_curve:prime239v1"],
            ["EC", "ec_paramgen_curve:P-256", "ec_param_enc:explicit"], ["RSA-PSS", "rsa_keygen_bits:1024"],
            ["RSA", "rsa_keygen_bits:1024", "rsa_keygen_primes:3"], ["ED448"], ["X448"],
        ])
    func otherKinds(_ words: [String]) throws {
        let folder = try TemporaryDirectory()
        let (info, half) = (folder.file("info"), folder.file("half"))
        let options = words.dropFirst().flatMap { ["-pkeyopt", $0] }
        let generated = try RunningProgram(
            "/usr/bin/openssl",
            ["genpkey", "-algorithm", words[0]] + options + ["-outform", "DER", "-out", info])
        try #require(generated.waitForExit() == 0)
        let written = try RunningProgram(
            "/usr/bin/openssl", ["pkey", "-inform", "DER", "-in", info, "-pubout", "-outform", "DER", "-out", half])
        try #require(written.waitForExit() == 0)
        let (infoBytes, halfBytes) = try (AtomicFile.read(info, limit: 65536), AtomicFile.read(half, limit: 65536))
        #expect(throws: CryptoError.self) { try PrivateKey(privateKeyInfo: infoBytes) }
        guard words.last != "rsa_keygen_primes:3" else { return }
        #expect(throws: CryptoError.self) { try PublicKey(subjectPublicKeyInfo: halfBytes) }
    }

    @Test("Bytes that somebody made up are refused, and nothing else happens")
    func madeUp() throws {
        var random = SplitMix64(seed: 20260)
        let key = try PrivateKey.generate(.rsa, bits: 1024)
        let seeds = try [
            key.external().array, key.publicKey.external(), key.privateKeyInfo().array,
            key.publicKey.subjectPublicKeyInfo(),
        ]
        for _ in 0..<2000 {
            var bytes = seeds[Int.random(in: 0..<seeds.count, using: &random)]
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
            }
            bytes.removeLast(Int.random(in: 0...bytes.count, using: &random) / 8)
            for type in KeyType.allCases {
                _ = isKey(bytes, type)
                _ = isPublicKey(bytes, type)
            }
            if let read = try? PrivateKey(privateKeyInfo: bytes) {
                #expect(try read.external().isEqual(to: key.external()))
            }
            if let read = try? PublicKey(subjectPublicKeyInfo: bytes) {
                #expect(try read.subjectPublicKeyInfo() == bytes)
            }
        }
    }

    @Test("A key of another algorithm is refused before its public half is computed, which takes seconds")
    func otherAlgorithms() {
        let bytes = signatureKey(bytes: 2_700)
        #expect(bytes.count > 8_000 && bytes.count < 8_192)
        let work = processorTime {
            for _ in 0..<5 {
                for type in KeyType.allCases { #expect(!isKey(bytes, type)) }
                #expect(throws: CryptoError.malformedKey) { try PrivateKey(privateKeyInfo: bytes) }
            }
        }
        // Each public half takes seconds of a processor, and there would be dozens.
        #expect(work < 60)
    }

    @Test("Sizes that are not made are refused before anything is computed")
    func sizes() {
        for bits in [Int.min, -1, 0, 511, 8193, 8200, 1 << 40, Int.max] {
            #expect(throws: CryptoError.unsupportedKeySize) { try PrivateKey.generate(.rsa, bits: bits) }
        }
        for bits in [0, 191, 225, 255, 257, 320, 512] {
            #expect(throws: CryptoError.unsupportedKeySize) { try PrivateKey.generate(.ecSECPrimeRandom, bits: bits) }
        }
    }
}
