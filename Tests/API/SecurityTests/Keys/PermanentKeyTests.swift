import KeychainTesting
import Security
import Testing

@Suite("Keys that stay (semantics F.1)")
struct PermanentKeyTests {
    private let pair: Attributes = [kSecAttrKeyType: kSecAttrKeyTypeEC, kSecAttrKeySizeInBits: 256]

    private func stored(_ half: CFString, _ more: Attributes = [:]) -> Attributes {
        [kSecClass: kSecClassKey, kSecAttrKeyClass: half] + more
    }

    @Test("A private key that is to stay is added with its attributes, and found as the same key; others are not added")
    func privateKey() throws {
        try withKeychain { _ in
            let tag = Data("com.example.key".utf8)
            let own: Attributes = [kSecAttrIsPermanent: true, kSecAttrLabel: "login", kSecAttrApplicationTag: tag]
            let made = try #require(makeKey(pair + [kSecPrivateKeyAttrs: own]).value)
            #expect(makeKey(pair).value != nil)
            #expect(count(stored(kSecAttrKeyClassPrivate)) == 1)
            #expect(count(stored(kSecAttrKeyClassPublic)) == 0)
            let query = stored(kSecAttrKeyClassPrivate, [kSecAttrApplicationTag: tag, kSecReturnRef: true])
            let key = try #require(find(query).object as! SecKey?)
            #expect(key == made)
            let signature = try #require(sign(key, .ecdsaSignatureMessageX962SHA256, tag).value)
            #expect(verify(publicKey(made), .ecdsaSignatureMessageX962SHA256, tag, signature).value == true)
        }
    }

    @Test("The public key is added only when its own attributes say so; those at the top hold for both")
    func bothHalves() throws {
        try withKeychain { _ in
            let top: Attributes = [kSecAttrIsPermanent: true, kSecAttrLabel: "both"]
            #expect(makeKey(pair + top).value != nil)
            #expect(count(stored(kSecAttrKeyClassPublic)) == 0)
            #expect(makeKey(pair + top + [kSecPublicKeyAttrs: [kSecAttrIsPermanent: true]]).value != nil)
            #expect(count(stored(kSecAttrKeyClassPrivate, [kSecAttrLabel: "both"])) == 2)
            #expect(count(stored(kSecAttrKeyClassPublic, [kSecAttrLabel: "both"])) == 1)
        }
    }

    @Test("A key that cannot be added is not made: the error is that of adding")
    func refused() throws {
        try withKeychain { _ in
            let own: Attributes = [kSecAttrIsPermanent: true, kSecAttrAccessGroup: "TEAM.other"]
            let made = makeKey(pair + [kSecPrivateKeyAttrs: own])
            #expect(made.value == nil)
            #expect(made.code == Int(errSecMissingEntitlement))
            #expect(made.explanation?.isEmpty == false)
            #expect(count(stored(kSecAttrKeyClassPrivate)) == 0)
        }
    }
}
