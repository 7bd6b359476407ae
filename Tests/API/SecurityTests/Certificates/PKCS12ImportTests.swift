import Security
import TestSupport
import Testing

@Suite("SecPKCS12Import and the identities it makes")
struct PKCS12ImportTests {
    private func open(_ data: Data, _ options: [CFString: Any]) -> (status: OSStatus, items: [[String: Any]]?) {
        var items: CFArray?
        let status = unsafe SecPKCS12Import(data as CFData, options as CFDictionary, &items)
        return (status, items as? [[String: Any]])
    }

    private func open(_ name: String, _ passphrase: String) throws -> (status: OSStatus, items: [[String: Any]]?) {
        open(Data(try CertificateFixtures.bytes("\(name).p12")), [kSecImportExportPassphrase: passphrase])
    }

    @Test(
        "A file gives an identity with its chain, trust, name and identifier", .rule("certificates.file.pkcs12"),
        arguments: [("aes", "secret"), ("legacy", "secret"), ("des3", "secret"), ("unicode", "pässwörd €")])
    func opened(name: String, passphrase: String) throws {
        let (status, items) = try open(name, passphrase)
        #expect(status == errSecSuccess)
        #expect(items?.count == 1)
        let item = try #require(items?.first)
        let identity = try #require(item[kSecImportItemIdentity as String] as? SecIdentity)
        #expect(CFGetTypeID(identity) == SecIdentityGetTypeID())
        #expect(item[kSecImportItemLabel as String] as? String == "the server")
        #expect((item[kSecImportItemKeyID as String] as? Data)?.count == 20)
        let chain = item[kSecImportItemCertChain as String] as? [SecCertificate]
        #expect(chain == (try ["server", "intermediate", "root"].map(secCertificate)))
        let trust = try #require(item[kSecImportItemTrust as String] as? SecTrust)
        SecTrustSetAnchorCertificates(trust, [try secCertificate("root")] as NSArray)
        let isTrusted = SecTrustEvaluateWithError(trust, nil)
        #expect(isTrusted)
    }

    @Test(
        "Certificate and key of an identity belong together: what one signs the other verifies",
        arguments: ["aes", "rsa", "ed25519", "p521"])
    func pair(name: String) throws {
        let item = try #require(try open(name, "secret").items?.first)
        let identity = try #require(item[kSecImportItemIdentity as String] as? SecIdentity)
        var (certificate, key): (SecCertificate?, SecKey?)
        #expect(unsafe SecIdentityCopyCertificate(identity, &certificate) == errSecSuccess)
        #expect(unsafe SecIdentityCopyPrivateKey(identity, &key) == errSecSuccess)
        let (privateKey, publicKey) = (
            try #require(key), try #require(certificate.flatMap { SecCertificateCopyKey($0) })
        )
        #expect(SecKeyCopyPublicKey(privateKey) == publicKey)
        let algorithm = [SecKeyAlgorithm.rsaSignatureMessagePKCS1v15SHA256, .ecdsaSignatureMessageX962SHA256].first {
            SecKeyIsAlgorithmSupported(privateKey, .sign, $0)
        }
        guard let algorithm else { return #expect(name == "ed25519") }
        let message = Data("message") as CFData
        let made = SecKeyCreateSignature(privateKey, algorithm, message, nil)
        let signature = try #require(made)
        let isGood = SecKeyVerifySignature(publicKey, algorithm, message, signature, nil)
        #expect(isGood)
    }

    @Test(
        "A wrong passphrase is errSecAuthFailed, what is no file errSecDecode, an option of another type errSecParam",
        .rule("certificates.file.pkcs12"))
    func refused() throws {
        let data = Data(try CertificateFixtures.bytes("aes.p12"))
        #expect(open(data, [kSecImportExportPassphrase: "wrong"]).status == errSecAuthFailed)
        #expect(SecCopyLastItemError()?.rule == "import.wrong-passphrase")
        #expect(open(data, [:]).status == errSecAuthFailed)
        #expect(open(data.dropLast(), [kSecImportExportPassphrase: "secret"]).status == errSecDecode)
        #expect(open(Data(), [:]).status == errSecDecode)
        #expect(open(Data("text"), [:]).status == errSecDecode)
        #expect(open(data, [kSecImportExportPassphrase: 7]).status == errSecParam)
    }

    @Test("An empty passphrase need not be given; a file without keys gives an empty array")
    func empty() throws {
        let data = Data(try CertificateFixtures.bytes("empty.p12"))
        #expect(open(data, [:]).items?.count == 1)
        #expect(open(data, [kSecImportExportPassphrase: ""]).items?.count == 1)
        let (status, items) = try open("nokey", "secret")
        #expect(status == errSecSuccess && items?.isEmpty == true)
    }
}
