import Security
import TestSupport
import Testing

/// An identity of another program, which is in no keychain.
func importedIdentity(_ file: String = "rsa") throws -> SecIdentity {
    var items: CFArray?
    let options: [CFString: Any] = [kSecImportExportPassphrase: "secret"]
    let data = Data(try CertificateFixtures.bytes("\(file).p12"))
    #expect(unsafe SecPKCS12Import(data as CFData, options as CFDictionary, &items) == errSecSuccess)
    let item = (items as? [[String: Any]])?.first
    return try #require(item?[kSecImportItemIdentity as String] as? SecIdentity)
}

extension SecIdentity {
    /// The identity's certificate.
    func ownCertificate() throws -> SecCertificate {
        var certificate: SecCertificate?
        unsafe SecIdentityCopyCertificate(self, &certificate)
        return try #require(certificate)
    }
}
