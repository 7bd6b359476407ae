package import DER

/// The conditions of a policy on a certificate, beyond a chain to an anchor.
package struct CertificateDemands: Equatable, Sendable {
    /// The conditions that OpenSSL checks on the whole chain.
    package var purpose = ChainVerifier.Purpose.anything
    package var name: ChainVerifier.Name?
    /// A purpose that the certificate itself must name.
    package var extendedUsage: DERObjectIdentifier?
    /// The required uses of the certificate's key, if the certificate restricts them.
    package var keyUsage: CertificateKeyUsage = []
    /// A positive answer about revocation is required, which this system cannot obtain.
    package var needsRevocationCheck = false
    package var isClient = false
    /// Whether an authority's certificate is checked as one: it need not have the purpose itself.
    package var mayBeAuthority = false

    package init(
        purpose: ChainVerifier.Purpose = .anything, name: ChainVerifier.Name? = nil,
        extendedUsage: DERObjectIdentifier? = nil, keyUsage: CertificateKeyUsage = [],
        needsRevocationCheck: Bool = false, isClient: Bool = false
    ) {
        (self.purpose, self.name, self.extendedUsage) = (purpose, name, extendedUsage)
        (self.keyUsage, self.needsRevocationCheck, self.isClient) = (keyUsage, needsRevocationCheck, isClient)
    }
}

/// The problems that an evaluation of trust can find.
package enum TrustFinding: Hashable, Sendable {
    case problem(ChainProblem)
    /// The key is not for the purpose of the policy.
    case keyUsage
    /// The policy requires an answer about revocation.
    case revocationUnknown
    /// The same for a certificate that names no responder.
    case revocationUntold
}

extension CertificateDemands {
    /// A problem, and the index in the chain of the certificate that has it.
    package typealias Finding = (finding: TrustFinding, place: Int)

    /// Whether a certificate meets a policy, and the chain.
    ///
    /// - Parameter isPublic: whether the root that the chain ends in came with the system.
    package func check(
        _ certificate: Certificate, with verifier: ChainVerifier, isPublic: (Certificate) -> Bool
    ) -> (findings: [Finding], chain: [Certificate]) {
        var verifier = verifier
        verifier.purpose = purpose
        verifier.name = name
        verifier.isOfAuthority = isAuthority(certificate)
        do throws(CryptoError) {
            let finding = try verifier.verify(certificate)
            let found = finding.reasons.map { (TrustFinding.problem($0.problem), $0.place) as Finding }
            let isPublic = { finding.chain.last.map(isPublic) ?? false }
            return (found + ownFindings(certificate, isPublic), finding.chain)
        } catch {
            let finding: TrustFinding = error == .invalidParameter ? .problem(.wrongName) : .problem(.malformed)
            return ([(finding, 0)], [certificate])
        }
    }

    /// Whether the certificate itself is for the purpose, whatever its chain.
    package func suits(_ certificate: Certificate) -> Bool {
        if let extendedUsage, certificate.extensions.extendedKeyUsage?.contains(extendedUsage) != true { return false }
        return certificate.extensions.keyUsage?.isSuperset(of: keyUsage) ?? true
    }

    /// Whether the certificate is checked as an authority's. A root of version 1 cannot say that it is one.
    private func isAuthority(_ certificate: Certificate) -> Bool {
        let isOldRoot = certificate.version < 3 && certificate.isSelfIssued
        return mayBeAuthority && (certificate.extensions.isAuthority ?? isOldRoot)
    }

    /// The conditions that OpenSSL does not check.
    private func ownFindings(_ certificate: Certificate, _ isPublic: () -> Bool) -> [Finding] {
        var findings: [TrustFinding] = isAuthority(certificate) ? [] : purposeFindings(certificate, isPublic)
        if needsRevocationCheck {
            findings.append(certificate.extensions.namesRevocation ? .revocationUnknown : .revocationUntold)
        }
        return findings.map { ($0, 0) }
    }

    private func purposeFindings(_ certificate: Certificate, _ isPublic: () -> Bool) -> [TrustFinding] {
        var findings: [TrustFinding] = []
        if purpose == .tlsServer {
            findings += TLSServerRules.problems(of: certificate, isPublic: isPublic).map { .problem($0) }
        }
        if let extendedUsage, certificate.extensions.extendedKeyUsage?.contains(extendedUsage) != true {
            findings.append(.problem(.wrongPurpose))
        }
        if let usage = certificate.extensions.keyUsage, !usage.isSuperset(of: keyUsage) { findings.append(.keyUsage) }
        return findings
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

extension DERObjectIdentifier {
    package static let codeSigning = Self(1, 3, 6, 1, 5, 5, 7, 3, 3)
}
