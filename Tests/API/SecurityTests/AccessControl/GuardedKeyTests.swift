import KeychainTesting
import Security
import TestSupport
import Testing

/// Private keys with an access control (rules access-control.flags.private-key, keys.item.free, keys.use.context,
/// keys.use.prompt).
@Suite("Asking the user for keys")
struct GuardedKeyTests {
    private typealias Flags = SecAccessControlCreateFlags
    private let flags: SecAccessControlCreateFlags = [.privateKeyUsage, .biometryAny]

    private func withKey(_ body: (TestKeychain) throws -> Void) throws {
        try withKeychain { keychain in
            keychain.device.enrol(finger: "thumb")
            let made = makeKey(enclaveKey("login", kSecAttrAccessibleWhenUnlockedThisDeviceOnly, flags))
            #expect(made.value != nil, "\(made.explanation ?? "")")
            #expect(keychain.asked == [])
            try body(keychain)
        }
    }

    @Test(
        "finding a key asks nobody; the prompt appears when it signs, each time",
        .rule("keys.item.free", "keys.use.prompt"))
    func signs() throws {
        try withKey { keychain in
            let key = try #require(handle(privateKey("login")))
            #expect(keychain.asked == [])
            keychain.user.will(.touch("thumb"), .touch("thumb"))
            #expect(works(key))
            #expect(works(key))
            #expect(keychain.asked == [.finger, .finger])
            #expect(keychain.user.questions.first?.item == "login")
            #expect(sign(key).code == Int(errSecInteractionNotAllowed))
            keychain.user.will(.cancel)
            #expect(sign(key).code == Int(errSecUserCanceled))
        }
    }

    @Test("decrypting and exchanging keys ask as well; what the public half does asks nobody", .rule("keys.use.prompt"))
    func decrypts() throws {
        try withKey { keychain in
            let key = try #require(handle(privateKey("login")))
            let algorithm = SecKeyAlgorithm.eciesEncryptionCofactorVariableIVX963SHA256AESGCM
            let sealed = try #require(encrypt(publicKey(key), algorithm, Data("text")).value)
            #expect(keychain.asked == [])
            #expect(decrypt(key, algorithm, sealed).code == Int(errSecInteractionNotAllowed))
            keychain.user.will(.touch("thumb"), .touch("thumb"))
            #expect(decrypt(key, algorithm, sealed).value == Data("text"))
            let peer = Keys.p256
            let own = exchange(key, .ecdhKeyExchangeStandard, publicKey(peer)).value
            #expect(own != nil && own == exchange(peer, .ecdhKeyExchangeStandard, publicKey(key)).value)
        }
    }

    @Test(
        "a key found with a context asks in it, with its reason; what was shown serves it again",
        .rule("keys.use.context"))
    func contexts() throws {
        try withKey { keychain in
            let context = TestContext(reason: "to log in")
            let key = try #require(handle(privateKey("login") + [kSecUseAuthenticationContext: context]))
            keychain.user.will(.touch("thumb"))
            #expect(works(key))
            #expect(works(key))
            #expect(keychain.user.questions.map(\.reason) == ["to log in"])
            context.change { $0.isInvalidated = true }
            #expect(sign(key).code == Int(errSecAuthFailed))
        }
    }

    @Test("a key found with an operation's text asks with it", .rule("authentication.prompt.text"))
    func operationPrompt() throws {
        try withKey { keychain in
            let key = try #require(handle(privateKey("login") + [kSecUseOperationPrompt: "to sign"]))
            keychain.user.will(.touch("thumb"))
            #expect(works(key))
            #expect(keychain.user.questions.first?.reason == "to sign")
        }
    }

    @Test(
        "an RSA key of the current set is found by its attributes and asks when it signs",
        .rule("keys.create.rsa-guarded", "keys.item.found"))
    func kept() throws {
        try withKeychain { keychain in
            keychain.device.enrol(finger: "thumb")
            let control = try #require(
                accessControl(
                    kSecAttrAccessibleWhenUnlockedThisDeviceOnly, [.privateKeyUsage, .biometryCurrentSet]))
            let made = makeKey([
                kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2048,
                kSecPrivateKeyAttrs: [
                    kSecAttrIsPermanent: true, kSecAttrApplicationTag: Data("tag"), kSecAttrAccessControl: control,
                ] as Attributes,
            ])
            #expect(made.value != nil, "\(made.explanation ?? "")")
            let query: Attributes = [
                kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
                kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2048,
                kSecAttrApplicationTag: Data("tag"),
            ]
            let key = try #require(handle(query))
            keychain.user.will(.touch("thumb"))
            let algorithm = SecKeyAlgorithm.rsaSignatureMessagePKCS1v15SHA256
            let signature = try #require(sign(key, algorithm, challenge).value)
            #expect(verify(publicKey(key), algorithm, challenge, signature).value == true)
            keychain.device.enrol(finger: "index")
            keychain.user.will(.touch("thumb"))
            #expect(sign(key, algorithm, challenge).code == Int(errSecAuthFailed))
        }
    }

    @Test(
        "a key may have a password, set when it is made and given when it is used",
        .rule("access-control.flags.private-key", "access-control.password.key"))
    func password() throws {
        try withKeychain { keychain in
            let context: Attributes = [kSecUseAuthenticationContext: TestContext(password: "p")]
            let made = makeKey(
                enclaveKey(
                    "login", kSecAttrAccessibleWhenUnlocked, [.privateKeyUsage, .applicationPassword], more: context))
            #expect(made.value.map(works) == true, "\(made.explanation ?? "")")
            let found = try #require(handle(privateKey("login") + context))
            #expect(works(found))
            let bare = try #require(handle(privateKey("login")))
            #expect(sign(bare).code == Int(errSecInteractionNotAllowed))
            keychain.user.will(.password("p"))
            #expect(works(bare))
        }
    }

    @Test("What guards a key cannot be loosened without the user", .rule("keys.use.guard-kept"))
    func loosening() throws {
        try withKey { keychain in
            let loose = try #require(accessControl(kSecAttrAccessibleWhenUnlocked, .privateKeyUsage))
            #expect(update(privateKey("login"), [kSecAttrAccessControl: loose]) == errSecInteractionNotAllowed)
            keychain.user.will(.touch("thumb"))
            #expect(update(privateKey("login"), [kSecAttrAccessControl: loose]) == errSecSuccess)
            let loosened = try #require(handle(privateKey("login")))
            #expect(works(loosened))
        }
    }
}
