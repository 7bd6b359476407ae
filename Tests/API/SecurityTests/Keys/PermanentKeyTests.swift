import KeychainTesting
import Security
import TestSupport
import Testing

@Suite("Keys that stay", .rule("keys.create.permanent"))
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

    @Test(
        "What stands at the top holds for both halves, and each half's own attributes over it",
        .rule("keys.create.halves"))
    func bothHalves() throws {
        try withKeychain { _ in
            let top: Attributes = [kSecAttrIsPermanent: true, kSecAttrLabel: "both"]
            #expect(makeKey(pair + top).value != nil)
            #expect(count(stored(kSecAttrKeyClassPublic, [kSecAttrLabel: "both"])) == 1)
            #expect(makeKey(pair + top + [kSecPublicKeyAttrs: [kSecAttrIsPermanent: false]]).value != nil)
            #expect(count(stored(kSecAttrKeyClassPrivate, [kSecAttrLabel: "both"])) == 2)
            #expect(count(stored(kSecAttrKeyClassPublic, [kSecAttrLabel: "both"])) == 1)
            #expect(makeKey(pair + top + [kSecPrivateKeyAttrs: [kSecAttrIsPermanent: false]]).value != nil)
            #expect(count(stored(kSecAttrKeyClassPrivate, [kSecAttrLabel: "both"])) == 2)
            #expect(count(stored(kSecAttrKeyClassPublic, [kSecAttrLabel: "both"])) == 2)
        }
    }

    @Test("When one half cannot be stored, neither is", .rule("keys.create.permanent"))
    func neither() throws {
        try withKeychain { _ in
            let foreign: Attributes = [kSecAttrAccessGroup: "TEAM.other"]
            for part in [kSecPrivateKeyAttrs, kSecPublicKeyAttrs] {
                let made = makeKey(pair + [kSecAttrIsPermanent: true, part: foreign])
                #expect(made.code == Int(errSecMissingEntitlement))
                #expect(count(stored(kSecAttrKeyClassPrivate)) == 0)
                #expect(count(stored(kSecAttrKeyClassPublic)) == 0)
            }
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
