import Security
import TestSupport
import Testing

/// A certificate of another program.
func secCertificate(_ name: String) throws -> SecCertificate {
    let data = Data(try CertificateFixtures.bytes("\(name).der"))
    return try #require(SecCertificateCreateWithData(nil, data as CFData))
}

/// The common name of a certificate; nil when the object is no certificate.
func commonName(_ object: Any?) -> String? {
    (object as? SecCertificate).flatMap { SecCertificateCopySubjectSummary($0) as String? }
}
