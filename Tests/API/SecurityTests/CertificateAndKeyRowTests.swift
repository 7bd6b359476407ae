import Security
import TestSupport
import Testing

/// Certificates and keys as rows with attributes and data (rule certificates.item.rows).
@Suite("Certificates and keys as rows")
struct CertificateAndKeyRowTests {
    @Test(
        "A certificate is found by each attribute it is known by", .rule("certificates.item.rows"),
        arguments: ["ctyp", "subj", "issr", "slnr", "pkhh", "labl"])
    func certificateAttributes(code: String) throws {
        try withKeychain { _ in
            add(certificate(1) + [kSecValueData: Data("DER 1")])
            let other: Attributes = [
                kSecAttrCertificateType: 1, kSecAttrSubject: Data([9]), kSecAttrIssuer: Data([9]),
                kSecAttrPublicKeyHash: Data([9]),
            ]
            #expect(add(certificate(2) + other) == errSecSuccess)
            let query: Attributes = [
                kSecClass: kSecClassCertificate, code as CFString: certificate(1)[code as CFString] as Any,
            ]
            #expect(count(query) == 1)
            #expect(value(query) == Data("DER 1"))
        }
    }

    @Test("A certificate's numbers and names come back as given")
    func certificateResult() throws {
        try withKeychain { _ in
            add(certificate(5) + [kSecAttrCertificateEncoding: 3, kSecAttrSubjectKeyID: Data([1, 2])])
            let found = try #require(attributes([kSecClass: kSecClassCertificate]))
            #expect(found["ctyp"] as? Int == 3)
            #expect(found["cenc"] as? Int == 3)
            #expect(found["slnr"] as? Data == Data([5]))
            #expect(found["skid"] as? Data == Data([1, 2]))
            #expect(found["pkhh"] as? Data == Data(repeating: 7, count: 20))
        }
    }

    @Test(
        "A key is found by class, type, size, tag and label", .rule("keys.item.found"),
        arguments: ["kcls", "type", "bsiz", "atag", "klbl"])
    func keyAttributes(code: String) throws {
        try withKeychain { _ in
            add(key() + [kSecValueData: Data("private")])
            let other: Attributes = [
                kSecClass: kSecClassKey, kSecAttrKeyClass: kSecAttrKeyClassPublic, kSecAttrKeyType: kSecAttrKeyTypeRSA,
                kSecAttrKeySizeInBits: 2048, kSecAttrApplicationTag: "other", kSecAttrApplicationLabel: Data([1]),
            ]
            #expect(add(other) == errSecSuccess)
            let query: Attributes = [kSecClass: kSecClassKey, code as CFString: key()[code as CFString] as Any]
            #expect(count(query) == 1)
            #expect(value(query) == Data("private"))
        }
    }

    @Test("A key's tag may be text or data, and either finds the other")
    func tags() throws {
        try withKeychain { _ in
            add(key() + [kSecAttrApplicationTag: "org.example.text"])
            let query: Attributes = [kSecClass: kSecClassKey, kSecAttrApplicationTag: Data("org.example.text")]
            #expect(count(query) == 1)
            #expect(attributes(query)?["atag"] as? String == "org.example.text")
        }
    }

    @Test("The public and the private half of a pair are two items; their common label finds both")
    func pair() throws {
        try withKeychain { _ in
            let label: Attributes = [kSecAttrLabel: "pair"]
            #expect(add(key(class: kSecAttrKeyClassPrivate) + label) == errSecSuccess)
            #expect(add(key(class: kSecAttrKeyClassPublic) + label) == errSecSuccess)
            #expect(count([kSecClass: kSecClassKey, kSecAttrLabel: "pair"]) == 2)
            #expect(count(key(class: kSecAttrKeyClassPublic)) == 1)
            #expect(delete([kSecClass: kSecClassKey, kSecAttrLabel: "pair"]) == errSecSuccess)
            #expect(count([kSecClass: kSecClassKey]) == 0)
        }
    }

    @Test("What a key may be used for is kept and can be searched for")
    func usage() throws {
        try withKeychain { _ in
            add(key("signs") + [kSecAttrCanSign: true, kSecAttrCanDecrypt: false, kSecAttrIsPermanent: true])
            add(key("decrypts") + [kSecAttrCanSign: false, kSecAttrCanDecrypt: true])
            let query: Attributes = [kSecClass: kSecClassKey, kSecAttrCanSign: true]
            #expect(count(query) == 1)
            #expect(attributes(query)?["atag"] as? Data == Data("signs"))
            #expect(attributes(query)?["perm"] as? Bool == true)
            #expect(attributes(query)?["decr"] as? Bool == false)
        }
    }

    @Test(
        "An item without a key in it has no reference, and neither has one whose value is no key",
        .rule("results.reference.no-object"))
    func references() throws {
        try withKeychain { _ in
            for value: Attributes in [[:], [kSecValueData: Data("no key")]] {
                let added = addReturning(key() + value + [kSecReturnRef: true])
                #expect(added.status == errSecSuccess && added.object == nil)
                let found = find([kSecClass: kSecClassKey, kSecReturnRef: true])
                #expect(found.status == errSecSuccess && found.object == nil)
                #expect(
                    find([kSecClass: kSecClassKey, kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll]).count == 0)
                #expect(delete([kSecClass: kSecClassKey]) == errSecSuccess)
            }
        }
    }

    @Test(
        "An object that stands for no item is no reference", .rule("results.reference.another"),
        arguments: StoredClass.allCases)
    func foreignObject(itemClass: StoredClass) throws {
        try withKeychain { _ in
            #expect(add(itemClass.item + [kSecValueRef: NSObject()]) == errSecParam)
            #expect(find(itemClass.query + [kSecValueRef: NSObject()]).status == errSecParam)
            #expect(delete(itemClass.query + [kSecValueRef: "text"]) == errSecParam)
            #expect(SecCopyLastItemError()?.subject == "v_Ref")
        }
    }
}
