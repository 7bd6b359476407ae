import Security
import TestSupport
import Testing

@Suite("SecCertificate")
struct SecCertificateTests {
    @Test("A certificate is made of DER and of nothing else, and gives its DER back", .rule("certificates.object.der"))
    func data() throws {
        let der = Data(try CertificateFixtures.bytes("server.der"))
        let certificate = try secCertificate("server")
        #expect(SecCertificateCopyData(certificate) as Data == der)
        #expect(CFGetTypeID(certificate) == SecCertificateGetTypeID())
        #expect(certificate == (try secCertificate("server")))
        #expect(certificate != (try secCertificate("root")))
        for wrong in [Data(), der + [0], der.dropLast(), Data("-----BEGIN CERTIFICATE-----".utf8)] {
            #expect(SecCertificateCreateWithData(nil, wrong as CFData) == nil)
        }
    }

    @Test("What is no certificate here, or has no key that is used here, is explained, also where OpenSSL reads it")
    func explained() throws {
        let der = Data(try CertificateFixtures.bytes("server.der"))
        var indefinite = der
        indefinite[1] = 0x80
        for (wrong, reason) in [
            (der + [0], "something follows the outermost element at byte \(der.count)"),
            (der.dropLast(), "the element at byte 0 is longer"), (indefinite, "the length at byte 1 is indefinite"),
            (Data([0x30, 3, 2, 1, 0]), "the element at byte 2 is not the one that stands there"),
        ] {
            #expect(SecCertificateCreateWithData(nil, wrong as CFData) == nil)
            let problem = SecCopyLastItemError()?.problem
            #expect(problem?.contains(reason) == true, "\(problem ?? "nothing") in place of \(reason)")
        }
        // The type of the key is one that nobody has.
        let certificate = try #require(SecCertificateCreateWithData(nil, der as CFData))
        #expect(SecCopyLastItemError() == nil && SecCertificateCopyKey(certificate) != nil)
        let ec: [UInt8] = [0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
        let rsa: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
        let place = try #require(der.range(of: Data(ec)) ?? der.range(of: Data(rsa)))
        var foreign = der
        foreign[place.upperBound - 1] = 0x7F
        let other = try #require(SecCertificateCreateWithData(nil, foreign as CFData))
        #expect(SecCertificateCopyKey(other) == nil)
        #expect(SecCopyLastItemError()?.problem.contains("not supported") == true)
    }

    @Test("Summary, name, addresses, serial number and dates", .rule("certificates.object.parts"))
    func fields() throws {
        let mail = try secCertificate("mail")
        #expect(SecCertificateCopySubjectSummary(mail) as String? == "Ada")
        var name: CFString?
        #expect(unsafe SecCertificateCopyCommonName(mail, &name) == errSecSuccess)
        #expect(name as String? == "Ada")
        var addresses: CFArray?
        #expect(unsafe SecCertificateCopyEmailAddresses(mail, &addresses) == errSecSuccess)
        #expect(addresses as? [String] == ["ada@example.org", "countess@example.net", "Ada@Example.org"])
        #expect(
            try SecCertificateCopySerialNumberData(secCertificate("serial-high"), nil) as Data? == Data([0, 0x80])
                + Data(count: 15))
        #expect(try SecCertificateCopySerialNumber(secCertificate("version1")) as Data? == Data([7]))
        let (begin, end) = (SecCertificateCopyNotValidBeforeDate(mail), SecCertificateCopyNotValidAfterDate(mail))
        #expect(
            (begin.map { $0 as Date } ?? .distantFuture) < Date() && (end.map { $0 as Date } ?? .distantPast) > Date())
    }

    @Test("What a certificate has not is nil", .rule("certificates.object.parts"))
    func missing() throws {
        let unit = try secCertificate("name-ou")
        var name: CFString? = "before"
        #expect(unsafe SecCertificateCopyCommonName(unit, &name) == errSecInternalError)
        #expect(name == nil)
        var addresses: CFArray?
        #expect(unsafe SecCertificateCopyEmailAddresses(unit, &addresses) == errSecSuccess)
        #expect(addresses?.count == 0)
    }

    @Test("The names that are compared are sequences in upper case")
    func normalized() throws {
        let printable = try secCertificate("name-printable")
        let subject = try #require(SecCertificateCopyNormalizedSubjectSequence(printable)) as Data
        #expect(subject.first == 0x30)
        #expect(subject.range(of: Data("PLAIN NAME".utf8)) != nil)
        let issuer = SecCertificateCopyNormalizedIssuerSequence(printable) as Data?
        #expect(try issuer == SecCertificateCopyNormalizedSubjectSequence(secCertificate("root")) as Data?)
    }

    @Test(
        "The public key of a certificate is a SecKey whose label is the hash in the certificate's item",
        .rule("certificates.item.hash"),
        arguments: ["server", "key-rsa", "key-p384", "key-p521", "key-ed25519", "key-x25519"])
    func key(name: String) throws {
        let certificate = try secCertificate(name)
        let key = try #require(SecCertificateCopyKey(certificate))
        let attributes = try #require(SecKeyCopyAttributes(key) as? [String: Any])
        #expect(attributes["kcls"] as? String == "0" || attributes["kcls"] as? Int == 0)
        let (status, object) = try stored(certificate)
        #expect(status == errSecSuccess)
        #expect(object?["pkhh"] as? Data == attributes["klbl"] as? Data)
        #expect((attributes["klbl"] as? Data)?.count == 20)
        #expect(SecCertificateCopyPublicKey(certificate) == key)
        var older: SecKey?
        #expect(unsafe SecCertificateCopyPublicKey(certificate, &older) == errSecSuccess)
        #expect(older == key)
    }

    @Test("A key that is not used here is none", .rule("certificates.object.key"))
    func noKey() throws {
        let certificate = try secCertificate("compressed")
        #expect(SecCertificateCopyKey(certificate) == nil)
        var key: SecKey?
        #expect(unsafe SecCertificateCopyPublicKey(certificate, &key) == errSecUnsupportedKeyFormat)
    }

    private func stored(_ certificate: SecCertificate) throws -> (OSStatus, [String: Any]?) {
        var found: (OSStatus, [String: Any]?) = (errSecParam, nil)
        try withKeychain { _ in
            let added = addReturning([kSecValueRef: certificate, kSecReturnAttributes: true])
            found = (added.status, added.attributes)
        }
        return found
    }
}
