import KeychainTesting
import Security
import TestSupport
import Testing

/// Keys in the keychain: found by their attributes, and used without their bytes if the item requires it.
@Suite("Keys kept in the keychain")
struct KeptKeyTests {
    private static var rsa: Attributes { [kSecAttrKeyType: kSecAttrKeyTypeRSA, kSecAttrKeySizeInBits: 2048] }
    private static var tag: Data { Data("org.example.rsa") }

    @Test("a key is found by class, half, type, size and tag, alone or together", .rule("keys.item.found"))
    func lookup() throws {
        try withKeychain { _ in
            let attributes: Attributes = [kSecAttrIsPermanent: true, kSecAttrApplicationTag: Self.tag]
            let key = try #require(makeKey(Self.rsa + [kSecPrivateKeyAttrs: attributes]).value)
            add([kSecClass: kSecClassKey, kSecValueRef: Keys.p256, kSecAttrApplicationTag: Data("other")])
            let parts: [Attributes] = [
                [kSecAttrKeyClass: kSecAttrKeyClassPrivate], [kSecAttrKeyType: kSecAttrKeyTypeRSA],
                [kSecAttrKeySizeInBits: 2048], [kSecAttrApplicationTag: Self.tag],
            ]
            for part in parts.dropFirst() { #expect(handle([kSecClass: kSecClassKey] + part) == key) }
            let all = parts.reduce([kSecClass: kSecClassKey]) { $0 + $1 }
            let found = try #require(handle(all))
            #expect(external(found) == external(key))
            #expect(handle(all + [kSecAttrKeySizeInBits: 1024]) == nil)
        }
    }

    @Test(
        "an RSA key whose use is guarded is made and found, never leaves, and fails closed when it is to sign",
        .rule("keys.create.rsa-guarded"))
    func guardedRSA() throws {
        try withKeychain { keychain in
            keychain.device.enrol(finger: "thumb")
            let control = accessControl(
                kSecAttrAccessibleWhenUnlockedThisDeviceOnly, [.privateKeyUsage, .biometryCurrentSet])
            let attributes: Attributes = [
                kSecAttrIsPermanent: true, kSecAttrApplicationTag: Self.tag, kSecAttrAccessControl: control as Any,
            ]
            let made = makeKey(Self.rsa + [kSecPrivateKeyAttrs: attributes])
            let query: Attributes = [kSecClass: kSecClassKey, kSecAttrApplicationTag: Self.tag]
            for key in [try #require(made.value, "\(made.explanation ?? "")"), try #require(handle(query))] {
                #expect(external(key) == nil)
                let signed = sign(key, .rsaSignatureMessagePKCS1v15SHA256, challenge)
                #expect(signed.code == Int(errSecInteractionNotAllowed))
            }
            #expect(value(query) == nil)
        }
    }

    @Test(
        "a private key stored by reference under a tag is read back as a key, and deleted", .rule("keys.item.reference")
    )
    func byReference() throws {
        try withKeychain { _ in
            let item: Attributes = [
                kSecClass: kSecClassKey, kSecAttrApplicationTag: Self.tag, kSecAttrKeyClass: kSecAttrKeyClassPrivate,
                kSecAttrKeyType: kSecAttrKeyTypeRSA,
            ]
            #expect(add(item + [kSecValueRef: Keys.rsa2048]) == errSecSuccess)
            var object: CFTypeRef?
            #expect(unsafe SecItemCopyMatching(item + [kSecReturnRef: true] as CFDictionary, &object) == errSecSuccess)
            let key = try #require(object as! SecKey?)
            #expect(CFGetTypeID(key) == SecKeyGetTypeID())
            #expect(external(key) == external(Keys.rsa2048))
            #expect(add(item + [kSecValueRef: Keys.rsa2048]) == errSecDuplicateItem)
            #expect(delete(item) == errSecSuccess)
            #expect(handle(item) == nil)
        }
    }

    @Test(
        "A key of every kind is stored by reference, both halves, and comes back as the same key",
        .rule("keys.item.reference"), arguments: Keys.all)
    func everyKind(key: SecKey) throws {
        try withKeychain { _ in
            for half in [key, publicKey(key)] {
                #expect(addReturning([kSecValueRef: half, kSecReturnRef: true]).object as? SecKey == half)
                #expect(handle([kSecClass: kSecClassKey, kSecValueRef: half]) == half)
                let persistent = try #require(
                    find([kSecClass: kSecClassKey, kSecValueRef: half, kSecReturnPersistentRef: true]).data)
                #expect(handle([kSecValuePersistentRef: persistent]) == half)
            }
            #expect(count([kSecClass: kSecClassKey, kSecValueRef: key]) == 1)
            #expect(delete([kSecClass: kSecClassKey, kSecValueRef: key]) == errSecSuccess)
            #expect(count([kSecClass: kSecClassKey]) == 1)
        }
    }

    @Test(
        "A key that is not extractable is used without its bytes entering the program",
        .rule("keys.item.not-extractable"))
    func notExtractable() throws {
        try withKeychain { _ in
            for (parameters, algorithm): (Attributes, SecKeyAlgorithm) in [
                (Self.rsa, .rsaSignatureMessagePSSSHA256),
                (
                    [kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 521],
                    .ecdsaSignatureMessageX962SHA512
                ),
                (
                    [kSecAttrKeyType: kSecAttrKeyTypeEd25519, kSecAttrKeySizeInBits: 256],
                    SecKeyAlgorithm(rawValue: "algid:sign:EdDSA:message-Curve25519:SHA512" as CFString)
                ),
            ] {
                let attributes: Attributes = [
                    kSecAttrIsPermanent: true, kSecAttrIsExtractable: false, kSecAttrLabel: "kept",
                ]
                let made = makeKey(parameters + [kSecPrivateKeyAttrs: attributes])
                for key in [
                    try #require(made.value, "\(made.explanation ?? "")"), try #require(handle(privateKey("kept"))),
                ] {
                    #expect(external(key) == nil)
                    let signature = try #require(sign(key, algorithm, challenge).value)
                    #expect(verify(publicKey(key), algorithm, challenge, signature).value == true)
                    #expect((SecKeyCopyAttributes(key) as? [String: Any])?["extr"] as? Bool == false)
                }
                #expect(value(privateKey("kept")) == nil)
                #expect(update(privateKey("kept"), [kSecAttrIsExtractable: true]) == errSecParam)
                #expect(delete(privateKey("kept")) == errSecSuccess)
            }
        }
    }

    @Test(
        "a key of a shared group serves every program of the group, and is nothing to others", .rule("keys.item.shared")
    )
    func groups() throws {
        try withKeychain(accessGroups: ["TEAM.program", "TEAM.suite"]) { keychain in
            let key = try #require(makeKey(enclaveKey("shared", more: [kSecAttrAccessGroup: "TEAM.suite"])).value)
            keychain.program(accessGroups: ["TEAM.other", "TEAM.suite"]).run {
                #expect(handle(privateKey("shared")).map(works) == true)
                #expect(works(key))
            }
            keychain.program(accessGroups: ["TEAM.stranger"]).run {
                #expect(handle(privateKey("shared")) == nil)
                // A handle from another program does not help.
                #expect(sign(key).code == Int(errSecMissingEntitlement))
                #expect(add([kSecClass: kSecClassKey, kSecValueRef: key]) == errSecMissingEntitlement)
            }
        }
    }

    @Test("bytes do not become a key of the enclave", .rule("keys.enclave.import"))
    func noImport() throws {
        try withKeychain { _ in
            let token: Attributes = [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave]
            #expect(add([kSecClass: kSecClassKey, kSecValueRef: Keys.p256] + token) == errSecParam)
            #expect(add(key() + [kSecValueData: external(Keys.p256) as Any] + token) == errSecParam)
            #expect(SecCopyLastItemError()?.problem.contains("made inside") == true)
            let imported = importKey(external(Keys.p256)!, kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeyClassPrivate)
            #expect(imported.value != nil)
            #expect(count([kSecClass: kSecClassKey]) == 0)
        }
    }

    @Test("A key that is not permanent is in nobody's keychain, and works as long as its handle")
    func notPermanent() throws {
        try withKeychain { _ in
            let made = makeKey(enclaveKey("passing", more: [kSecAttrIsPermanent: false]))
            let key = try #require(made.value)
            #expect(works(key))
            #expect(count([kSecClass: kSecClassKey]) == 0)
            #expect(
                addReturning([kSecValueRef: key, kSecAttrLabel: "kept", kSecReturnRef: true]).object as? SecKey == key)
            #expect(handle(privateKey("kept")).map(works) == true)
        }
    }

    @Test("A key keeps working when its item is moved to another group or class")
    func moved() throws {
        try withKeychain(accessGroups: ["TEAM.program", "TEAM.suite"]) { _ in
            _ = makeKey(enclaveKey("login"))
            for change: Attributes in [
                [kSecAttrAccessGroup: "TEAM.suite"], [kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock],
                [kSecAttrAccessControl: accessControl(kSecAttrAccessibleWhenUnlocked, .privateKeyUsage) as Any],
            ] {
                #expect(update(privateKey("login"), change) == errSecSuccess)
                #expect(handle(privateKey("login")).map(works) == true)
            }
        }
    }
}
