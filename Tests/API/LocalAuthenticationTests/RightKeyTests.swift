import KeychainTesting
import LocalAuthentication
import TestSupport
import Testing

/// The keys of saved rights (rule authentication.right.key).
@Suite("Keys of rights") struct RightKeyTests {
    private let phone: Phone
    private let right: LAPersistedRight

    init() async throws {
        let phone = try Phone()
        self.phone = phone
        right = try await phone.keychain.run { try await LARightStore.shared.saveRight(LARight(), identifier: "key") }
    }

    private func authorize() async throws {
        phone.user.will(.touch("thumb"))
        try await phone.keychain.run { try await right.authorize(localizedReason: "to test") }
    }

    @Test("What the private key signs, the public key verifies, and nothing else", .rule("authentication.right.key"))
    func signing() async throws {
        try await authorize()
        let (message, algorithm) = (Data("message".utf8), SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256)
        try await phone.keychain.run {
            let signature = try await right.key.sign(message, algorithm: algorithm)
            try await right.key.publicKey.verify(message, signature: signature, algorithm: algorithm)
            let other = await status {
                try await right.key.publicKey.verify(Data("other".utf8), signature: signature, algorithm: algorithm)
            }
            #expect(other == errSecVerifyFailed)
        }
        #expect(phone.asked == [.finger])
    }

    @Test("What the public key encrypts, without authorization, the private key decrypts, with it")
    func encrypting() async throws {
        let algorithm = SecKeyAlgorithm.eciesEncryptionCofactorVariableIVX963SHA256AESGCM
        let sealed = try await phone.keychain.run {
            try await right.key.publicKey.encrypt(Data("secret".utf8), algorithm: algorithm)
        }
        await phone.keychain.run {
            #expect(await code { _ = try await right.key.decrypt(sealed, algorithm: algorithm) } == .notInteractive)
        }
        try await authorize()
        let opened = try await phone.keychain.run { try await right.key.decrypt(sealed, algorithm: algorithm) }
        #expect(opened == Data("secret".utf8))
    }

    @Test("Two keys agree on one secret")
    func exchange() async throws {
        let other: NSDictionary = [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256]
        let made = SecKeyCreateRandomKey(other, nil)
        let peer = try #require(made)
        let exported = SecKeyCopyPublicKey(peer).flatMap { SecKeyCopyExternalRepresentation($0, nil) }
        let point = try #require(exported) as Data
        try await authorize()
        let (mine, bytes) = try await phone.keychain.run {
            (
                try await right.key.exchangeKeys(
                    publicKey: point, algorithm: .ecdhKeyExchangeStandard, parameters: [:]),
                try await right.key.publicKey.bytes
            )
        }
        #expect(bytes.count == 65)
        let attributes: NSDictionary = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPublic,
        ]
        let read = SecKeyCreateWithData(bytes as CFData, attributes, nil)
        let key = try #require(read)
        let theirs = SecKeyCopyKeyExchangeResult(peer, .ecdhKeyExchangeStandard, key, NSDictionary(), nil) as Data?
        #expect(mine == theirs)
    }

    @Test("Each half says what it can do")
    func abilities() {
        phone.keychain.run {
            let key = right.key
            #expect(key.canSign(using: .ecdsaSignatureMessageX962SHA256))
            #expect(!key.canSign(using: .rsaSignatureMessagePSSSHA256))
            #expect(key.canDecrypt(using: .eciesEncryptionCofactorVariableIVX963SHA256AESGCM))
            #expect(key.canExchangeKeys(using: .ecdhKeyExchangeStandard))
            #expect(!key.canExchangeKeys(using: .ecdsaSignatureMessageX962SHA256))
            #expect(key.publicKey.canVerify(using: .ecdsaSignatureMessageX962SHA256))
            #expect(key.publicKey.canEncrypt(using: .eciesEncryptionCofactorVariableIVX963SHA256AESGCM))
            #expect(!key.publicKey.canEncrypt(using: .rsaEncryptionPKCS1))
        }
    }

    @Test("What the algorithm or the data do not fit is errSecParam")
    func misfits() async throws {
        try await authorize()
        await phone.keychain.run {
            let key = right.key
            #expect(
                await status { _ = try await key.sign(Data(), algorithm: .rsaSignatureMessagePSSSHA256) }
                    == errSecParam)
            #expect(
                await status {
                    _ = try await key.exchangeKeys(
                        publicKey: Data([4, 1]), algorithm: .ecdhKeyExchangeStandard, parameters: [:])
                } == errSecParam)
            #expect(
                await status {
                    _ = try await key.publicKey.encrypt(Data(), algorithm: .ecdhKeyExchangeStandard)
                } == errSecParam)
        }
        #expect(right.state == .authorized)
    }

    @Test("The forms with completion handlers tell the same, once")
    func handlers() async throws {
        try await authorize()
        let (right, message) = (right, Data("message".utf8))
        let algorithm = SecKeyAlgorithm.ecdsaSignatureMessageX962SHA256
        let outcome = await withCheckedContinuation { continuation in
            phone.keychain.run {
                right.key.sign(message, algorithm: algorithm) { signature, _ in
                    right.key.publicKey.exportBytes { bytes, _ in
                        right.key.publicKey.verify(message, signature: signature ?? Data(), algorithm: algorithm) {
                            continuation.resume(returning: $0 == nil && bytes?.count == 65)
                        }
                    }
                }
            }
        }
        #expect(outcome)
    }
}
