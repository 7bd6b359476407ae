import DER
import Foundation
import KeychainCrypto
import TestSupport

/// A certificate that others have made.
func fixture(_ name: String) throws -> Certificate {
    let bytes = try CertificateFixtures.bytes("\(name).der")
    return try Certificate(parsing: bytes.span)
}

/// What the `cryptography` package says of the certificates.
struct CertificateFacts: Decodable, Sendable {
    let version: Int
    let notBefore: Double
    let notAfter: Double
    let publicKeyHash: String
    let subject: String
    let issuer: String
    let subjectKeyIdentifier: String?

    static let all: Result<[String: CertificateFacts], any Error> = Result {
        try JSONDecoder().decode(
            [String: CertificateFacts].self,
            from: Data(contentsOf: URL(filePath: CertificateFixtures.path("facts.json"))))
    }
}

func hexadecimal(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }

func now() -> Double { Date().timeIntervalSinceReferenceDate }
