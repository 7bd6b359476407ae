import CertificateWire

/// The policies by the names that macOS's command takes, and the titles that it shows.
enum TrustPolicies {
    struct Row: Sendable {
        /// As `find-identity` takes it.
        let name: String
        /// As `verify-cert` and `add-trusted-cert` take it; nil where they do not.
        let certificateName: String?
        let title: String
        /// Nil for a service of Apple's, for which nothing is valid here.
        let policy: CertificatePolicy?
    }

    static let rows = [
        Row(name: "basic", certificateName: "basic", title: "X.509 Basic", policy: .basic),
        Row(name: "ssl-client", certificateName: nil, title: "SSL (client)", policy: .tlsClient),
        Row(name: "ssl-server", certificateName: "ssl", title: "SSL (server)", policy: .tlsServer),
        Row(name: "smime", certificateName: "smime", title: "S/MIME", policy: .mail),
        Row(name: "eap", certificateName: "eap", title: "EAP", policy: .eap),
        Row(name: "ipsec", certificateName: "IPSec", title: "IPsec", policy: .ipSec),
        Row(name: "ichat", certificateName: nil, title: "iChat", policy: nil),
        Row(name: "codesigning", certificateName: "codeSign", title: "Code Signing", policy: .codeSigning),
        Row(name: "appleID", certificateName: "appleID", title: "AppleID Sharing", policy: nil),
        Row(
            name: "macappstore", certificateName: "macappstore", title: "Mac App Store Receipt", policy: nil),
        Row(name: "timestamping", certificateName: "timestamping", title: "Time Stamping", policy: .timeStamping),
    ]

    static func row(_ name: String) -> Row? { rows.first { $0.name == name } }

    static func row(ofCertificate name: String) -> Row? { rows.first { $0.certificateName == name } }

    static func row(_ policy: CertificatePolicy) -> Row { rows.first { $0.policy == policy } ?? rows[0] }
}

extension TrustOutcome {
    /// The name that macOS's command shows.
    var name: String {
        switch self {
        case .trusted: ""
        case .denied: "CSSMERR_APPLETP_TRUST_SETTING_DENY"
        case .malformed: "CSSMERR_TP_INVALID_CERTIFICATE"
        case .badSignature: "CSSMERR_TP_VERIFY_ACTION_FAILED"
        case .revoked: "CSSMERR_TP_CERT_REVOKED"
        case .badAuthority: "CSSMERR_APPLETP_INVALID_CA"
        case .pathTooLong: "CSSMERR_APPLETP_PATH_LEN_CONSTRAINT"
        case .nameNotAllowed: "CSSMERR_TP_INVALID_NAME"
        case .unknownCriticalExtension: "CSSMERR_APPLETP_UNKNOWN_CRITICAL_EXTEN"
        case .weak: "CSSMERR_CSP_UNSUPPORTED_KEY_SIZE"
        case .expired: "CSSMERR_TP_CERT_EXPIRED"
        case .notYetValid: "CSSMERR_TP_CERT_NOT_VALID_YET"
        case .wrongName: "CSSMERR_APPLETP_HOSTNAME_MISMATCH"
        case .wrongAddress: "CSSMERR_APPLETP_SMIME_EMAIL_ADDRS_NOT_FOUND"
        case .wrongPurpose: "CSSMERR_APPLETP_INVALID_EXTENDED_KEY_USAGE"
        case .notTrusted: "CSSMERR_TP_NOT_TRUSTED"
        case .revocationUnknown: "CSSMERR_APPLETP_INCOMPLETE_REVOCATION_CHECK"
        }
    }

    /// Why, for people.
    var reason: String {
        switch self {
        case .trusted: "It is trusted."
        case .denied: "The user has said that a certificate of the chain is not to be trusted."
        case .malformed: "The certificate cannot be checked."
        case .badSignature: "A signature in the chain is not its issuer's."
        case .revoked: "A certificate of the chain has been revoked."
        case .badAuthority: "An issuer in the chain is no authority, or its key may not sign certificates."
        case .pathTooLong: "An authority allows fewer authorities below it than there are."
        case .nameNotAllowed: "The certificate names what its authority may not vouch for."
        case .unknownCriticalExtension: "A certificate of the chain has an unknown critical extension."
        case .weak: "A key or a digest in the chain is too weak."
        case .expired: "A certificate of the chain has expired."
        case .notYetValid: "A certificate of the chain is not valid yet."
        case .wrongName: "The certificate is not for this host."
        case .wrongAddress: "The certificate is not for this address."
        case .wrongPurpose: "The certificate is not for this purpose."
        case .notTrusted: "The chain does not end in a certificate that is trusted."
        case .revocationUnknown: "Nobody has said that the certificate is not revoked, and nothing is fetched."
        }
    }
}
