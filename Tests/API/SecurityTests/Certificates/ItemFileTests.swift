import Security
import TestSupport
import Testing

@Suite("keys and certificates go to files and come from files", .rule("certificates.file.forms"))
struct ItemFileTests {
    private struct Read {
        let status: OSStatus
        let items: [NSObject]?
        let format: SecExternalFormat
        let type: SecExternalItemType
    }

    private func read(_ data: Data, _ passphrase: String? = nil) -> Read {
        var (items, format, type) = (
            nil as CFArray?, SecExternalFormat.formatUnknown, SecExternalItemType.itemTypeUnknown
        )
        let text = passphrase.map { NSString(string: $0) }
        var parameters = unsafe SecItemImportExportKeyParameters()
        unsafe parameters.passphrase = text.map { unsafe .passUnretained($0) }
        let status = unsafe SecItemImport(data as CFData, nil, &format, &type, [], &parameters, nil, &items)
        extendLifetime(text)
        return Read(status: status, items: items.map { Array($0) as? [NSObject] ?? [] }, format: format, type: type)
    }

    private func written(
        _ items: [NSObject], _ format: SecExternalFormat, _ flags: SecItemImportExportFlags = [],
        _ passphrase: String? = nil
    ) -> (status: OSStatus, data: Data?) {
        var data: CFData?
        let text = passphrase.map { NSString(string: $0) }
        var parameters = unsafe SecItemImportExportKeyParameters()
        unsafe parameters.passphrase = text.map { unsafe .passUnretained($0) }
        let status = unsafe SecItemExport(items as CFArray, format, flags, &parameters, &data)
        extendLifetime(text)
        return (status, data as Data?)
    }

    private func halves(_ file: String) throws -> (identity: SecIdentity, certificate: SecCertificate, key: SecKey) {
        let identity = try importedIdentity(file)
        var key: SecKey?
        unsafe SecIdentityCopyPrivateKey(identity, &key)
        return (identity, try identity.ownCertificate(), try #require(key))
    }

    @Test(
        "What is written in a form is read back as the same, as PEM and as DER", arguments: ["rsa", "aes"],
        [true, false])
    func roundTrips(file: String, isPEM: Bool) throws {
        let (_, certificate, key) = try halves(file)
        let publicKey = try #require(SecKeyCopyPublicKey(key))
        let flags: SecItemImportExportFlags = isPEM ? .pemArmour : []
        let forms: [(NSObject, SecExternalFormat, SecExternalItemType, String?)] = [
            (certificate, .formatX509Cert, .itemTypeCertificate, nil),
            (certificate, .formatPKCS7, .itemTypeCertificate, nil),
            (key, .formatOpenSSL, .itemTypePrivateKey, nil), (key, .formatWrappedPKCS8, .itemTypePrivateKey, "secret"),
            (publicKey, .formatOpenSSL, .itemTypePublicKey, nil),
        ]
        for (item, format, type, passphrase) in forms {
            let data = try #require(written([item], format, flags, passphrase).data)
            #expect(data.starts(with: Data("-----BEGIN ".utf8)) == isPEM)
            let read = read(data, passphrase)
            #expect(read.status == errSecSuccess && read.format == format && read.type == type)
            #expect(read.items == [item])
        }
    }

    @Test("openssl reads what is written, and what openssl writes is read", .rule("certificates.file.forms"))
    func openssl() throws {
        let (identity, certificate, key) = try halves("rsa")
        let pem = try #require(written([key], .formatUnknown, .pemArmour).data)
        #expect(pem.starts(with: Data("-----BEGIN RSA PRIVATE KEY-----".utf8)))
        let pkcs8 = try OpenSSLCommand.convert(["pkcs8", "-topk8", "-nocrypt"], pem)
        #expect(read(pkcs8).items == [key])
        let archive = try #require(written([identity], .formatPKCS12, [], "secret").data)
        let opened = try OpenSSLCommand.convert(["pkcs12", "-nodes", "-passin", "pass:secret"], archive)
        #expect(read(opened).items?.contains(certificate) == true && read(opened).items?.contains(key) == true)
        let again = read(archive, "secret")
        #expect(again.items == [identity] && again.format == .formatPKCS12 && again.type == .itemTypeAggregate)
    }

    @Test("Several things are a sequence; an identity is its key and its certificate")
    func sequence() throws {
        let (identity, certificate, key) = try halves("aes")
        let data = try #require(written([identity, try secCertificate("server")], .formatUnknown).data)
        let read = read(data)
        #expect(read.format == .formatPEMSequence && read.type == .itemTypeAggregate)
        #expect(read.items == [key, certificate, try secCertificate("server")])
    }

    @Test("Passphrases that are missing or wrong, forms that hold no such thing, and nonsense are refused")
    func refused() throws {
        let (identity, certificate, key) = try halves("rsa")
        let archive = Data(try CertificateFixtures.bytes("rsa.p12"))
        #expect(read(archive).status == errSecPassphraseRequired)
        #expect(read(archive, "wrong").status == errSecPkcs12VerifyFailure)
        #expect(read(archive, "secret").items == [identity])
        #expect(written([key], .formatWrappedPKCS8).status == errSecPassphraseRequired)
        #expect(written([key], .formatX509Cert).status == errSecUnsupportedFormat)
        #expect(written([certificate, certificate], .formatX509Cert).status == errSecUnsupportedFormat)
        #expect(written([certificate], .formatSSHv2).status == errSecUnsupportedFormat)
        #expect(written([NSString("no item")], .formatUnknown).status == errSecParam)
        #expect(written([], .formatUnknown).status == errSecParam)
        for text in ["", "no file", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            let read = read(Data(text.utf8))
            #expect(read.status == errSecUnknownFormat && read.items == nil && read.format == .formatUnknown)
        }
    }

    @Test("A private key that does not leave the enclave is written to no file", .rule("certificates.file.enclave"))
    func sealedKey() throws {
        try withKeychain { _ in
            add([kSecValueRef: try importedIdentity(), kSecAttrIsExtractable: false])
            let found = find([kSecClass: kSecClassKey, kSecReturnRef: true]).object as? SecKey
            let done = written([try #require(found)], .formatOpenSSL)
            #expect(done.status == errSecUnimplemented && done.data == nil)
        }
    }
}
