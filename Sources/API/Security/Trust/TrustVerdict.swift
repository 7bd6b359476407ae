internal import KeychainClient
internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// The outcome of an evaluation of trust.
struct TrustVerdict: Sendable {
    /// The chain. C borrows certificates from it.
    let chain: [SecCertificate]
    let date: Double
    /// The gravest problem; nil for a trusted certificate.
    private(set) var refusal: Refusal?
    private(set) var result = SecTrustResultType.unspecified
    /// Until when it is known that nothing in the chain was revoked; nil when it is not known.
    let notRevokedUntil: Double?

    var isTrusted: Bool { refusal == nil }

    /// Evaluates the parameters.
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
            let answer = policy.demands.check(leaf, with: verifier, isPublic: { Self.isPublic($0, question) })
            problems += answer.problems
            if answer.chain.count > found.count { found = answer.chain }
        }
        chain = found.map { SecCertificate($0) }
        let revocation = RevocationFinding(found, question.responses, at: date)
        notRevokedUntil = revocation.goodUntil
        problems += revocation.revoked.map { TrustProblem(finding: .problem(.revoked), place: $0, name: nil) }
        if notRevokedUntil != nil { problems.removeAll { $0.finding.isDoubtOfRevocation } }
        // The order of the table is the order of gravity.
        guard let gravest = problems.min(by: { $0.finding.row < $1.finding.row }) else { return }
        result = gravest.finding.isFatal ? .fatalTrustFailure : .recoverableTrustFailure
        let isLost = gravest.finding == .problem(.untrustedRoot) || gravest.finding == .problem(.missingIssuer)
        refusal = isLost ? system?.failure ?? gravest.refusal(in: found) : gravest.refusal(in: found)
    }

    /// Whether a root came with the system, instead of the program or the machine's administrator.
    private static func isPublic(_ root: Certificate, _ question: SecTrust.Question) -> Bool {
        let isOwn = question.anchors?.contains { $0.certificate == root } ?? false
        return !isOwn && SystemAnchors.isFromDistribution(root)
    }

    /// The system's anchors, if they count, or the reason why they could not be read.
    private static func systemAnchors(_ question: SecTrust.Question) -> (anchors: TrustAnchors, failure: Refusal?)? {
        guard question.withSystemAnchors ?? (question.anchors == nil) else { return nil }
        do throws(Refusal) { return (try SystemAnchors.load(), nil) } catch { return (TrustAnchors([]), error) }
    }
}

extension CertificateDemands {
    /// Whether a certificate meets a policy, and the chain.
    ///
    /// - Parameter isPublic: whether the root that the chain ends in came with the system.
    func check(
        _ certificate: Certificate, with verifier: ChainVerifier, isPublic: (Certificate) -> Bool
    ) -> (problems: [TrustProblem], chain: [Certificate]) {
        var verifier = verifier
        verifier.purpose = purpose
        verifier.name = name
        do throws(CryptoError) {
            let finding = try verifier.verify(certificate)
            let found = finding.reasons.map {
                TrustProblem(finding: .problem($0.problem), place: $0.place, name: name)
            }
            let isPublic = { finding.chain.last.map(isPublic) ?? false }
            return (found + ownProblems(certificate, isPublic), finding.chain)
        } catch {
            let finding: TrustFinding = error == .invalidParameter ? .problem(.wrongName) : .problem(.malformed)
            return ([TrustProblem(finding: finding, place: 0, name: name)], [certificate])
        }
    }

    /// The conditions that OpenSSL does not check.
    private func ownProblems(_ certificate: Certificate, _ isPublic: () -> Bool) -> [TrustProblem] {
        var findings: [TrustFinding] = []
        if purpose == .tlsServer {
            findings += TLSServerRules.problems(of: certificate, isPublic: isPublic).map { .problem($0) }
        }
        if let extendedUsage, certificate.extensions.extendedKeyUsage?.contains(extendedUsage) != true {
            findings.append(.problem(.wrongPurpose))
        }
        if let usage = certificate.extensions.keyUsage, !usage.isSuperset(of: keyUsage) { findings.append(.keyUsage) }
        if needsRevocationCheck {
            findings.append(certificate.extensions.namesRevocation ? .revocationUnknown : .revocationUntold)
        }
        return findings.map { TrustProblem(finding: $0, place: 0, name: name) }
    }
}

extension ChainVerifier.Finding {
    /// The problems without those that follow from another. OpenSSL does not accept an authority whose key may not
    /// sign.
    fileprivate var reasons: [(problem: ChainProblem, place: Int)] {
        problems.filter { problem, place in
            guard problem == .notAnAuthority, chain.indices.contains(place) else { return true }
            let saysSo = chain[place].extensions.isAuthority == true
            return !saysSo || !problems.contains { $0.problem == .mayNotSign && $0.place == place }
        }
    }
}

extension TrustFinding {
    /// Whether an answer that nothing was revoked removes the problem.
    fileprivate var isDoubtOfRevocation: Bool { self == .revocationUnknown || self == .revocationUntold }
}

/// The known revocations in a chain.
private struct RevocationFinding {
    /// The indexes of the revoked certificates.
    private(set) var revoked: [Int] = []
    /// Until when all are known not to be revoked; nil when the answer for one is missing.
    private(set) var goodUntil: Double?

    /// The last certificate of the chain is the anchor. Only a program that trusts it can withdraw that trust.
    init(_ chain: [Certificate], _ responses: [OCSPResponse], at date: Double) {
        var until: Double? = chain.count > 1 ? .infinity : nil
        for (place, (certificate, issuer)) in zip(chain, chain.dropFirst()).enumerated() {
            let answers = responses.compactMap { $0.answer(on: certificate, issuedBy: issuer, at: date) }
            if answers.contains(.revoked) { revoked.append(place) }
            let ends = answers.compactMap { answer -> Double? in if case .good(let end) = answer { end } else { nil } }
            until = until.flatMap { until in ends.max().map { min(until, $0) } }
        }
        goodUntil = revoked.isEmpty ? until : nil
    }
}
