import Foundation
import Security
import TestSupport
import Testing

/// Calls from Apple's articles on the items of enclave keys.
@Suite("Keys of the Secure Enclave as items")
struct EnclaveKeyItemTests {
    @Test(
        "the private half cannot be had: not as data, not as a value, not among the attributes",
        .rule("keys.enclave.reference"))
    func noBytes() throws {
        try withKeychain { _ in
            let key = try #require(makeKey(enclaveKey("login")).value)
            let exported = unsafe outcome { unsafe SecKeyCopyExternalRepresentation(key, $0) as Data? }
            #expect(exported.value == nil)
            #expect(exported.code == Int(errSecUnimplemented))
            let found = find(privateKey("login") + [kSecReturnData: true])
            #expect(found.status == errSecSuccess && found.object == nil)
            let all = find(
                privateKey("login") + [kSecReturnData: true, kSecReturnRef: true, kSecReturnAttributes: true])
            #expect(all.attributes?[kSecValueData as String] == nil)
            #expect(all.attributes?[kSecValueRef as String] as? SecKey == key)
            #expect(all.attributes?[kSecAttrTokenID as String] as? String == "com.apple.setoken")
            #expect(find(privateKey("login") + [kSecReturnData: true, kSecMatchLimit: kSecMatchLimitAll]).count == 0)
        }
    }

    @Test(
        "Its attributes are those of a token's key: where it is, who may use it, and no value",
        .rule("keys.attributes.token"))
    func attributes() throws {
        try withKeychain { _ in
            let control = SecAccessControlCreateFlags.privateKeyUsage
            let made = makeKey(enclaveKey("login", kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, control))
            let key = try #require(made.value)
            let attributes = try #require(SecKeyCopyAttributes(key) as? [String: Any])
            #expect(attributes["tkid"] as? String == "com.apple.setoken")
            #expect((attributes["toid"] as? Data)?.isEmpty == false)
            #expect("\(attributes["accc"] ?? "")".contains("cku;ock(true);odel(true);osgn(true)"))
            #expect(attributes["v_Data"] == nil)
            #expect(attributes["kcls"] as? String == "1" && attributes["bsiz"] as? Int == 256)
            let label = try #require(attributes["klbl"] as? Data)
            #expect(handle([kSecClass: kSecClassKey, kSecAttrApplicationLabel: label]) == key)
        }
    }

    @Test(
        "without deleting the old key first, the old one stays in effect; deleted, the new one is",
        .rule("keys.item.duplicate"))
    func recreate() throws {
        try withKeychain { _ in
            let first = try #require(makeKey(enclaveKey("login")).value)
            _ = makeKey(enclaveKey("login"))
            #expect(handle(privateKey("login")) == first)
            // The same name as the label of the pair. Then there is no second item.
            let named: Attributes = [kSecAttrApplicationLabel: Data("name")]
            let old = try #require(makeKey(enclaveKey("named", more: named)).value)
            #expect(makeKey(enclaveKey("named", more: named)).code == Int(errSecDuplicateItem))
            #expect(handle(privateKey("named")) == old)
            #expect(delete(privateKey("login")) == errSecSuccess)
            let new = try #require(makeKey(enclaveKey("login")).value)
            #expect(handle(privateKey("login")) == new)
            #expect(new != first)
        }
    }

    @Test("SecItemDelete by class and label removes the private and the public key", .rule("keys.item.delete-label"))
    func deletePair() throws {
        try withKeychain { _ in
            let pair = enclaveKey("pair") + [kSecPublicKeyAttrs: [kSecAttrIsPermanent: true, kSecAttrLabel: "pair"]]
            _ = makeKey(pair)
            _ = makeKey(enclaveKey("other"))
            #expect(delete([kSecClass: kSecClassKey, kSecAttrLabel: "pair"]) == errSecSuccess)
            #expect(count([kSecClass: kSecClassKey]) == 1)
            #expect(handle(privateKey("pair")) == nil)
        }
    }

    @Test(
        "an enclave key is deleted by token, class and label; a key of the program's stays",
        .rule("keys.item.delete-token"))
    func deleteByToken() throws {
        try withKeychain { _ in
            _ = makeKey(enclaveKey("login"))
            let software: Attributes = [
                kSecAttrKeyType: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits: 256,
                kSecPrivateKeyAttrs: [kSecAttrIsPermanent: true, kSecAttrLabel: "login"],
            ]
            _ = makeKey(software)
            let token: Attributes = [kSecAttrTokenID: kSecAttrTokenIDSecureEnclave]
            #expect(delete(privateKey("login") + token) == errSecSuccess)
            #expect(delete(privateKey("login") + token) == errSecItemNotFound)
            #expect(handle(privateKey("login")).flatMap(external)?.count == 97)
        }
    }

    @Test(
        "the public key goes to a server as PEM, and openssl verifies what the enclave signed",
        .rule("keys.public.copy", "keys.public.export", "keys.public.pem"))
    func openssl() throws {
        try withKeychain { _ in
            let key = try #require(makeKey(enclaveKey("login")).value)
            let point = try #require(external(publicKey(key)))
            let header = Data(hexadecimal: "3059301306072a8648ce3d020106082a8648ce3d030107034200")
            let lines = (header + point).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            let pem = "-----BEGIN PUBLIC KEY-----\n\(lines)\n-----END PUBLIC KEY-----\n"
            let signature = try #require(sign(key).value)
            #expect(try OpenSSLCommand.verifies(signature, of: challenge, pem: pem))
            #expect(try !OpenSSLCommand.verifies(signature, of: challenge + [0], pem: pem))
        }
    }

    @Test(
        "a public key added by reference gives its bytes back; the second time it is a duplicate, to be deleted",
        .rule("keys.public.add")
    )
    func legacyExport() throws {
        try withKeychain { _ in
            let key = publicKey(try #require(makeKey(enclaveKey("login")).value))
            let item: Attributes = [
                kSecClass: kSecClassKey, kSecValueRef: key, kSecAttrApplicationTag: Data("org.example.public"),
                kSecAttrIsPermanent: true, kSecReturnData: true,
            ]
            let added = addReturning(item)
            #expect(added.status == errSecSuccess)
            #expect(added.data == external(key))
            #expect(addReturning(item).status == errSecDuplicateItem)
            #expect(delete([kSecClass: kSecClassKey, kSecAttrApplicationTag: Data("org.example.public")]) == 0)
            #expect(addReturning(item).data == external(key))
        }
    }

    @Test(
        "what is encrypted for an enclave key is decrypted in the enclave; larger input is refused with a reason",
        .rule("keys.enclave.algorithms"))
    func decryption() throws {
        try withKeychain { _ in
            let key = try #require(makeKey(enclaveKey("login")).value)
            for algorithm: SecKeyAlgorithm in [
                .eciesEncryptionStandardX963SHA256AESGCM, .eciesEncryptionCofactorVariableIVX963SHA512AESGCM,
            ] {
                for size in [0, 1, 10_000] {
                    let plaintext = Data(repeating: 5, count: size)
                    let ciphertext = try #require(encrypt(publicKey(key), algorithm, plaintext).value)
                    #expect(decrypt(key, algorithm, ciphertext).value == plaintext)
                    #expect(decrypt(key, algorithm, ciphertext.dropLast()).code == Int(errSecParam))
                }
                let large = try #require(encrypt(publicKey(key), algorithm, Data(count: 1 << 20)).value)
                let refused = decrypt(key, algorithm, large)
                #expect(refused.code == Int(errSecParam))
                #expect(refused.explanation?.contains("at most") == true)
            }
        }
    }

    @Test("an enclave key exchanges keys with a peer, who gets the same", .rule("keys.enclave.algorithms"))
    func exchanges() throws {
        try withKeychain { _ in
            let key = try #require(makeKey(enclaveKey("login")).value)
            let parameters: [String: Any] = [
                SecKeyKeyExchangeParameter.requestedSize.rawValue as String: 32,
                SecKeyKeyExchangeParameter.sharedInfo.rawValue as String: Data("info"),
            ]
            for (algorithm, parameters) in [
                (SecKeyAlgorithm.ecdhKeyExchangeStandard, [:]), (.ecdhKeyExchangeCofactorX963SHA384, parameters),
            ] {
                let ours = try #require(exchange(key, algorithm, publicKey(Keys.p256), parameters).value)
                #expect(ours == exchange(Keys.p256, algorithm, publicKey(key), parameters).value)
            }
            #expect(exchange(key, .ecdhKeyExchangeStandard, publicKey(Keys.p384)).code == Int(errSecParam))
        }
    }
}
