import KeychainModel
import LinuxSystem
import Testing

@testable import KeychainCrypto

/// The private key may be in a component that only does the raw exchange and signs a digest.
@Suite("Operations whose private half is done elsewhere")
struct KeyLayeringTests {
    @Test("ECIES opens with a shared X coordinate that came from elsewhere", arguments: [256, 384, 521])
    func ecies(bits: Int) throws {
        let key = try PrivateKey.generate(.ecSECPrimeRandom, bits: bits)
        let content: [UInt8] = Array("content".utf8)
        for algorithm in KeyAlgorithm.all where algorithm.name.hasPrefix("algid:encrypt:ECIES") {
            for parameters in [KeyParameters(), KeyParameters(sharedInfo: [1, 2, 3])] {
                let box = try key.publicKey.encrypt(content, algorithm, parameters)
                let point = try ECIES.ephemeralPoint(of: box.span, curveBits: bits)
                let shared = try key.sharedX(with: PublicKey(external: point, type: .ecSECPrimeRandom))
                let opened = try ECIES.open(
                    message: box.span, sharedX: shared, curveBits: bits, algorithm, parameters: parameters)
                #expect(opened.array == content)
                #expect(try key.decrypt(box, algorithm, parameters) == content)
                #expect(throws: CryptoError.authenticationFailed) {
                    try key.decrypt(box, algorithm, KeyParameters(sharedInfo: [4]))
                }
            }
        }
    }

    @Test("An exchange is finished with a shared X coordinate that came from elsewhere")
    func exchange() throws {
        let (own, peer) = try (
            PrivateKey.generate(.ecSECPrimeRandom, bits: 256), PrivateKey.generate(.ecSECPrimeRandom, bits: 256)
        )
        let shared = try own.sharedX(with: peer.publicKey)
        for algorithm in KeyAlgorithm.all where algorithm.serves(.keyExchange) {
            let derives = algorithm.name.contains("KDF")
            let parameters = derives ? KeyParameters(requestedSize: 48, sharedInfo: [9]) : KeyParameters()
            let finished = try KeyAgreement.finish(sharedX: shared, algorithm, parameters: parameters)
            let whole = try peer.agree(with: own.publicKey, algorithm, parameters: parameters)
            #expect(finished.isEqual(to: whole))
        }
    }

    @Test("A message is signed by whoever signs digests: the variant of the algorithm says how")
    func digests() throws {
        for (type, bits) in [(KeyType.rsa, 1032), (.ecSECPrimeRandom, 256)] {
            let key = try PrivateKey.generate(type, bits: bits)
            for algorithm in KeyAlgorithm.all where algorithm.supports(.sign, type: type, bits: bits) {
                guard let hash = algorithm.messageHash else {
                    #expect(algorithm.digestVariant == algorithm)
                    continue
                }
                let message: [UInt8] = [1, 2, 3]
                let digest = try Digest.of(message.span, hash)
                let signature = try key.sign(digest, algorithm.digestVariant)
                #expect(try key.publicKey.verify(signature, of: message, algorithm), "\(algorithm.name)")
            }
        }
    }

    @Test("Both encodings of an ECDSA signature are made of each other", arguments: [256, 384, 521])
    func encodings(bits: Int) throws {
        let key = try PrivateKey.generate(.ecSECPrimeRandom, bits: bits)
        for _ in 0..<100 {
            let signature = try key.sign([1], .ecdsa)
            let plain = try ECDSASignature(x962: signature).plain(bits: bits)
            #expect(plain.count == 2 * KeyType.blockSize(bits: bits))
            #expect(try ECDSASignature(plain: plain, bits: bits).x962() == signature)
        }
        let signature = try key.sign([1], .ecdsa)
        #expect(throws: CryptoError.malformedKey) { try ECDSASignature(x962: signature + [0]) }
        #expect(throws: CryptoError.malformedKey) { try ECDSASignature(x962: signature.dropLast()) }
        #expect(throws: CryptoError.malformedKey) { try ECDSASignature(plain: [1, 2, 3], bits: bits) }
        #expect(throws: CryptoError.unsupportedKeySize) { try ECDSASignature(plain: [1, 2, 3], bits: 225) }
    }

    @Test("Parameters that do not go with an algorithm are refused")
    func parameters() throws {
        let key = try PrivateKey.generate(.ecSECPrimeRandom, bits: 256)
        let rsa = try PrivateKey.generate(.rsa, bits: 1024)
        let pkcs1 = KeyAlgorithm(name: "algid:encrypt:RSA:PKCS1")!
        let tooMuch = [UInt8](repeating: 0, count: KeyParameters.mostSharedInfoBytes + 1)
        #expect(throws: CryptoError.invalidParameter) {
            try rsa.publicKey.encrypt([1], pkcs1, KeyParameters(sharedInfo: [1]))
        }
        #expect(throws: CryptoError.invalidParameter) {
            try key.publicKey.encrypt([1], .ecies, KeyParameters(requestedSize: 16))
        }
        #expect(throws: CryptoError.invalidParameter) {
            try key.publicKey.encrypt([1], .ecies, KeyParameters(sharedInfo: tooMuch))
        }
        let plain = try key.agree(with: key.publicKey, .ecdh, parameters: KeyParameters())
        let ignored = KeyParameters(requestedSize: 7, sharedInfo: tooMuch)
        #expect(try key.agree(with: key.publicKey, .ecdh, parameters: ignored).isEqual(to: plain))
    }
}
