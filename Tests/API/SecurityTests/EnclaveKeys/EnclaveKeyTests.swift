import KeychainTesting
import LocalAuthentication
import Security
import TestSupport
import Testing

/// Keys of the Secure Enclave, as in Apple's articles.
@Suite("Keys of the Secure Enclave")
struct EnclaveKeyTests {
    @Test(
        "SecKeyCreateRandomKey makes a permanent key in the enclave, which signs",
        .rule("keys.enclave.token", "keys.enclave.create"))
    func create() throws {
        try withKeychain { _ in
            let made = makeKey(enclaveKey("login"))
            let key = try #require(made.value, "\(made.explanation ?? "")")
            #expect(works(key))
            let found = try #require(handle(privateKey("login")))
            #expect(found == key)
            #expect(works(found))
            // The program stores the public half itself.
            #expect(count([kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPublic]) == 0)
        }
    }

    @Test("SecKeyGeneratePair gives both halves; only the public one can be had as data", .rule("keys.create.pair"))
    func pair() throws {
        try withKeychain { _ in
            var halves: (SecKey?, SecKey?)
            let parameters =
                enclaveKey("pair") + [kSecPublicKeyAttrs: [kSecAttrIsPermanent: true, kSecAttrLabel: "pair"]]
            #expect(unsafe SecKeyGeneratePair(parameters as CFDictionary, &halves.0, &halves.1) == errSecSuccess)
            let (publicHalf, privateHalf) = (try #require(halves.0), try #require(halves.1))
            let signature = try #require(sign(privateHalf).value)
            #expect(verify(publicHalf, .ecdsaSignatureMessageX962SHA256, challenge, signature).value == true)
            #expect(external(publicHalf)?.count == 65)
            #expect(external(privateHalf) == nil)
            let query: Attributes = [kSecClass: kSecClassKey, kSecAttrLabel: "pair"]
            #expect(count(query) == 2)
            let stored = try #require(handle(query + [kSecAttrKeyClass: kSecAttrKeyClassPublic]))
            #expect(external(stored) == external(publicHalf))
        }
    }

    @Test(
        "a guarded key is made and found without asking anybody; signing with it fails closed",
        .rule("keys.item.free", "keys.use.prompt", "keys.create.rsa-guarded"))
    func guarded() throws {
        try withKeychain { keychain in
            try keychain.device.setPasscode("1234")
            keychain.device.enrol(finger: "thumb")
            let flags: [SecAccessControlCreateFlags] = [
                [.privateKeyUsage, .biometryAny], [.privateKeyUsage, .userPresence],
                [.privateKeyUsage, .biometryCurrentSet], [.privateKeyUsage, .devicePasscode],
            ]
            for (index, flags) in flags.enumerated() {
                let made = makeKey(enclaveKey("key \(index)", kSecAttrAccessibleWhenUnlockedThisDeviceOnly, flags))
                #expect(made.value != nil, "\(made.explanation ?? "")")
                let key = try #require(handle(privateKey("key \(index)")))
                #expect(keychain.asked.count == index)
                let signed = sign(key)
                #expect(signed.value == nil)
                #expect(signed.code == Int(errSecInteractionNotAllowed))
                #expect(signed.explanation?.contains("user") == true)
            }
        }
    }

    @Test("a context with a reason goes along with the query for a key", .rule("keys.use.context"))
    func context() throws {
        try withKeychain { _ in
            _ = makeKey(enclaveKey("login"))
            let context = LAContext()
            context.localizedReason = "Log in"
            let key = try #require(handle(privateKey("login") + [kSecUseAuthenticationContext: context]))
            #expect(works(key))
        }
    }

    @Test(
        "a key whose access control has no privateKeyUsage does not sign; without an access control it does",
        .rule("access-control.flags.private-key"))
    func usage() throws {
        try withKeychain { _ in
            let key = try #require(makeKey(enclaveKey("a", kSecAttrAccessibleWhenUnlocked, [])).value)
            #expect(sign(key).code == Int(errSecAuthFailed))
            #expect(makeKey(enclaveKey("b", kSecAttrAccessibleWhenUnlocked, nil)).value.map(works) == true)
        }
    }

    @Test(
        "a key for unattended work signs on a locked device after the first unlock, and not before it",
        .rule("keys.enclave.unattended"))
    func unattended() throws {
        try withKeychain { keychain in
            _ = makeKey(enclaveKey("background", kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly))
            _ = makeKey(enclaveKey("foreground"))
            let background = try #require(handle(privateKey("background")))
            let foreground = try #require(handle(privateKey("foreground")))
            try keychain.device.setPasscode("1234")
            try keychain.device.lock()
            #expect(works(background))
            #expect(sign(foreground).code == Int(errSecInteractionNotAllowed))
            #expect(makeKey(enclaveKey("another")).code == Int(errSecInteractionNotAllowed))
            try keychain.device.restart()
            #expect(sign(background).code == Int(errSecInteractionNotAllowed))
            try keychain.device.unlock(passcode: "1234")
            #expect(works(background))
            #expect(works(foreground))
        }
    }

    @Test("a key that needs a passcode is made only where one is set", .rule("keys.enclave.passcode"))
    func passcodeSet() throws {
        try withKeychain { keychain in
            let parameters = enclaveKey("key", kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly)
            #expect(makeKey(parameters).code == Int(errSecAuthFailed))
            try keychain.device.setPasscode("1234")
            let key = try #require(makeKey(parameters).value)
            #expect(works(key))
            try keychain.device.removePasscode("1234")
            #expect(sign(key).value == nil)
            #expect(handle(privateKey("key")) == nil)
        }
    }

    @Test("other sizes and types are refused, and so are groups that are not the program's", .rule("keys.enclave.size"))
    func refused() throws {
        try withKeychain { _ in
            for change: Attributes in [
                [kSecAttrKeySizeInBits: 384], [kSecAttrKeySizeInBits: 521], [kSecAttrKeySizeInBits: 128],
                [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2048],
                [kSecAttrKeyType: kSecAttrKeyTypeEd25519],
            ] {
                let made = makeKey(enclaveKey("key") + change)
                #expect(made.value == nil && made.code == Int(errSecParam))
            }
            let foreign = makeKey(enclaveKey("key", more: [kSecAttrAccessGroup: "OTHER.group"]))
            #expect(foreign.code == Int(errSecMissingEntitlement))
            #expect(count([kSecClass: kSecClassKey]) == 0)
        }
    }
}
