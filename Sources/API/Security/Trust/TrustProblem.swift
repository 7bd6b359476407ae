internal import KeychainCrypto
internal import KeychainModel

/// The table of the problems that an evaluation of trust can find.
extension TrustFinding {
    /// One row of the table: the status, whether it is fatal, the sentence about the certificate, and the remedy.
    fileprivate typealias Row = (
        finding: TrustFinding, status: OSStatus, isFatal: Bool, problem: String, remedy: String
    )

    /// The gravest first.
    fileprivate static let rows: [Row] = [
        (
            .problem(.malformed), errSecUnknownFormat, true, "cannot be checked",
            "Use a certificate that follows RFC 5280."
        ),
        (
            .problem(.badSignature), errSecInvalidSignature, true, "has a signature that is not its issuer's",
            "Get the certificate again; it, or the issuer's, is not the right one."
        ),
        (.problem(.revoked), errSecCertificateRevoked, true, "has been revoked", "Get a new certificate."),
        (
            .problem(.notAnAuthority), errSecNoBasicConstraintsCA, true, "signs others but is no authority",
            "Use a certificate that an authority has signed."
        ),
        (
            .problem(.mayNotSign), errSecKeyUsageIncorrect, true, "signs others with a key that is not for that",
            "Have the authority's certificate made with keyCertSign."
        ),
        (
            .problem(.pathTooLong), errSecPathLengthConstraintExceeded, true,
            "allows fewer authorities below it than there are",
            "Have it signed by an authority that may."
        ),
        (
            .problem(.nameNotAllowed), errSecCertificateNameNotAllowed, true,
            "names what its authority may not vouch for",
            "Have it signed by an authority that may."
        ),
        (
            .problem(.unknownCriticalExtension), errSecUnknownCriticalExtensionFlag, true,
            "has an unknown critical extension", "Use a certificate without it."
        ),
        (
            .problem(.weakKey), errSecUnsupportedKeySize, true, "has a key that is too weak",
            "Use RSA of 2048 bits and more, or a curve."
        ),
        (
            .problem(.weakDigest), errSecInvalidDigestAlgorithm, true, "is signed over a digest that can be forged",
            "Have it signed with SHA-256 or better."
        ),
        (
            .problem(.expired), errSecCertificateExpired, false, "has expired",
            "Get a new certificate, or check the clock."
        ),
        (
            .problem(.notYetValid), errSecCertificateNotValidYet, false, "is not valid yet",
            "Wait, or check the clock."
        ),
        (
            .problem(.wrongName), errSecHostNameMismatch, false, "is not for the host",
            "Connect to a name among the certificate's alternative names."
        ),
        (
            .problem(.wrongAddress), errSecSMIMEEmailAddressesNotFound, false, "is not for the address",
            "Use the certificate of the person you mean."
        ),
        (
            .problem(.wrongPurpose), errSecInvalidExtendedKeyUsage, false, "is not for this purpose",
            "Use a certificate whose extended key usage names the purpose."
        ),
        (
            .problem(.validForTooLong), errSecCertificateValidityPeriodTooLong, false,
            "is valid for longer than a TLS server's may be",
            "Have one made for 398 days at most; authorities of your own may give 825."
        ),
        (
            .keyUsage, errSecInvalidKeyUsageForPolicy, false, "has a key that is not for what the policy wants",
            "Use a certificate whose key usage names it."
        ),
        (
            .revocationUnknown, errSecIncompleteCertRevocationCheck, false, "could not be checked for revocation",
            "Give the server's OCSP response (SecTrustSetOCSPResponse), "
                + "or leave kSecRevocationRequirePositiveResponse out."
        ),
        (
            .revocationUntold, errSecIncompleteCertRevocationCheck, false,
            "does not say where to ask whether it was revoked",
            "Leave kSecRevocationRequirePositiveResponse out, or use a certificate that names a responder."
        ),
        (
            .problem(.missingIssuer), errSecNotTrusted, false, "has an issuer whose certificate was not found",
            "Give the issuer's certificate, or name it as an anchor."
        ),
        (
            .problem(.untrustedRoot), errSecNotTrusted, false, "is a root that is not among the trusted ones",
            "Name it as an anchor if you believe it."
        ),
    ]

    /// The index in the table.
    var row: Int { Self.places[self] ?? 0 }
    var isFatal: Bool { Self.rows[row].isFatal }

    private static let places = Dictionary(uniqueKeysWithValues: rows.enumerated().map { ($1.finding, $0) })
}

/// A problem with a certificate of a chain.
struct TrustProblem {
    let finding: TrustFinding
    /// The index in the chain; 0 is the evaluated certificate.
    let place: Int
    /// The name that the certificate should have.
    let name: ChainVerifier.Name?

    /// The refusal, which names the certificate.
    func refusal(in chain: [Certificate]) -> Refusal {
        let row = TrustFinding.rows[finding.row]
        let subject = chain.indices.contains(place) ? chain[place].subjectSummary : ""
        return Refusal(
            KeychainStatus(rawValue: row.status), .untrusted, subject,
            "The certificate \"\(subject)\" \(row.problem)\(detail(chain)).", do: row.remedy)
    }

    private func detail(_ chain: [Certificate]) -> String {
        guard chain.indices.contains(place) else { return "" }
        let certificate = chain[place]
        switch finding {
        case .problem(.expired): return " on \(Self.day(certificate.notAfter))"
        case .problem(.notYetValid): return " before \(Self.day(certificate.notBefore))"
        case .problem(.wrongName), .problem(.wrongAddress): return name.map { " \"\($0.text)\"" } ?? ""
        default: return place == 0 ? "" : " (place \(place) of the chain)"
        }
    }

    private static func day(_ seconds: Double) -> String {
        Date(timeIntervalSinceReferenceDate: seconds).formatted(.iso8601.year().month().day())
    }
}

extension Refusal.Rule {
    static let untrusted = Self(rawValue: "trust.not-trusted")
}

extension KeychainStatus {
    static let notTrusted = Self(rawValue: errSecNotTrusted)
}
