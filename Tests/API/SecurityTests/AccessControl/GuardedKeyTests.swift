import KeychainTesting
import Security
import Testing

/// Private keys with an access control (S-34, S-41, S-42, S-45).
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

    @Test("S-41, S-45: finding a key asks nobody; the prompt appears when it signs, each time")
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

    @Test("S-45: decrypting and exchanging keys ask as well; what the public half does asks nobody")
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

    @Test("S-42: a key found with a context asks in it, with its reason; what was shown serves it again")
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

    @Test("S-36: a key found with an operation's text asks with it")
    func operationPrompt() throws {
        try withKey { keychain in
            let key = try #require(handle(privateKey("login") + [kSecUseOperationPrompt: "to sign"]))
            keychain.user.will(.touch("thumb"))
            #expect(works(key))
            #expect(keychain.user.questions.first?.reason == "to sign")
        }
    }

    @Test("S-73, S-74: an RSA key of the current set is found by its attributes and asks when it signs")
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

    @Test("S-34, S-35: a key may have a password, set when it is made and given when it is used")
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

    @Test("What guards a key cannot be loosened without the user")
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
