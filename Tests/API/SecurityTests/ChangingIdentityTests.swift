import KeychainTesting
import Security
import TestSupport
import Testing

/// The halves of identities after deleting, updating and adding (rules items.identity.delete, items.identity.update).
@Suite("Changing identities")
struct ChangingIdentityTests {
    private static var identities: Attributes { [kSecClass: kSecClassIdentity] }
    private static var certificates: Attributes { [kSecClass: kSecClassCertificate] }
    private static var keys: Attributes { [kSecClass: kSecClassKey] }

    @Test("Deleting an identity deletes its certificate and its key, and nothing else", .rule("items.identity.delete"))
    func deleting() throws {
        try withKeychain { _ in
            add(certificate(1))
            add(key("private"))
            add(key("public", class: kSecAttrKeyClassPublic))
            add(certificate(2, keyHash: Data("other")))
            #expect(delete(Self.identities) == errSecSuccess)
            #expect(count(Self.certificates) == 1)
            #expect(attributes(Self.keys)?["atag"] as? Data == Data("public"))
            #expect(delete(Self.identities) == errSecItemNotFound)
        }
    }

    @Test("A key stays as long as another certificate refers to it", .rule("items.identity.delete"))
    func sharedKey() throws {
        try withKeychain { _ in
            for number in 1...2 { add(certificate(UInt8(number))) }
            add(key())
            #expect(delete(Self.identities + [kSecAttrSerialNumber: Data([1])]) == errSecSuccess)
            #expect(count(Self.identities) == 1)
            #expect(count(Self.keys) == 1)
            #expect(delete(Self.identities + [kSecAttrSerialNumber: Data([2])]) == errSecSuccess)
            #expect(count(Self.keys) == 0)
        }
    }

    @Test("Deleting all identities deletes keys that several of them share")
    func all() throws {
        try withKeychain { _ in
            for number in 1...3 { add(certificate(UInt8(number))) }
            for name in ["a", "b"] { add(key(name)) }
            #expect(delete(Self.identities) == errSecSuccess)
            #expect(count(Self.certificates) == 0)
            #expect(count(Self.keys) == 0)
        }
    }

    @Test("A certificate of another program's group keeps the key")
    func foreignCertificate() throws {
        try withKeychain(accessGroups: ["A", "B"]) { keychain in
            for group in ["A", "B"] { add(certificate() + [kSecAttrAccessGroup: group]) }
            add(key() + [kSecAttrAccessGroup: "A"])
            keychain.program(accessGroups: ["A"]).run {
                #expect(delete(Self.identities) == errSecSuccess)
            }
            #expect(count(Self.certificates) == 1)
            #expect(count(Self.keys) == 1)
        }
    }

    @Test("An identity is deleted by its persistent reference")
    func byReference() throws {
        try withKeychain { _ in
            for number in 1...2 { add(certificate(UInt8(number))) }
            add(key())
            let query = Self.identities + [kSecAttrSerialNumber: Data([2]), kSecReturnPersistentRef: true]
            let reference = try #require(find(query).data)
            #expect(delete([kSecValuePersistentRef: reference]) == errSecSuccess)
            #expect(attributes(Self.certificates)?["slnr"] as? Data == Data([1]))
            #expect(count(Self.keys) == 1)
        }
    }

    @Test(
        "An update of an identity is refused and changes neither half: attributes belong to both",
        .rule("items.identity.update"))
    func updating() throws {
        try withKeychain { _ in
            add(certificate(1))
            add(key() + [kSecAttrLabel: "key"])
            #expect(update(Self.identities, [kSecAttrLabel: "new"]) == errSecParam)
            #expect(SecCopyLastItemError()?.rule == "query.key-not-allowed-here")
            #expect(attributes(Self.certificates)?["labl"] as? String == "certificate 1")
            #expect(attributes(Self.keys)?["labl"] as? String == "key")
        }
    }

    @Test("An identity by attributes alone cannot be added: it is not stored as such")
    func adding() throws {
        try withKeychain { _ in
            let item = Self.identities + [kSecAttrLabel: "l", kSecValueData: Data("value")]
            #expect(add(item) == errSecParam)
            #expect(SecCopyLastItemError()?.subject == "class")
            #expect(count(Self.certificates) == 0)
        }
    }
}
