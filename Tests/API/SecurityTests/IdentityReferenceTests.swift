import Security
import TestSupport
import Testing

/// Adding, returning, using and narrowing to identities by reference (rules results.reference.kind,
/// items.identity.join, queries.match.reference).
@Suite("References to identities")
struct IdentityReferenceTests {
    private static var identities: Attributes { [kSecClass: kSecClassIdentity] }
    private static var certificates: Attributes { [kSecClass: kSecClassCertificate] }
    private static var keys: Attributes { [kSecClass: kSecClassKey] }

    private func identity(_ file: String = "aes") throws -> SecIdentity {
        var items: CFArray?
        let options: [CFString: Any] = [kSecImportExportPassphrase: "secret"]
        let data = Data(try CertificateFixtures.bytes("\(file).p12"))
        #expect(unsafe SecPKCS12Import(data as CFData, options as CFDictionary, &items) == errSecSuccess)
        let item = (items as? [[String: Any]])?.first
        return try #require(item?[kSecImportItemIdentity as String] as? SecIdentity)
    }

    private func halves(_ identity: SecIdentity) throws -> (certificate: SecCertificate, key: SecKey) {
        var (certificate, key): (SecCertificate?, SecKey?)
        #expect(unsafe SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess)
        #expect(unsafe SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess)
        return (try #require(certificate), try #require(key))
    }

    private func persistentReference(_ identity: SecIdentity) -> Data? {
        find([kSecValueRef: identity, kSecReturnPersistentRef: true]).data
    }

    /// Whether the certificate's key verifies a signature of the identity's key.
    private func signs(_ identity: SecIdentity) throws -> Bool {
        let (certificate, key) = try halves(identity)
        let algorithm = try #require(
            [.rsaSignatureMessagePKCS1v15SHA256, .ecdsaSignatureMessageX962SHA256].first {
                SecKeyIsAlgorithmSupported(key, .sign, $0)
            } as SecKeyAlgorithm?)
        let message = Data("message") as CFData
        let made = SecKeyCreateSignature(key, algorithm, message, nil)
        let signature = try #require(made)
        let publicKey = try #require(SecCertificateCopyKey(certificate))
        return SecKeyVerifySignature(publicKey, algorithm, message, signature, nil)
    }

    @Test("An identity added by reference is a certificate and a key, and is found again", arguments: ["aes", "rsa"])
    func added(file: String) throws {
        let given = try identity(file)
        try withKeychain { _ in
            #expect(add([kSecValueRef: given]) == errSecSuccess)
            #expect(count(Self.certificates) == 1)
            #expect(count(Self.keys) == 1)
            let found = try #require(find(Self.identities + [kSecReturnRef: true]).object as? SecIdentity)
            #expect(CFGetTypeID(found) == SecIdentityGetTypeID())
            #expect(found == given)
            #expect(try signs(found))
            let described = try #require(attributes(Self.identities))
            #expect(described["klbl"] as? Data == described["pkhh"] as? Data)
        }
    }

    @Test("An identity is made of halves that belong together, or of a certificate whose key is in the keychain")
    func made() throws {
        let (aes, rsa) = (try halves(identity()), try halves(identity("rsa")))
        #expect(SecIdentityCreate(nil, aes.certificate, aes.key) == (try identity()))
        #expect(SecIdentityCreate(nil, aes.certificate, rsa.key) == nil)
        try withKeychain { _ in
            var made: SecIdentity?
            #expect(unsafe SecIdentityCreateWithCertificate(nil, aes.certificate, &made) == errSecItemNotFound)
            #expect(add([kSecValueRef: aes.key]) == errSecSuccess)
            #expect(unsafe SecIdentityCreateWithCertificate(nil, aes.certificate, &made) == errSecSuccess)
            let identity = try #require(made)
            #expect(try signs(identity))
        }
    }

    @Test("A reference comes in a dictionary with the class, the attributes and whatever else was asked for")
    func dictionary() throws {
        let given = try identity()
        try withKeychain { _ in
            add([kSecValueRef: given])
            let query = Self.identities + [kSecReturnRef: true, kSecReturnPersistentRef: true]
            let found = try #require(find(query).attributes)
            #expect(found["v_PersistentRef"] is Data && found["issr"] is Data && found["v_Data"] == nil)
            #expect(found["class"] as? String == "idnt")
            #expect(found["v_Ref"] as? SecIdentity == given)
            let all = try #require(
                find(Self.identities + [kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll]).object)
            #expect(all as? [SecIdentity] == [given])
        }
    }

    @Test("One half may be there already, both may not", .rule("items.identity.add"))
    func duplicates() throws {
        let given = try identity()
        let (certificate, key) = try halves(given)
        try withKeychain { _ in
            for half: Any in [certificate, key] {
                #expect(add([kSecValueRef: half]) == errSecSuccess)
                #expect(add([kSecValueRef: given]) == errSecSuccess)
                #expect(count(Self.identities) == 1)
                #expect(add([kSecValueRef: given]) == errSecDuplicateItem)
                #expect(delete(Self.identities) == errSecSuccess)
            }
        }
    }

    @Test(
        "an identity given by reference gives its persistent reference alone, when added and when sought",
        .rule("items.identity.reference"))
    func returned() throws {
        let given = try identity()
        try withKeychain { _ in
            add([kSecValueRef: try halves(given).certificate])
            let added = addReturning([kSecValueRef: given, kSecReturnPersistentRef: true])
            let found = find([kSecValueRef: given, kSecReturnPersistentRef: true])
            #expect(found.data == added.data)
            let reference = try #require(added.data)
            #expect(String(decoding: reference.prefix(4), as: UTF8.self) == "idnt")
            let whole = find([kSecValuePersistentRef: reference, kSecReturnRef: true]).object
            #expect(whole as? SecIdentity == given)
        }
    }

    @Test(
        "whatever else is asked of an identity given by reference is a success without an object",
        .rule("items.identity.reference"),
        arguments: [
            [kSecReturnData], [kSecReturnAttributes], [kSecReturnRef], [kSecReturnPersistentRef, kSecReturnAttributes],
            [kSecReturnData, kSecReturnAttributes, kSecReturnRef, kSecReturnPersistentRef], [],
        ].map { $0.map { $0 as String } })
    func nothingElse(keys: [String]) throws {
        let given = try identity()
        let query = keys.reduce(into: [kSecValueRef: given] as Attributes) { $0[$1 as CFString] = true }
        try withKeychain { _ in
            #expect(find(query).status == errSecItemNotFound)
            #expect(addReturning(query).object == nil)
            for limit in [kSecMatchLimitOne, kSecMatchLimitAll] {
                let found = find(query + [kSecMatchLimit: limit])
                #expect(found.status == errSecSuccess && found.object == nil)
            }
        }
    }

    @Test("a class given with an identity by reference does not count", .rule("items.identity.reference"))
    func classIsPassedOver() throws {
        let given = try identity()
        try withKeychain { _ in
            #expect(add([kSecValueRef: given, kSecClass: kSecClassKey]) == errSecSuccess)
            #expect(count(Self.identities) == 1)
            #expect(find([kSecValueRef: given, kSecClass: kSecClassCertificate]).status == errSecSuccess)
            #expect(delete([kSecValueRef: given, kSecClass: kSecClassGenericPassword]) == errSecSuccess)
            #expect(count(Self.certificates) == 0 && count(Self.keys) == 0)
        }
    }

    @Test("What the dictionary says wins, and goes to each half that has the attribute", .rule("items.add.reference"))
    func explicitAttributes() throws {
        let given = try identity()
        try withKeychain(accessGroups: ["A", "B"]) { _ in
            let item: Attributes = [
                kSecValueRef: given, kSecAttrLabel: "mine", kSecAttrApplicationTag: Data("tag"),
                kSecAttrAccessGroup: "B", kSecAttrAccessible: kSecAttrAccessibleAfterFirstUnlock,
            ]
            #expect(add(item) == errSecSuccess)
            for half in [Self.certificates, Self.keys] {
                let found = attributes(half)
                #expect(found?["labl"] as? String == "mine")
                #expect(found?["agrp"] as? String == "B")
                #expect(found?["pdmn"] as? String == "ck")
            }
            #expect(count(Self.identities + [kSecAttrApplicationTag: Data("tag")]) == 1)
        }
    }

    @Test("What neither half has, a value beside the reference, and another class are refused, and nothing is added")
    func refused() throws {
        let given = try identity()
        try withKeychain { _ in
            #expect(add([kSecValueRef: given, kSecAttrService: "s"]) == errSecNoSuchAttr)
            #expect(add([kSecValueRef: given, kSecValueData: Data("d")]) == errSecParam)
            #expect(add([kSecValueRef: given, kSecAttrAccessGroup: "foreign"]) == errSecMissingEntitlement)
            #expect(add([kSecValueRef: given, kSecMatchLimit: kSecMatchLimitOne]) == errSecParam)
            #expect(count(Self.certificates) == 0)
            #expect(count(Self.keys) == 0)
        }
    }

    @Test("A query is narrowed to the identity, or to identities with the certificate or the key, it is given")
    func narrowed() throws {
        let (first, second) = (try identity("aes"), try identity("rsa"))
        try withKeychain { _ in
            for identity in [first, second] { add([kSecValueRef: identity]) }
            let (certificate, key) = try halves(second)
            for reference: Any in [certificate, key] {
                let query = Self.identities + [kSecValueRef: reference]
                #expect(count(query) == 1)
                #expect(find(query + [kSecReturnRef: true]).object as? SecIdentity == second)
            }
            let (one, other) = (persistentReference(first), persistentReference(second))
            #expect(one != nil && other != nil && one != other)
        }
    }

    @Test("An identity is deleted by its reference, its key only when no other certificate needs it")
    func deleted() throws {
        let given = try identity()
        try withKeychain { _ in
            add([kSecValueRef: given])
            let hash = try #require(attributes(Self.certificates)?["pkhh"] as? Data)
            add(certificate(99, keyHash: hash))
            #expect(delete([kSecValueRef: given]) == errSecSuccess)
            #expect(count(Self.certificates) == 1)
            #expect(count(Self.keys) == 1)
            #expect(delete([kSecValueRef: given]) == errSecItemNotFound)
            #expect(delete(Self.identities) == errSecSuccess)
            #expect(count(Self.keys) == 0)
        }
    }

    @Test("The key of an identity may be one that never comes out, and signs all the same")
    func notExtractable() throws {
        let given = try identity()
        try withKeychain { _ in
            #expect(add([kSecValueRef: given, kSecAttrIsExtractable: false]) == errSecSuccess)
            #expect(value(Self.identities) == nil)
            #expect(value(Self.keys) == nil)
            let found = try #require(find(Self.identities + [kSecReturnRef: true]).object as? SecIdentity)
            #expect(try signs(found))
            let bytes = SecKeyCopyExternalRepresentation(try halves(found).key, nil)
            #expect(bytes == nil)
        }
    }

    @Test("An identity whose certificate is none has no reference, and is left out of an array")
    func noCertificate() throws {
        try withKeychain { _ in
            add(certificate(1) + [kSecValueData: Data("no certificate")])
            add(key() + [kSecValueData: Data("no key")])
            #expect(find(Self.identities + [kSecReturnRef: true]).object == nil)
            let query = Self.identities + [kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll]
            #expect(find(query).count == 0)
        }
    }
}
