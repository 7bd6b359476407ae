import EnclaveKeys
import Foundation
import KeychainTesting
import LocalAuthentication
import Security
import TestSupport
import Testing

@Suite("keys of the enclave have CryptoKit's initialisers with a context", .rule("keys.enclave.cryptokit"))
struct ContextKeyTests {
    private let keychain: TestKeychain
    private let message = Data("a challenge".utf8)

    init() throws {
        keychain = try TestKeychain()
        keychain.device.enrol(finger: "thumb")
    }

    private func guarded() throws -> SecAccessControl {
        let made = SecAccessControlCreateWithFlags(
            nil, kSecAttrAccessibleWhenUnlockedThisDeviceOnly, [.privateKeyUsage, .biometryAny], nil)
        return try #require(made)
    }

    @Test("There is an enclave where the keychain can be reached")
    func isAvailable() { keychain.run { #expect(SecureEnclave.isAvailable) } }

    @Test("What was shown in a context serves a key that was made in it, and one that is taken up in it")
    func context() throws {
        try keychain.run {
            let context = LAContext()
            context.localizedReason = "to log in"
            let key = try Signing.PrivateKey(accessControl: guarded(), authenticationContext: context)
            keychain.device.user.will(.touch("thumb"))
            let signature = try key.signature(for: message)
            #expect(key.publicKey.isValidSignature(signature, for: message))
            #expect(keychain.device.user.questions.first?.reason.contains("to log in") == true)
            let again = try Signing.PrivateKey(
                dataRepresentation: key.dataRepresentation, authenticationContext: context)
            #expect(key.publicKey.isValidSignature(try again.signature(for: message), for: message))
            #expect(keychain.device.user.questions.count == 1)
            let without = try Signing.PrivateKey(dataRepresentation: key.dataRepresentation, authenticationContext: nil)
            #expect(throws: EnclaveKeyError.self) { try without.signature(for: message) }
        }
    }

    @Test("A context that was invalidated makes no key and uses none")
    func invalidated() async throws {
        let control = try guarded()
        try await keychain.run {
            let context = LAContext()
            let key = try await KeyAgreement.PrivateKey(accessControl: control, authenticationContext: context)
            context.invalidate()
            await #expect(throws: EnclaveKeyError.self) {
                try await key.sharedSecretFromKeyAgreement(with: key.publicKey)
            }
            await #expect(throws: EnclaveKeyError.self) {
                try await KeyAgreement.PrivateKey(accessControl: control, authenticationContext: context)
            }
        }
    }
}
