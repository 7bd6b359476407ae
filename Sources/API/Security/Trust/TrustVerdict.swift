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
            problems += answer.findings.map {
                TrustProblem(finding: $0.finding, place: $0.place, name: policy.demands.name)
            }
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
