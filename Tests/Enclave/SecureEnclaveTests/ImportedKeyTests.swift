import EnclaveWire
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// Private keys that programs hand in so that they cannot leave.
struct ImportedKeyTests {
    private let device = TestDevice()

    @Test(
        "A key of every type does inside what it does outside, and its bytes are not in what comes back",
        arguments: [
            (KeyType.rsa, 2048), (.ecSECPrimeRandom, 256), (.ecSECPrimeRandom, 521), (.ed25519, 256), (.x25519, 256),
        ])
    func everyType(type: KeyType, bits: Int) throws {
        let enclave = try device.start()
        let key = try PrivateKey.generate(type, bits: bits)
        let bytes = try key.external()
        let sealed = try enclave.importKey(bytes, type: type.number, .test(control: 0))
        #expect(sealed.origin == .imported && sealed.keyType == type.number && Int(sealed.bits) == bits)
        #expect(sealed.publicKey == key.publicKey.external())
        #expect(!sealed.bytes.contains(bytes.bytes.suffix(32)))
        for algorithm in KeyAlgorithm.all { try compare(sealed, key, algorithm, enclave) }
    }

    private func compare(
        _ sealed: SealedKey, _ key: PrivateKey, _ algorithm: KeyAlgorithm, _ enclave: SoftwareEnclave
    ) throws {
        if algorithm.supports(.sign, type: key.type, bits: key.bits) {
            let input = try algorithm.input(for: Array("message".utf8), bits: key.bits)
            let signature = try enclave.useKey(sealed, KeyUse(algorithm.name, input)).bytes
            #expect(try sealed.verifies(signature, input, algorithm), "\(algorithm.name)")
        }
        if algorithm.supports(.decrypt, type: key.type, bits: key.bits) {
            let content =
                algorithm.name.hasSuffix(":raw") ? [0] + [UInt8](repeating: 5, count: key.bits / 8 - 1) : [5, 6]
            let input = try key.publicKey.encrypt(content.span, algorithm)
            #expect(try enclave.useKey(sealed, KeyUse(algorithm.name, input)).bytes.suffix(2) == content.suffix(2))
        }
        if algorithm.supports(.keyExchange, type: key.type, bits: key.bits) {
            let peer = try PrivateKey.generate(key.type, bits: key.bits)
            let size = algorithm.name.contains("KDF") ? 32 : 0
            let use = KeyUse(algorithm.name, peer.publicKey.external(), requestedSize: UInt32(size))
            let parameters = KeyParameters(requestedSize: size == 0 ? nil : size)
            let expected = try peer.agree(with: key.publicKey, algorithm, parameters: parameters)
            #expect(try enclave.useKey(sealed, use).isEqual(to: expected))
        }
    }

    @Test("The largest key there is fits")
    func largest() throws {
        let enclave = try device.start()
        let key = try PrivateKey.generate(.rsa, bits: 4096)
        let sealed = try enclave.importKey(try key.external(), type: 42, .test(control: 0))
        // An RSA key's parts grow in proportion to its size, the largest being of 8192 bits.
        #expect(sealed.sealed.count * 2 < KeyLimits.privateKeyBytes)
        #expect(sealed.publicKey.count * 2 < KeyLimits.publicKeyBytes)
    }

    @Test("What is no private key of the type is refused, and so is a type nobody knows")
    func malformed() throws {
        let enclave = try device.start()
        let key = try PrivateKey.generate(.ecSECPrimeRandom, bits: 256).external().bytes
        var wrongHalf = key
        wrongHalf[96] ^= 1
        for bytes in [[], [4], Array(key.dropLast()), key + [0], Array(key.prefix(65)), wrongHalf] {
            let refused = refusal {
                _ = try enclave.importKey(SecretBytes(copying: bytes.span), type: 73, .test(control: 0))
            }
            #expect(refused?.rule == .keyData && refused?.status == .param)
        }
        for type: UInt8 in [0, 43, 107, 255] {
            let secret = SecretBytes(copying: key.span)
            #expect(refusal { _ = try enclave.importKey(secret, type: type, .test()) }?.rule == .keyType)
        }
        #expect(
            refusal { _ = try enclave.importKey(SecretBytes(copying: key.span), type: 42, .test()) }?.rule == .keyData)
    }

    @Test("Keys in use are kept loaded within a limit, and forgotten when the device is locked")
    func loaded() throws {
        let keys = LoadedKeys()
        let all = try (0...LoadedKeys.limit).map { _ in try PrivateKey.generate(.ed25519, bits: 256).external() }
        let first = try all.map { try $0.loaded(in: keys) }
        #expect(try all[LoadedKeys.limit].loaded(in: keys) === first[LoadedKeys.limit])
        #expect(try all[1].loaded(in: keys) === first[1])
        #expect(try all[0].loaded(in: keys) !== first[0])
        keys.forget()
        #expect(try all[1].loaded(in: keys) !== first[1])
    }

    @Test("The same bytes as keys of two types are two keys")
    func sameBytes() throws {
        let enclave = try device.start()
        let bytes = try PrivateKey.generate(.x25519, bits: 256).external()
        let message = KeyAlgorithm.all.first { $0.name.contains("Curve25519") }
        let algorithms = [
            (KeyType.ed25519, try #require(message?.name)), (.x25519, "algid:keyexchange:ECDH"),
            (.ed25519, try #require(message?.name)),
        ]
        for (type, algorithm) in algorithms {
            let key = try enclave.importKey(bytes, type: type.number, .test(control: 0))
            let peer = try PrivateKey.generate(.x25519, bits: 256).publicKey.external()
            #expect(try enclave.useKey(key, KeyUse(algorithm, peer)).count == (type == .ed25519 ? 64 : 32))
        }
    }

    @Test("The device's lock forgets what was loaded, whether it came to this process or to another one")
    func lockForgets() throws {
        let enclave = try device.start()
        try enclave.setPasscode(TestDevice.passcode("one"))
        let other = try device.start()
        try other.unlock(passcode: TestDevice.passcode("one"))
        for (user, lock) in [
            (enclave, { () throws -> Void in try enclave.lock() }),
            (
                other,
                { () throws -> Void in
                    try enclave.changePasscode(from: TestDevice.passcode("one"), to: TestDevice.passcode("two"))
                }
            ),
        ] {
            weak var key: PrivateKey?
            let bytes = try PrivateKey.generate(.ecSECPrimeRandom, bits: 256).external()
            try user.unlock(passcode: TestDevice.passcode("one"))
            let sealed = try user.importKey(bytes, type: 73, .test(control: 0))
            _ = try user.useKey(sealed, .signature)
            key = try bytes.loaded(in: user.loaded)
            #expect(key != nil)
            try lock()
            #expect(refusal { _ = try user.useKey(sealed, .signature) }?.rule == .locked)
            #expect(key == nil)
        }
    }
}

extension SecretBytes {
    fileprivate func loaded(in keys: LoadedKeys) throws -> PrivateKey {
        let type: KeyType = count == 32 ? .ed25519 : .ecSECPrimeRandom
        return try withSpan { (bytes) throws(CryptoError) in try keys.key(bytes, type) }
    }
}
