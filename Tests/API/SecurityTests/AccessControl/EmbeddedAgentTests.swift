import EmbeddedKeychain
import KeychainWire
import LinuxSystem
import Security
import TestSupport
import Testing

/// The embedded keychain of a program without an installation.
@Suite("Without an agent")
struct EmbeddedAgentTests {
    @Test("Nobody is reached, there is no biometry, and what needs nobody works")
    func unreachable() throws {
        let directory = try TemporaryDirectory()
        let keychain = try EmbeddedKeychain(folder: directory.path + "/keychain")
        let passcode = try PasscodeFile.make(SecretBytes(copying: Array("1234".utf8).span))
        _ = try keychain.device(.setPasscode, passcodes: [passcode])
        guard case .capabilities(let found) = try keychain.authentication(.capabilities, descriptors: []) else {
            return #expect(Bool(false), "another answer")
        }
        #expect(found == AuthenticationCapabilities(biometry: .none, passcodeIsSet: true))
        KeychainSession.scoped(to: keychain) {
            #expect(add(guarded(.userPresence)) == errSecSuccess)
            #expect(reading().status == errSecInteractionNotAllowed)
            #expect(lastRule == "state.user-unreachable")
            #expect(add(guarded(.biometryAny, "finger")) == errSecAuthFailed)
            #expect(add(genericPassword("open") + [kSecValueData: Data("v")]) == errSecSuccess)
            #expect(value(genericPassword("open")) == Data("v"))
        }
    }
}
