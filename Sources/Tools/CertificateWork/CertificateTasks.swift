import CertificateWire
import DER
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

extension DescribeCertificates {
    func answer() throws(Refusal) -> Answer {
        var facts: [CertificateFacts] = []
        for encoded in certificates {
            let certificate = try Certificate(reading: encoded.span)
            do throws(CryptoError) {
                facts.append(
                    CertificateFacts(
                        commonName: certificate.commonName ?? "", summary: certificate.subjectSummary,
                        addresses: certificate.emailAddresses, sha1: try Digest.of(encoded.span, .sha1),
                        sha256: try Digest.of(encoded.span, .sha256), isSelfIssued: certificate.isSelfIssued,
                        issuer: certificate.issuer.summary ?? "", serialNumber: certificate.serialNumber.upperHex,
                        validity: (certificate.notBefore, certificate.notAfter),
                        details: certificate.details))
            } catch { throw error.refusal("certificate") }
        }
        return Answer(facts)
    }
}

extension EvaluateTrust {
    /// A chain that has a certificate which the user distrusts is denied, whatever else is right with it.
    func answer() throws(Refusal) -> Answer {
        var verifier = ChainVerifier()
        verifier.others = helpers.compactMap { try? Certificate(parsing: $0.span) }
        let system = systemCertificates
        verifier.anchors = TrustAnchors(anchors.compactMap { try? Certificate(parsing: $0.span) } + system)
        verifier.date = date
        let distrusted = Set(denied)
        var evaluations: [CertificateEvaluation] = []
        for encoded in certificates {
            let certificate = try Certificate(reading: encoded.span)
            // Roots of the distribution cannot be told from others here, so none is held to the rules for public ones.
            let (findings, chain) = demands.check(certificate, with: verifier, isPublic: { _ in false })
            let isDenied = chain.contains { distrusted.contains($0.encoded) }
            let found = findings.map(\.finding).filter { !$0.isOfRevocation || chain.count > 1 }
            let outcome = isDenied ? TrustOutcome.denied : TrustOutcome(gravestOf: found)
            let shown = chain.prefix(256)
            evaluations.append(
                CertificateEvaluation(
                    outcome, isForPurpose: demands.suits(certificate), chain: shown.map(\.subjectSummary),
                    certificates: returnsChain ? shown.map(\.encoded) : []))
        }
        return Answer(evaluations)
    }

    private var systemCertificates: [Certificate] {
        let blocks = systemAnchors.withSpan { (text) -> [PEM] in (try? PEM.read(text)) ?? [] }
        return blocks.compactMap { block in block.content.withSpan { try? Certificate(parsing: $0) } }
    }

    private var demands: CertificateDemands {
        var demands = demandsOfPolicy
        (demands.mayBeAuthority, demands.needsRevocationCheck) = (mayBeAuthority, needsRevocationCheck)
        return demands
    }

    private var demandsOfPolicy: CertificateDemands {
        switch policy {
        case .basic: CertificateDemands()
        case .tlsClient: CertificateDemands(purpose: .tlsClient, isClient: true)
        case .tlsServer, .eap: CertificateDemands(purpose: .tlsServer, name: name.map { .host($0) })
        case .mail: CertificateDemands(purpose: .mail, name: name.map { .email($0) })
        case .ipSec: CertificateDemands(name: name.map { .host($0) })
        case .codeSigning: CertificateDemands(extendedUsage: .codeSigning)
        case .timeStamping: CertificateDemands(purpose: .timeStamping)
        }
    }
}

extension TrustFinding {
    /// A trusted certificate alone has no issuer that could revoke it.
    fileprivate var isOfRevocation: Bool { self == .revocationUnknown || self == .revocationUntold }
}

extension TrustOutcome {
    /// The outcomes are in the order of their gravity.
    init(gravestOf findings: [TrustFinding]) {
        self = findings.map(Self.init).min { $0.rawValue < $1.rawValue } ?? .trusted
    }

    private init(_ finding: TrustFinding) {
        guard case .problem(let problem) = finding else {
            self = finding.isOfRevocation ? .revocationUnknown : .wrongPurpose
            return
        }
        self =
            switch problem {
            case .expired: .expired
            case .notYetValid: .notYetValid
            case .missingIssuer, .untrustedRoot: .notTrusted
            case .badSignature: .badSignature
            case .notAnAuthority, .mayNotSign: .badAuthority
            case .pathTooLong: .pathTooLong
            case .wrongPurpose, .validForTooLong: .wrongPurpose
            case .wrongName: .wrongName
            case .wrongAddress: .wrongAddress
            case .nameNotAllowed: .nameNotAllowed
            case .unknownCriticalExtension: .unknownCriticalExtension
            case .weakKey, .weakDigest: .weak
            case .revoked: .revoked
            case .malformed: .malformed
            }
    }
}
