import KeychainTesting
import Security
import TestSupport
import Testing

/// Identities as the join of a certificate with its private key, found by attributes (rule items.identity.join).
@Suite("Finding identities")
struct FindingIdentityTests {
    private static var identities: Attributes { [kSecClass: kSecClassIdentity] }
    private static var otherHash: Data { Data(repeating: 8, count: 20) }

    /// One identity, a certificate without a key, and a key without a certificate.
    private func addOne() {
        add(certificate(1) + [kSecValueData: Data("certificate")])
        add(key("one") + [kSecValueData: Data("key"), kSecAttrLabel: "key"])
        add(certificate(2, keyHash: Self.otherHash))
        add(key("three", hash: Data(repeating: 9, count: 20)))
    }

    @Test(
        "A certificate and the private key it names are one identity; one without the other is none",
        .rule("items.identity.join"))
    func join() throws {
        try withKeychain { _ in
            #expect(find(Self.identities + [kSecReturnAttributes: true]).status == errSecItemNotFound)
            addOne()
            #expect(count(Self.identities) == 1)
            #expect(find(Self.identities).status == errSecSuccess)
        }
    }

    @Test(
        "A public or symmetric key makes no identity, as it would on Apple's systems", .rule("items.identity.private"),
        arguments: [kSecAttrKeyClassPublic, kSecAttrKeyClassSymmetric].map { $0 as String })
    func otherKeys(keyClass: String) throws {
        try withKeychain { _ in
            add(certificate())
            add(key("k", class: keyClass as CFString) + ["priv": true])
            #expect(count(Self.identities) == 0)
        }
    }

    @Test("The result has the key's attributes overlaid with the certificate's, and the key's value")
    func overlay() throws {
        try withKeychain { _ in
            addOne()
            let query = Self.identities + [kSecReturnAttributes: true, kSecReturnData: true]
            let found = try #require(find(query).attributes)
            #expect(found["labl"] as? String == "certificate 1")
            #expect(found["slnr"] as? Data == Data([1]))
            #expect(found["atag"] as? Data == Data("one"))
            #expect(found["kcls"] as? Int == 1)
            #expect(found["klbl"] as? Data == found["pkhh"] as? Data)
            #expect(found["pdmn"] as? String == "dk")
            #expect(found["v_Data"] as? Data == Data("key"))
            #expect(found.keys.contains { $0.contains("cert") } == false)
            #expect(value(Self.identities) == Data("key"))
        }
    }

    @Test(
        "An identity is found by attributes of its certificate", .rule("queries.match.identity"),
        arguments: ["slnr", "issr", "subj", "pkhh", "labl"])
    func certificateAttributes(code: String) throws {
        try withKeychain { _ in
            addOne()
            let attribute = code as CFString
            #expect(count(Self.identities + [attribute: certificate(1)[attribute] as Any]) == 1)
            #expect(count(Self.identities + [attribute: Data("another")]) == 0)
        }
    }

    @Test("An identity is found by attributes of its key", arguments: ["atag", "klbl", "kcls", "bsiz", "type"])
    func keyAttributes(code: String) throws {
        try withKeychain { _ in
            addOne()
            let attribute = code as CFString
            #expect(count(Self.identities + [attribute: key("one")[attribute] as Any]) == 1)
            let another: Any = ["atag", "klbl"].contains(code) ? Data("another") : 77
            #expect(count(Self.identities + [attribute: another]) == 0)
        }
    }

    @Test("What both halves have is looked for in the certificate", .rule("queries.match.identity"))
    func certificateFirst() throws {
        try withKeychain { _ in
            addOne()
            #expect(count(Self.identities + [kSecAttrLabel: "certificate 1"]) == 1)
            #expect(count(Self.identities + [kSecAttrLabel: "key"]) == 0)
        }
    }

    @Test("An attribute of neither half is refused")
    func foreignAttribute() throws {
        try withKeychain { _ in
            #expect(find(Self.identities + [kSecAttrService: "s"]).status == errSecNoSuchAttr)
        }
    }

    @Test("Several certificates of one key, and several keys of one certificate, are as many identities")
    func pairs() throws {
        try withKeychain { _ in
            for number in 1...3 { add(certificate(UInt8(number))) }
            for name in ["a", "b"] { add(key(name)) }
            #expect(count(Self.identities) == 6)
            #expect(count(Self.identities + [kSecAttrApplicationTag: Data("a")]) == 3)
            #expect(count(Self.identities + [kSecAttrSerialNumber: Data([2])]) == 2)
            #expect(
                find(Self.identities + [kSecReturnAttributes: true, kSecMatchLimit: 4]).count == 4)
            #expect(find(Self.identities + [kSecReturnAttributes: true]).attributes != nil)
        }
    }

    @Test("A certificate and a key without a hash are strangers")
    func emptyHash() throws {
        try withKeychain { _ in
            add(certificate(1, keyHash: Data()))
            add(certificate(2) - kSecAttrPublicKeyHash)
            add(key() - kSecAttrApplicationLabel)
            #expect(count(Self.identities) == 0)
        }
    }

    @Test("Synchronised identities are found when they are asked for, as other items")
    func synchronizable() throws {
        try withKeychain { _ in
            add(certificate(1) + [kSecAttrSynchronizable: true])
            add(key() + [kSecAttrSynchronizable: true])
            #expect(count(Self.identities) == 0)
            #expect(count(Self.identities + [kSecAttrSynchronizable: true]) == 1)
            #expect(count(Self.identities + [kSecAttrSynchronizable: kSecAttrSynchronizableAny]) == 1)
            delete([kSecClass: kSecClassKey, kSecAttrSynchronizable: true])
            #expect(count(Self.identities + [kSecAttrSynchronizable: kSecAttrSynchronizableAny]) == 0)
        }
    }

    @Test("Both halves must be in the groups of the program, and in the one it names")
    func groups() throws {
        try withKeychain(accessGroups: ["A", "B"]) { keychain in
            add(certificate() + [kSecAttrAccessGroup: "A"])
            add(key() + [kSecAttrAccessGroup: "B"])
            #expect(count(Self.identities) == 1)
            #expect(count(Self.identities + [kSecAttrAccessGroup: "A"]) == 0)
            for groups in [["A"], ["B"], ["C"]] {
                keychain.program(accessGroups: groups).run { #expect(count(Self.identities) == 0) }
            }
            add(key() + [kSecAttrAccessGroup: "A"])
            #expect(count(Self.identities + [kSecAttrAccessGroup: "A"]) == 1)
            keychain.program(accessGroups: ["A"]).run { #expect(count(Self.identities) == 1) }
        }
    }

    @Test(
        "A persistent reference to an identity is its certificate's, and finds the identity alone",
        .rule("persistent-references.form.identity"))
    func persistentReference() throws {
        try withKeychain { _ in
            addOne()
            let reference = try #require(find(Self.identities + [kSecReturnPersistentRef: true]).data)
            let certificate = try #require(
                find([kSecClass: kSecClassCertificate, kSecAttrSerialNumber: Data([1]), kSecReturnPersistentRef: true])
                    .data)
            #expect(reference.prefix(4) == Data("idnt"))
            #expect(reference.dropFirst(4) == certificate.dropFirst(4))
            let query: Attributes = [kSecValuePersistentRef: reference, kSecReturnAttributes: true]
            #expect(find(query).attributes?["atag"] as? Data == Data("one"))
            #expect(find(query + [kSecClass: kSecClassCertificate]).status == errSecParam)
            delete([kSecClass: kSecClassKey])
            #expect(find(query).status == errSecItemNotFound)
        }
    }

    @Test("An identity whose key is locked is refused, as the key itself")
    func locked() throws {
        try withKeychain { keychain in
            addOne()
            try keychain.device.setPasscode("1234")
            try keychain.device.lock()
            #expect(find(Self.identities + [kSecReturnAttributes: true]).status == errSecInteractionNotAllowed)
            try keychain.device.unlock(passcode: "1234")
            #expect(count(Self.identities) == 1)
        }
    }

    @Test("An enumeration of more identities than fit a page finds each once", .rule("queries.limit.pages"))
    func pages() throws {
        try withKeychain { _ in
            let padding = String(repeating: "x", count: 40_000)
            for number in 1...6 { add(certificate(UInt8(number)) + ["alis": padding]) }
            for name in 0..<10 { add(key("\(name)")) }
            let query = Self.identities + [kSecReturnAttributes: true, kSecMatchLimit: kSecMatchLimitAll]
            let found = try #require(find(query).list)
            #expect(found.count == 60)
            #expect(Set(found.map { [$0["slnr"] as? Data, $0["atag"] as? Data] }).count == 60)
        }
    }
}
