import Security
import TestSupport
import Testing

/// Certificates as arguments and results by reference (rules certificates.item.reference, results.reference.kind,
/// queries.match.reference).
@Suite("Certificates by reference")
struct CertificateItemTests {
    private let query: Attributes = [kSecClass: kSecClassCertificate]

    @Test(
        "a certificate added by reference gets its attributes from its bytes, and is found by each of them",
        .rule("certificates.item.reference"))
    func derived() throws {
        try withKeychain { _ in
            let server = try secCertificate("server")
            #expect(add([kSecValueRef: server]) == errSecSuccess)
            #expect(
                try add([kSecClass: kSecClassCertificate, kSecValueRef: secCertificate("root")]) == errSecSuccess)
            let found = try #require(attributes(query + [kSecAttrLabel: "www.example.org"]))
            #expect(found["ctyp"] as? Int == 3)
            #expect(found["cenc"] as? Int == 3)
            #expect(found["pdmn"] as? String == "dk")
            #expect(found["slnr"] as? Data == SecCertificateCopySerialNumberData(server, nil) as Data?)
            #expect((found["skid"] as? Data)?.count == 20)
            #expect(found["skid"] as? Data == found["pkhh"] as? Data)
            for code in ["slnr", "skid", "pkhh", "subj", "labl"] {
                let narrowed = query + [code as CFString: found[code] as Any]
                #expect(count(narrowed) == 1, "\(code)")
                #expect(value(narrowed) == SecCertificateCopyData(server) as Data, "\(code)")
            }
        }
    }

    @Test("What the dictionary says itself wins over what the certificate says", .rule("certificates.item.override"))
    func explicit() throws {
        try withKeychain { _ in
            let reference = try secCertificate("server")
            let item: Attributes = [
                kSecValueRef: reference, kSecAttrLabel: "mine", kSecAttrAccessible: kSecAttrAccessibleWhenUnlocked,
            ]
            #expect(add(item) == errSecSuccess)
            let found = try #require(attributes(query))
            #expect(found["labl"] as? String == "mine")
            #expect(found["pdmn"] as? String == "ak")
        }
    }

    @Test(
        "the result of kSecReturnRef is the certificate, with other keys a dictionary, with a limit an array",
        .rule("results.reference.kind"))
    func results() throws {
        try withKeychain { _ in
            let server = try secCertificate("server")
            let added = addReturning([kSecValueRef: server, kSecReturnRef: true])
            #expect(added.object as? SecCertificate == server)
            #expect(find(query + [kSecReturnRef: true]).object as? SecCertificate == server)
            add([kSecValueRef: try secCertificate("root")])
            let all =
                find(query + [kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll]).object as? [SecCertificate]
            #expect(try Set(all ?? []) == [server, secCertificate("root")])
            let both = try #require(
                find(query + [kSecReturnRef: true, kSecReturnPersistentRef: true, kSecAttrLabel: "www.example.org"])
                    .attributes)
            #expect(both["v_PersistentRef"] is Data && both["issr"] is Data && both["v_Data"] == nil)
            #expect(both["v_Ref"] as? SecCertificate == server)
            #expect(both["class"] as? String == "cert")
            let data = find(query + [kSecReturnRef: true, kSecReturnData: true]).attributes
            #expect(data?["v_Ref"] != nil && data?["v_Data"] is Data && data?["issr"] is Data)
            #expect(data?["class"] as? String == "cert" && data?["v_PersistentRef"] == nil)
            let rich = find(query + [kSecReturnRef: true, kSecReturnAttributes: true]).attributes
            #expect(rich?["issr"] != nil && rich?["v_Ref"] != nil && rich?["v_Data"] == nil)
        }
    }

    @Test("A certificate in a query narrows it to its item, in all functions", .rule("queries.match.reference"))
    func narrowing() throws {
        try withKeychain { _ in
            let (server, root) = (try secCertificate("server"), try secCertificate("root"))
            add([kSecValueRef: server])
            add([kSecValueRef: root])
            #expect(find([kSecValueRef: server, kSecReturnRef: true]).object as? SecCertificate == server)
            #expect(count(query + [kSecValueRef: root]) == 1)
            #expect(
                try find([kSecValueRef: secCertificate("mail"), kSecReturnRef: true]).status == errSecItemNotFound)
            #expect(update([kSecValueRef: root], [kSecAttrLabel: "the root"]) == errSecSuccess)
            #expect(
                attributes(query + [kSecAttrLabel: "the root"])?["slnr"] as? Data == SecCertificateCopySerialNumberData(
                    root, nil) as Data?)
            #expect(delete([kSecValueRef: root]) == errSecSuccess)
            #expect(count(query) == 1)
            #expect(find([kSecValueRef: server]).status == errSecSuccess)
        }
    }

    @Test("The same certificate twice is a duplicate, also under another label", .rule("certificates.item.duplicate"))
    func duplicate() throws {
        let server = try secCertificate("server")
        try withKeychain { _ in
            #expect(add([kSecValueRef: server]) == errSecSuccess)
            #expect(add([kSecValueRef: server, kSecAttrLabel: "other"]) == errSecDuplicateItem)
            #expect(add([kSecValueRef: server, kSecAttrSynchronizable: true]) == errSecSuccess)
        }
    }

    @Test("An object of another class than kSecClass says is refused")
    func contradiction() throws {
        let server = try secCertificate("server")
        try withKeychain { _ in
            for itemClass in [kSecClassGenericPassword, kSecClassKey, kSecClassIdentity] {
                #expect(add([kSecClass: itemClass, kSecValueRef: server]) == errSecParam)
            }
            #expect(SecCopyLastItemError()?.subject == "v_Ref")
            #expect(find([kSecClass: kSecClassKey, kSecValueRef: server]).status == errSecParam)
        }
    }

    @Test(
        "Names in a query are found whatever their case and blanks",
        .rule("queries.match.name-form", "certificates.item.normalized"))
    func names() throws {
        try withKeychain { _ in
            add([kSecValueRef: try secCertificate("intermediate")])
            // The issuer as the certificate has it, with two blanks and small letters.
            let root = try CertificateFixtures.bytes("root.der")
            let start = try #require(root.indices.first { root[$0...].starts(with: [0x30, 0x3D, 0x31]) })
            let name = Data(root[start..<start + 63])
            #expect(count(query + [kSecAttrIssuer: name]) == 1)
            let normalized = try #require(SecCertificateCopyNormalizedSubjectSequence(try secCertificate("root")))
            #expect(count(query + [kSecAttrIssuer: normalized]) == 1)
            // A query accepts the returned value.
            let found = try #require(attributes(query))
            #expect(count(query + [kSecAttrIssuer: found["issr"] as Any, kSecAttrSubject: found["subj"] as Any]) == 1)
        }
    }

    @Test("A row whose value is no certificate has no reference", .rule("results.reference.no-object"))
    func noCertificate() throws {
        try withKeychain { _ in
            add(certificate() + [kSecValueData: Data("no DER")])
            add([kSecValueRef: try secCertificate("root")])
            let single = find(query + [kSecReturnRef: true, kSecAttrLabel: "certificate 1"])
            #expect(single.status == errSecSuccess && single.object == nil)
            #expect(find(query + [kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll]).count == 1)
        }
    }
}
