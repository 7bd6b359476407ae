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
    /// The issuer's name for people.
    package let issuer: String
    /// In hexadecimal digits.
    package let serialNumber: String
    /// Seconds since 2001.
    package let notBefore, notAfter: Double
    package let details: Details

    /// More lines for the screen of a certificate.
    package struct Details: Sendable {
        /// The whole names, the most specific part first, as RFC 4514 writes them.
        package let subject, issuer: String
        /// The type and the size of the key, such as `RSA, 2048 bits`.
        package let key: String
        /// The uses that the certificate may be put to, in English words; empty where it does not say.
        package let uses: [String]

        package init(subject: String, issuer: String, key: String, uses: [String]) {
            (self.subject, self.issuer, self.key, self.uses) = (subject, issuer, key, uses)
        }

        init(reading reader: inout WireReader) throws(Refusal) {
            (subject, issuer, key) = (try reader.shortText(), try reader.shortText(), try reader.shortText())
            var uses: [String] = []
            for _ in 0..<(try reader.count()) { uses.append(try reader.shortText()) }
            self.uses = uses
        }

        func append(to buffer: SecretBuffer) {
            for text in [subject, issuer, key] { buffer.append(text: text) }
            buffer.append(count: uses.count)
            for use in uses { buffer.append(text: use) }
        }
    }

    package init(
        commonName: String, summary: String, addresses: [String], sha1: [UInt8], sha256: [UInt8], isSelfIssued: Bool,
        issuer: String, serialNumber: String, validity: (notBefore: Double, notAfter: Double),
        details: Details
    ) {
        self.details = details
        (self.commonName, self.summary, self.addresses) = (commonName, summary, addresses)
        (self.sha1, self.sha256, self.isSelfIssued) = (sha1, sha256, isSelfIssued)
        (self.issuer, self.serialNumber, notBefore, notAfter) = (
            issuer, serialNumber, validity.notBefore, validity.notAfter
        )
    }

    init(reading reader: inout WireReader) throws(Refusal) {
        (commonName, summary) = (try reader.shortText(), try reader.shortText())
        var addresses: [String] = []
        for _ in 0..<(try reader.count()) { addresses.append(try reader.shortText()) }
        self.addresses = addresses
        (sha1, sha256, isSelfIssued) = (try reader.array(20), try reader.array(32), try reader.flag())
        (issuer, serialNumber) = (try reader.shortText(), try reader.shortText())
        notBefore = Double(bitPattern: try reader.integer(UInt64.self))
        notAfter = Double(bitPattern: try reader.integer(UInt64.self))
        details = try Details(reading: &reader)
    }

    func append(to buffer: SecretBuffer) {
        buffer.append(text: commonName)
        buffer.append(text: summary)
        buffer.append(count: addresses.count)
        for address in addresses { buffer.append(text: address) }
        buffer.append(sha1.span)
        buffer.append(sha256.span)
        buffer.append(flag: isSelfIssued)
        for text in [issuer, serialNumber] { buffer.append(text: text) }
        for moment in [notBefore, notAfter] { buffer.append(littleEndian: moment.bitPattern) }
        details.append(to: buffer)
    }
}
