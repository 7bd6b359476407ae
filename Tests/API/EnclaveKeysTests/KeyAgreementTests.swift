import EnclaveKeys
import Foundation
import KeychainTesting
import Security
import TestSupport
import Testing

typealias KeyAgreement = SecureEnclave.P256.KeyAgreement

@Suite("Agreeing on secrets with keys of the enclave")
struct KeyAgreementTests {
    private let keychain: TestKeychain

    init() throws { keychain = try TestKeychain() }

    @Test("Two sides derive the same keys, a third another one")
    func agreement() async throws {
        try await keychain.run {
            let one = try await KeyAgreement.PrivateKey()
            let two = try await KeyAgreement.PrivateKey()
            let three = try await KeyAgreement.PrivateKey()
            let first = try await one.sharedSecretFromKeyAgreement(with: two.publicKey)
            let second = try await two.sharedSecretFromKeyAgreement(with: one.publicKey)
            let third = try await three.sharedSecretFromKeyAgreement(with: one.publicKey)
            #expect(try hkdf(first) == hkdf(second))
            #expect(try hkdf(first) != hkdf(third))
            #expect(try x963(first) == x963(second))
            #expect(try x963(first) != hkdf(first))
        }
    }

    @Test("The derivation binds its purpose into the key", arguments: KeyAgreement.DerivationHash.allCases)
    func sharedInfo(_ hash: KeyAgreement.DerivationHash) throws {
        try keychain.run {
            let key = try KeyAgreement.PrivateKey()
            let secret = try key.sharedSecretFromKeyAgreement(with: key.publicKey)
            let one = try secret.x963DerivedSymmetricKey(using: hash, sharedInfo: Data([1]), outputByteCount: 32)
            let two = try secret.x963DerivedSymmetricKey(using: hash, sharedInfo: Data([2]), outputByteCount: 32)
            #expect(one != two)
            #expect(one.bitCount == 256)
        }
    }

    @Test("what the enclave derives is what a key in the program derives", .rule("keys.enclave.inside"))
    func matchesSoftware() throws {
        try keychain.run {
            let inside = try KeyAgreement.PrivateKey()
            let attributes: NSDictionary = [
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
            ]
            let made = SecKeyCreateRandomKey(attributes, nil)
            let outside = try #require(made)
            let point = SecKeyCopyPublicKey(outside).flatMap { SecKeyCopyExternalRepresentation($0, nil) }
            let peer = try KeyAgreement.PublicKey(x963Representation: try #require(point) as Data)
            let secret = try inside.sharedSecretFromKeyAgreement(with: peer)
            let info = Data("x".utf8)
            let key = try secret.x963DerivedSymmetricKey(using: .sha256, sharedInfo: info, outputByteCount: 40)
            let bytes = unsafe key.withUnsafeBytes { unsafe Data($0) }
            #expect(try bytes == derive(outside, inside.publicKey))
        }
    }

    private func derive(_ key: SecKey, _ peer: KeyAgreement.PublicKey) throws -> Data {
        let attributes: NSDictionary = [
            kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClass: kSecAttrKeyClassPublic,
        ]
        let made = SecKeyCreateWithData(peer.x963Representation as NSData, attributes, nil)
        let other = try #require(made)
        let parameters: NSDictionary = [
            SecKeyKeyExchangeParameter.requestedSize.rawValue: 40,
            SecKeyKeyExchangeParameter.sharedInfo.rawValue: Data("x".utf8) as NSData,
        ]
        let secret = SecKeyCopyKeyExchangeResult(
            key, .ecdhKeyExchangeStandardX963SHA256, other, parameters, nil)
        return try #require(secret) as Data
    }

    @Test("A key of no size or of too many bytes is refused", arguments: [0, -1, 1 << 20])
    func sizes(_ count: Int) throws {
        try keychain.run {
            let key = try KeyAgreement.PrivateKey()
            let secret = try key.sharedSecretFromKeyAgreement(with: key.publicKey)
            #expect(throws: EnclaveKeyError.self) {
                try secret.hkdfDerivedSymmetricKey(salt: Data(), sharedInfo: Data(), outputByteCount: count)
            }
            #expect(throws: EnclaveKeyError.self) {
                try secret.x963DerivedSymmetricKey(using: .sha256, sharedInfo: Data(), outputByteCount: count)
            }
        }
    }

    private func hkdf(_ secret: KeyAgreement.SharedSecret) throws -> SecureEnclave.SymmetricKey {
        try secret.hkdfDerivedSymmetricKey(salt: Data("salt".utf8), sharedInfo: Data(), outputByteCount: 32)
    }

    private func x963(_ secret: KeyAgreement.SharedSecret) throws -> SecureEnclave.SymmetricKey {
        try secret.x963DerivedSymmetricKey(using: .sha256, sharedInfo: Data(), outputByteCount: 32)
    }
}
