import Security
import TestSupport
import Testing

/// Queries on the contents of certificates (rule queries.match-keys.certificates).
@Suite("Match keys that look into certificates")
struct CertificateMatchTests {
    private let query: Attributes = [kSecClass: kSecClassCertificate]

    private func withCertificates(_ names: [String], _ body: () throws -> Void) throws {
        try withKeychain { _ in
            for name in names { #expect(try add([kSecValueRef: secCertificate(name)]) == errSecSuccess) }
            try body()
        }
    }

    /// The serial numbers of the found certificates, as names of the fixtures.
    private func names(_ matches: Attributes, of names: [String]) -> Set<String> {
        let found = find(query + matches + [kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll])
        let certificates = Set(found.object as? [SecCertificate] ?? [])
        #expect((found.status == errSecItemNotFound) == certificates.isEmpty)
        return Set(names.filter { name in (try? secCertificate(name)).map { certificates.contains($0) } ?? false })
    }

    @Test("kSecMatchValidOnDate takes those that are valid then; null is now", .rule("queries.match-keys.date"))
    func date() throws {
        let all = ["server", "server-expired", "server-future", "root"]
        try withCertificates(all) {
            #expect(names([kSecMatchValidOnDate: NSNull()], of: all) == ["server", "root"])
            let past = Date().addingTimeInterval(-80 * 86_400)
            #expect(names([kSecMatchValidOnDate: past], of: all) == ["server-expired"])
            #expect(names([kSecMatchValidOnDate: Date.distantPast], of: all).isEmpty)
            let future = Date().addingTimeInterval(60 * 86_400)
            #expect(names([kSecMatchValidOnDate: future], of: all) == ["server", "server-future", "root"])
        }
    }

    @Test(
        "kSecMatchEmailAddressIfPresent takes those that name the address, and those that name none",
        .rule("queries.match-keys.email"))
    func email() throws {
        let all = ["mail", "client", "server"]
        try withCertificates(all) {
            #expect(names([kSecMatchEmailAddressIfPresent: "countess@example.net"], of: all) == ["mail", "server"])
            #expect(names([kSecMatchEmailAddressIfPresent: "CLIENT@example.org"], of: all) == ["client", "server"])
            #expect(names([kSecMatchEmailAddressIfPresent: "other@example.org"], of: all) == ["server"])
        }
    }

    @Test(
        "kSecMatchIssuers takes those below one of the names, over intermediates in the keychain",
        .rule("queries.match-keys.issuers"))
    func issuers() throws {
        let all = ["server", "root-other", "server-toodeep", "below", "intermediate", "root"]
        let root = try #require(SecCertificateCopyNormalizedSubjectSequence(try secCertificate("root")))
        let other = try #require(SecCertificateCopyNormalizedSubjectSequence(try secCertificate("root-other")))
        try withCertificates(all) {
            let below: Set = ["server", "server-toodeep", "below", "intermediate", "root"]
            #expect(names([kSecMatchIssuers: [root]], of: all) == below)
            #expect(names([kSecMatchIssuers: [other]], of: all) == ["root-other"])
            #expect(names([kSecMatchIssuers: [root, other]], of: all) == below.union(["root-other"]))
            #expect(names([kSecMatchIssuers: [NSData]()], of: all).isEmpty)
            let middle = try #require(SecCertificateCopyNormalizedSubjectSequence(try secCertificate("intermediate")))
            #expect(names([kSecMatchIssuers: [middle]], of: all) == ["server", "server-toodeep", "below"])
        }
        // Without the intermediate no chain leads from the server to the root.
        try withCertificates(["server", "root"]) {
            #expect(names([kSecMatchIssuers: [root]], of: ["server", "root"]) == ["root"])
        }
    }

    @Test("Certificates that have issued each other end the walk")
    func circle() throws {
        let name = try #require(SecCertificateCopyNormalizedSubjectSequence(try secCertificate("mail")))
        // The root and its namesake have the same name and are self-signed.
        try withCertificates(["root", "root-namesake", "intermediate", "server"]) {
            #expect(find(query + [kSecMatchIssuers: [name], kSecReturnRef: true]).status == errSecItemNotFound)
        }
    }

    @Test("kSecMatchPolicy takes those that are what the policy wants", .rule("queries.match-keys.policy"))
    func policy() throws {
        let all = ["server", "client", "server-clientonly", "server-expired", "mail"]
        try withCertificates(all) {
            let tls = SecPolicyCreateSSL(true, "www.example.org")
            #expect(names([kSecMatchPolicy: tls], of: all) == ["server"])
            #expect(
                names([kSecMatchPolicy: SecPolicyCreateSSL(false, nil)], of: all) == [
                    "client", "server-clientonly", "mail",
                ])
            #expect(
                names([kSecMatchPolicy: SecPolicyCreateBasicX509()], of: all) == [
                    "server", "client", "server-clientonly", "mail",
                ])
        }
    }

    @Test(
        "kSecMatchTrustedOnly takes those with a chain to the system's anchors, over the keychain's intermediates",
        .rule("queries.match-keys.trusted"))
    func trusted() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("anchors.pem")
        let base64 = Data(try CertificateFixtures.bytes("root.der")).base64EncodedString(
            options: .lineLength64Characters)
        try Data("-----BEGIN CERTIFICATE-----\n\(base64)\n-----END CERTIFICATE-----\n".utf8).write(
            to: URL(filePath: path))
        let all = ["server", "server-expired", "server-selfsigned", "intermediate"]
        try SystemAnchors.$file.withValue(path) {
            try withCertificates(all) {
                #expect(names([kSecMatchTrustedOnly: true], of: all) == ["server", "intermediate"])
                #expect(names([kSecMatchTrustedOnly: false], of: all) == Set(all))
            }
            try withCertificates(["server"]) {
                #expect(names([kSecMatchTrustedOnly: true], of: ["server"]).isEmpty)
            }
        }
        try SystemAnchors.$file.withValue(folder.file("nothing")) {
            try withCertificates(["server"]) {
                #expect(find(query + [kSecMatchTrustedOnly: true]).status == errSecNotTrusted)
            }
        }
    }

    @Test("a limit counts what matches, not what was looked at", .rule("queries.limit.matches"))
    func limits() throws {
        let all = ["server-expired", "server-future", "server", "client", "mail"]
        try withCertificates(all) {
            let valid: Attributes = [kSecMatchValidOnDate: NSNull()]
            #expect(find(query + valid + [kSecReturnRef: true]).object is SecCertificate)
            #expect(find(query + valid + [kSecReturnRef: true, kSecMatchLimit: 2]).count == 2)
            #expect(find(query + valid + [kSecReturnRef: true, kSecMatchLimit: 9]).count == 3)
            #expect(find(query + valid).status == errSecSuccess)
            #expect(find(query + valid + [kSecReturnData: true]).data?.isEmpty == false)
            #expect(find(query + valid + [kSecReturnPersistentRef: true]).data?.count == 20)
            let shown = find(query + valid + [kSecReturnAttributes: true]).attributes
            #expect(shown?["v_Data"] == nil && shown?["slnr"] != nil)
        }
    }

    @Test(
        "A value of another type is refused",
        arguments: ["m_Policy", "m_Issuers", "m_EmailAddressIfPresent", "m_TrustedOnly", "m_ValidOnDate"])
    func wrongTypes(key: String) throws {
        try withKeychain { _ in
            for value in [NSNumber(value: 7), NSObject(), ["text"] as NSArray] as [AnyObject] {
                #expect(find(query + [key as CFString: value]).status == errSecParam)
                #expect(SecCopyLastItemError()?.subject == key)
            }
        }
    }

    @Test(
        "Other classes have no certificates to look into, and other functions take no match keys",
        .rule("queries.match-keys.certificates"))
    func elsewhere() throws {
        try withKeychain { _ in
            for itemClass in [kSecClassGenericPassword, kSecClassInternetPassword, kSecClassKey] {
                #expect(find([kSecClass: itemClass, kSecMatchValidOnDate: NSNull()]).status == errSecUnimplemented)
                #expect(find([kSecClass: itemClass, kSecMatchIssuers: [Data()]]).status == errSecUnimplemented)
                #expect(
                    find([kSecClass: itemClass, kSecMatchPolicy: SecPolicyCreateBasicX509()]).status
                        == errSecUnimplemented)
            }
            #expect(delete(query + [kSecMatchTrustedOnly: true]) == errSecParam)
            #expect(add(certificate() + [kSecMatchTrustedOnly: true]) == errSecParam)
            #expect(update(query + [kSecMatchTrustedOnly: true], [kSecAttrLabel: "l"]) == errSecParam)
        }
    }
}
