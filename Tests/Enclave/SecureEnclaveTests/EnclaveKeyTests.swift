import EnclaveWire
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// Keys made inside: their operations, their callers, and their device states (rule keys.enclave.algorithms).
struct EnclaveKeyTests {
    private let device = TestDevice()

    @Test(
        "a key made inside signs with every algorithm of its kind, and its public half verifies",
        .rule("keys.enclave.inside", "keys.use.sign"))
    func signs() throws {
        let enclave = try device.start()
        let key = try enclave.makeKey(.test())
        let message = Array("a challenge".utf8)
        let algorithms = KeyAlgorithm.all.filter { $0.supports(.sign, type: .ecSECPrimeRandom, bits: 256) }
        #expect(algorithms.count == 23)
        for algorithm in algorithms {
            let input = try algorithm.input(for: message)
            let signature = try enclave.useKey(key, KeyUse(algorithm.name, input)).bytes
            #expect(try key.verifies(signature, input, algorithm), "\(algorithm.name)")
            // Hashing elsewhere, as programs do, gives what the message's own algorithm verifies.
            let other = try enclave.useKey(
                key, KeyUse(algorithm.digestVariant.name, try algorithm.digestVariant.input(for: message))
            ).bytes
            #expect(try key.verifies(other, input, algorithm), "\(algorithm.name)")
        }
    }

    @Test(
        "a key made inside exchanges keys, with a derivation and without, as its peer does",
        .rule("keys.enclave.inside"))
    func exchanges() throws {
        let enclave = try device.start()
        let key = try enclave.makeKey(.test())
        let peer = try PrivateKey.generate(.ecSECPrimeRandom, bits: 256)
        let algorithms = KeyAlgorithm.all.filter { $0.supports(.keyExchange, type: .ecSECPrimeRandom, bits: 256) }
        #expect(algorithms.count == 12)
        for algorithm in algorithms {
            let derives = algorithm.name.contains("KDF")
            let info: [UInt8] = derives ? [1, 2, 3] : []
            let use = KeyUse(
                algorithm.name, peer.publicKey.external(), requestedSize: derives ? 40 : 0, sharedInfo: info)
            let expected = try peer.agree(
                with: key.publicKey.span, algorithm,
                parameters: KeyParameters(requestedSize: derives ? 40 : nil, sharedInfo: info))
            #expect(try enclave.useKey(key, use).isEqual(to: expected), "\(algorithm.name)")
        }
    }

    @Test(
        "what was encrypted for a key made inside is decrypted there, with every algorithm of its kind",
        .rule("keys.enclave.algorithms"))
    func decrypts() throws {
        let enclave = try device.start()
        let key = try enclave.makeKey(.test())
        let publicKey = try PublicKey(external: key.publicKey.span, type: .ecSECPrimeRandom)
        let algorithms = KeyAlgorithm.all.filter { $0.supports(.decrypt, type: .ecSECPrimeRandom, bits: 256) }
        #expect(algorithms.count == 18)
        for algorithm in algorithms {
            for content in [[], Array("secret".utf8), [UInt8](repeating: 7, count: 5000)] {
                let sealed = try publicKey.encrypt(content.span, algorithm)
                let opened = try enclave.useKey(key, KeyUse(algorithm.name, sealed))
                #expect(opened.bytes == content, "\(algorithm.name)")
            }
        }
    }

    @Test("An algorithm that is none of the key's, or unknown, is refused", arguments: ["algid:sign:RSA:raw", "", "x"])
    func foreignAlgorithms(name: String) throws {
        let enclave = try device.start()
        let key = try enclave.makeKey(.test())
        let refused = refusal { _ = try enclave.useKey(key, KeyUse(name, [1])) }
        #expect(refused?.rule == .keyAlgorithm)
        #expect(refused?.status == .param)
    }

    @Test(
        "Input that does not fit is refused: digests of other lengths, no points, points off the curve, no ciphertext")
    func unfitInput() throws {
        let enclave = try device.start()
        let key = try enclave.makeKey(.test())
        var offCurve = key.publicKey
        offCurve[40] ^= 1
        let sealed = try PublicKey(external: key.publicKey.span, type: .ecSECPrimeRandom).encrypt(
            [1, 2, 3].span, try #require(KeyAlgorithm(name: "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM")))
        var changed = sealed
        changed[changed.count - 1] ^= 1
        let refused: [(String, [UInt8])] = [
            ("algid:sign:ECDSA:digest-X962:SHA256", [UInt8](repeating: 1, count: 31)),
            ("algid:sign:ECDSA:digest-X962:SHA256", []), ("algid:sign:ECDSA:digest-X962", []),
            ("algid:sign:ECDSA:RFC4754", [UInt8](repeating: 1, count: 65)),
            ("algid:keyexchange:ECDH", []), ("algid:keyexchange:ECDH", offCurve),
            ("algid:keyexchange:ECDH", [UInt8](repeating: 4, count: 65)),
            ("algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM", []),
            ("algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM", Array(sealed.prefix(80))),
            ("algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM", changed),
            ("algid:encrypt:ECIES:ECDH:KDFX963:SHA1:AESGCM", sealed),
        ]
        for (name, input) in refused {
            let refused = refusal { _ = try enclave.useKey(key, KeyUse(name, input)) }
            #expect(
                refused?.status == .param && [.keyInput, .keyData].contains(refused?.rule), "\(name) \(input.count)")
        }
        let use = KeyUse("algid:keyexchange:ECDH:KDFX963:SHA256", key.publicKey)
        #expect(refusal { _ = try enclave.useKey(key, use) }?.rule == .keyParameter)
    }
}

// MARK: - Who and when

extension EnclaveKeyTests {
    @Test(
        "a key whose access control does not let its private half be used signs nothing",
        .rule("access-control.flags.private-key"))
    func usageFlag() throws {
        let enclave = try device.start()
        let key = try enclave.makeKey(.test(control: 0))
        let refused = refusal { _ = try enclave.useKey(key, .signature) }
        #expect(refused?.status == .authFailed)
        #expect(refused?.rule == .keyUsage)
    }

    @Test("A key works exactly while its class is open", arguments: Accessibility.allCases.dropLast())
    func classes(accessibility: Accessibility) throws {
        let enclave = try device.start()
        let key = try enclave.makeKey(.test(accessibility))
        try enclave.setPasscode(TestDevice.passcode("one"))
        _ = try enclave.useKey(key, .signature)
        try enclave.lock()
        let isOpen = accessibility.availability != .whileUnlocked
        let uses: [(SoftwareEnclave) throws -> Void] = [
            { _ = try $0.useKey(key, .signature) }, { try $0.checkKey(key) },
            { _ = try $0.makeKey(.test(accessibility)) },
            { _ = try $0.rebindKey(key, to: .test(accessibility, group: "other")) },
        ]
        for use in uses { #expect(refusal { try use(enclave) }?.rule == (isOpen ? nil : .locked)) }
        let restarted = try device.start()
        let opensByItself = accessibility.availability == .always
        for use in uses { #expect(refusal { try use(restarted) }?.rule == (opensByItself ? nil : .locked)) }
        try restarted.unlock(passcode: TestDevice.passcode("one"))
        for use in uses { #expect(refusal { try use(restarted) } == nil) }
    }

    @Test(
        "a key for which a passcode must be set cannot be made without one, and goes with it",
        .rule("keys.enclave.passcode"))
    func passcodeClass() throws {
        let enclave = try device.start()
        let refused = refusal { _ = try enclave.makeKey(.test(.whenPasscodeSetThisDeviceOnly)) }
        #expect(refused?.status == .authFailed && refused?.rule == .passcodeNotSet)
        try enclave.setPasscode(TestDevice.passcode("one"))
        let key = try enclave.makeKey(.test(.whenPasscodeSetThisDeviceOnly))
        _ = try enclave.useKey(key, .signature)
        try enclave.removePasscode(TestDevice.passcode("one"))
        let gone = refusal { _ = try enclave.useKey(key, .signature) }
        #expect(gone?.status == .interactionNotAllowed && gone?.rule == .passcodeNotSet)
        try enclave.setPasscode(TestDevice.passcode("one"))
        #expect(refusal { _ = try enclave.useKey(key, .signature) }?.status == .decode)
    }

    @Test("A key of another device, or with any byte changed, is refused")
    func foreignKeys() throws {
        let enclave = try device.start()
        let key = try enclave.makeKey(.test())
        let other = TestDevice()
        #expect(refusal { try other.start().checkKey(key) }?.status == .decode)
        for offset in key.bytes.indices {
            var bytes = key.bytes
            bytes[offset] ^= 0x10
            let changed = try? SealedKey(decoding: SecretBytes(copying: bytes.span))
            guard let changed else { continue }
            #expect(refusal { try enclave.checkKey(changed) }?.status == .decode, "byte \(offset)")
            #expect(refusal { _ = try enclave.useKey(changed, .signature) }?.status == .decode)
            #expect(refusal { _ = try enclave.rebindKey(changed, to: .test()) }?.status == .decode)
        }
        try enclave.checkKey(key)
    }
}

// MARK: - Rebinding

extension EnclaveKeyTests {
    @Test("A key is bound to another group, class and control, and is the same key")
    func rebinding() throws {
        let enclave = try device.start()
        let key = try enclave.makeKey(.test(control: 0))
        let bound = try enclave.rebindKey(key, to: .test(.always, group: "other"))
        #expect(bound.binding == .test(.always, group: "other"))
        #expect(bound.publicKey == key.publicKey)
        let signature = try enclave.useKey(bound, .signature).bytes
        #expect(try key.verifies(signature, KeyUse.signature.input, .messageX962))
    }
}
