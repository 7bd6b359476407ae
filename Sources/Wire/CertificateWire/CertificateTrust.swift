package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The purpose that a certificate is evaluated for.
package enum CertificatePolicy: UInt8, CaseIterable, Sendable {
    case basic = 0
    case tlsClient = 1
    case tlsServer = 2
    case mail = 3
    case eap = 4
    case ipSec = 5
    case codeSigning = 6
    case timeStamping = 7
}

/// A user's decision about a certificate.
package enum TrustDecision: UInt8, Sendable {
    case trustRoot = 1
    case trustAsRoot = 2
    case deny = 3
    case unspecified = 4
}

/// The outcome of an evaluation, the gravest first.
package enum TrustOutcome: UInt8, CaseIterable, Sendable {
    case trusted = 0
    case denied = 1
    case malformed = 2
    case badSignature = 3
    case revoked = 4
    case badAuthority = 5
    case pathTooLong = 6
    case nameNotAllowed = 7
    case unknownCriticalExtension = 8
    case weak = 9
    case expired = 10
    case notYetValid = 11
    case wrongName = 12
    case wrongAddress = 13
    case wrongPurpose = 14
    case notTrusted = 15
    case revocationUnknown = 16
}

/// Evaluates whether certificates are trusted for a purpose.
package struct EvaluateTrust: CertificateTask {
    package static let kind = CertificateTaskKind.evaluate
    package var policy = CertificatePolicy.basic
    /// The host or address that the certificate must have; nil for any.
    package var name: String?
    /// Whether an authority's certificate is evaluated as one: it need not have the purpose itself.
    package var mayBeAuthority = false
    /// Whether a certificate counts only with an answer about its revocation, which nobody here has.
    package var needsRevocationCheck = false
    /// Whether the answers have the certificates of the chains.
    package var returnsChain = false
    /// Seconds since 2001-01-01 00:00 UTC.
    package var date: Double
    /// The certificates to evaluate, in DER.
    package var certificates: [[UInt8]]
    /// Certificates that chains may be built with.
    package var helpers: [[UInt8]] = []
    /// Certificates that are trusted without proof.
    package var anchors: [[UInt8]] = []
    /// Certificates that the user distrusts.
    package var denied: [[UInt8]] = []
    /// A file of PEM certificates with the system's anchors; empty for none.
    package var systemAnchors = SecretBytes(count: 0)

    package init(_ certificates: [[UInt8]], date: Double) { (self.certificates, self.date) = (certificates, date) }

    package init(reading reader: inout WireReader) throws(Refusal) {
        guard let policy = CertificatePolicy(rawValue: try reader.integer(UInt8.self)) else {
            throw .malformed("a policy")
        }
        self.policy = policy
        name = try reader.flag() ? try reader.shortText() : nil
        (mayBeAuthority, needsRevocationCheck) = (try reader.flag(), try reader.flag())
        returnsChain = try reader.flag()
        date = Double(bitPattern: try reader.integer(UInt64.self))
        (certificates, helpers) = (try reader.certificates(), try reader.certificates())
        (anchors, denied) = (try reader.certificates(), try reader.certificates())
        systemAnchors = try reader.secret(atMost: CertificateLimits.fileBytes)
    }

    package func append(to buffer: SecretBuffer) {
        buffer.append(policy.rawValue)
        buffer.append(flag: name != nil)
        if let name { buffer.append(text: name) }
        for flag in [mayBeAuthority, needsRevocationCheck, returnsChain] { buffer.append(flag: flag) }
        buffer.append(littleEndian: date.bitPattern)
        for list in [certificates, helpers, anchors, denied] { buffer.append(certificates: list) }
        buffer.append(secret: systemAnchors)
    }

    /// The outcomes, one for each certificate.
    package struct Answer: CertificateAnswer {
        package let evaluations: [CertificateEvaluation]

        package init(_ evaluations: [CertificateEvaluation]) { self.evaluations = evaluations }

        package init(reading reader: inout WireReader) throws(Refusal) {
            var evaluations: [CertificateEvaluation] = []
            for _ in 0..<(try reader.count()) { evaluations.append(try CertificateEvaluation(reading: &reader)) }
            self.evaluations = evaluations
        }

        package func append(to buffer: SecretBuffer) {
            buffer.append(count: evaluations.count)
            for evaluation in evaluations { evaluation.append(to: buffer) }
        }
    }
}

/// The outcome for one certificate.
package struct CertificateEvaluation: Sendable {
    package let outcome: TrustOutcome
    /// Whether the certificate is for the purpose at all, trusted or not.
    package let isForPurpose: Bool
    /// The certificates of the chain, by their summaries.
    package let chain: [String]
    /// The same in DER, where they were asked for.
    package let certificates: [[UInt8]]

    package init(
        _ outcome: TrustOutcome, isForPurpose: Bool, chain: [String], certificates: [[UInt8]] = []
    ) {
        (self.outcome, self.isForPurpose, self.chain) = (outcome, isForPurpose, chain)
        self.certificates = certificates
    }

    init(reading reader: inout WireReader) throws(Refusal) {
        guard let outcome = TrustOutcome(rawValue: try reader.integer(UInt8.self)) else {
            throw .malformed("an outcome")
        }
        self.outcome = outcome
        isForPurpose = try reader.flag()
        var chain: [String] = []
        for _ in 0..<(try reader.count(atMost: 256)) { chain.append(try reader.shortText()) }
        self.chain = chain
        certificates = try reader.certificates()
    }

    func append(to buffer: SecretBuffer) {
        buffer.append(outcome.rawValue)
        buffer.append(flag: isForPurpose)
        buffer.append(count: chain.count)
        for name in chain { buffer.append(text: name) }
        buffer.append(certificates: certificates)
    }
}
