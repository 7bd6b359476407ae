import DER
import Foundation
import KeychainCrypto
import TestSupport

/// A certificate made by another program.
func fixture(_ name: String) throws -> Certificate {
    let bytes = try CertificateFixtures.bytes("\(name).der")
    return try Certificate(parsing: bytes.span)
}

/// The fields of the certificates as the `cryptography` package reads them.
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
