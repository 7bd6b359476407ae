package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// Tells of certificates what their items do not say.
package struct DescribeCertificates: CertificateTask {
    package static let kind = CertificateTaskKind.describe
    /// In DER.
    package let certificates: [[UInt8]]

    package init(_ certificates: [[UInt8]]) { self.certificates = certificates }

    package init(reading reader: inout WireReader) throws(Refusal) { certificates = try reader.certificates() }

    package func append(to buffer: SecretBuffer) { buffer.append(certificates: certificates) }

    /// The facts, one for each certificate.
    package struct Answer: CertificateAnswer {
        package let facts: [CertificateFacts]

        package init(_ facts: [CertificateFacts]) { self.facts = facts }

        package init(reading reader: inout WireReader) throws(Refusal) {
            var facts: [CertificateFacts] = []
            for _ in 0..<(try reader.count()) { facts.append(try CertificateFacts(reading: &reader)) }
            self.facts = facts
        }

        package func append(to buffer: SecretBuffer) {
            buffer.append(count: facts.count)
            for one in facts { one.append(to: buffer) }
        }
    }
}

/// Facts about a certificate.
package struct CertificateFacts: Sendable {
    /// The common name; empty when there is none.
    package let commonName: String
    package let summary: String
    package let addresses: [String]
    package let sha1: [UInt8]
    package let sha256: [UInt8]
    /// Whether the subject is its own issuer, as in a root.
    package let isSelfIssued: Bool

    package init(
        commonName: String, summary: String, addresses: [String], sha1: [UInt8], sha256: [UInt8], isSelfIssued: Bool
    ) {
        (self.commonName, self.summary, self.addresses) = (commonName, summary, addresses)
        (self.sha1, self.sha256, self.isSelfIssued) = (sha1, sha256, isSelfIssued)
    }

    init(reading reader: inout WireReader) throws(Refusal) {
        (commonName, summary) = (try reader.shortText(), try reader.shortText())
        var addresses: [String] = []
        for _ in 0..<(try reader.count()) { addresses.append(try reader.shortText()) }
        self.addresses = addresses
        (sha1, sha256, isSelfIssued) = (try reader.array(20), try reader.array(32), try reader.flag())
    }

    func append(to buffer: SecretBuffer) {
        buffer.append(text: commonName)
        buffer.append(text: summary)
        buffer.append(count: addresses.count)
        for address in addresses { buffer.append(text: address) }
        buffer.append(sha1.span)
        buffer.append(sha256.span)
        buffer.append(flag: isSelfIssued)
    }
}
