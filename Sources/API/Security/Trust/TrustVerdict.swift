internal import KeychainClient
internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// What an evaluation of trust has found.
struct TrustVerdict: Sendable {
    /// The chain that was found; C borrows certificates from it.
    let chain: [SecCertificate]
    let date: Double
    /// The gravest thing that is wrong; nil when the certificate is to be believed.
    private(set) var refusal: Refusal?
    private(set) var result = SecTrustResultType.unspecified

    var isTrusted: Bool { refusal == nil }

    /// Answers a question.
    init(_ question: SecTrust.Question) {
        date = question.date ?? Clock.secondsSinceReferenceDate
        let leaf = question.certificates[0].certificate
        let system = Self.systemAnchors(question)
        var verifier = ChainVerifier()
        verifier.anchors =
            TrustAnchors(question.anchors?.map(\.certificate) ?? []) + (system?.anchors ?? TrustAnchors([]))
        verifier.others = question.certificates.dropFirst().map(\.certificate)
        verifier.date = date
        var (found, problems): ([Certificate], [TrustProblem]) = ([leaf], [])
        for policy in question.policies {
            let answer = policy.demands.check(leaf, with: verifier)
            problems += answer.problems
            if answer.chain.count > found.count { found = answer.chain }
        }
        chain = found.map { SecCertificate($0) }
        // The order of the table is that of gravity.
        guard let gravest = problems.min(by: { $0.finding.row < $1.finding.row }) else { return }
        result = gravest.finding.isFatal ? .fatalTrustFailure : .recoverableTrustFailure
        let isLost = gravest.finding == .problem(.untrustedRoot) || gravest.finding == .problem(.missingIssuer)
        refusal = isLost ? system?.failure ?? gravest.refusal(in: found) : gravest.refusal(in: found)
    }

    /// The system's anchors, when they count; without them the reason why they could not be read.
    private static func systemAnchors(_ question: SecTrust.Question) -> (anchors: TrustAnchors, failure: Refusal?)? {
        guard question.withSystemAnchors ?? (question.anchors == nil) else { return nil }
        do throws(Refusal) { return (try SystemAnchors.load(), nil) } catch { return (TrustAnchors([]), error) }
    }
}

extension CertificateDemands {
    /// Whether a certificate is what a policy wants, and the chain that was found.
    func check(_ certificate: Certificate, with verifier: ChainVerifier) -> (
        problems: [TrustProblem], chain: [Certificate]
    ) {
        var verifier = verifier
        verifier.purpose = purpose
        verifier.name = name
        do throws(CryptoError) {
            let finding = try verifier.verify(certificate)
            let found = finding.reasons.map {
                TrustProblem(finding: .problem($0.problem), place: $0.place, name: name)
            }
            return (found + ownProblems(certificate), finding.chain)
        } catch {
            let finding: TrustFinding = error == .invalidParameter ? .problem(.wrongName) : .problem(.malformed)
            return ([TrustProblem(finding: finding, place: 0, name: name)], [certificate])
        }
    }

    /// What OpenSSL is not asked.
    private func ownProblems(_ certificate: Certificate) -> [TrustProblem] {
        var findings: [TrustFinding] = []
        if let extendedUsage, certificate.extensions.extendedKeyUsage?.contains(extendedUsage) != true {
            findings.append(.problem(.wrongPurpose))
        }
        if let usage = certificate.extensions.keyUsage, !usage.isSuperset(of: keyUsage) { findings.append(.keyUsage) }
        if needsRevocationCheck { findings.append(.revocationUnknown) }
        return findings.map { TrustProblem(finding: $0, place: 0, name: name) }
    }
}

extension ChainVerifier.Finding {
    /// The problems without those that follow from another: an authority whose key may not sign is none to OpenSSL either.
    fileprivate var reasons: [(problem: ChainProblem, place: Int)] {
        problems.filter { problem, place in
            guard problem == .notAnAuthority, chain.indices.contains(place) else { return true }
            let saysSo = chain[place].extensions.isAuthority == true
            return !saysSo || !problems.contains { $0.problem == .mayNotSign && $0.place == place }
        }
    }
}
