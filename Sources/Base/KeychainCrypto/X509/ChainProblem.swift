import COpenSSL

/// The problems of a certificate chain.
package enum ChainProblem: Hashable, Sendable, CaseIterable {
    case expired
    case notYetValid
    /// The issuer's certificate was not found.
    case missingIssuer
    /// The chain ends in a root that is not trusted.
    case untrustedRoot
    case badSignature
    /// An issuer in the chain is not a certificate authority.
    case notAnAuthority
    /// An authority below another one that does not allow it there.
    case pathTooLong
    /// An authority whose key may not sign certificates.
    case mayNotSign
    case wrongPurpose
    /// The validity is longer than that of a TLS server's certificate may be.
    case validForTooLong
    case wrongName
    case wrongAddress
    case nameNotAllowed
    case unknownCriticalExtension
    case weakKey
    case weakDigest
    case revoked
    /// A rarer problem that OpenSSL has a name for.
    case malformed

    /// Translates an `X509_V_ERR` number.
    init(code: CInt) { self = Self.byCode[code] ?? .malformed }

    private static let byCode: [CInt: ChainProblem] = [
        X509_V_ERR_CERT_HAS_EXPIRED: .expired, X509_V_ERR_CERT_NOT_YET_VALID: .notYetValid,
        X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT: .missingIssuer,
        X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY: .missingIssuer,
        X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE: .missingIssuer,
        X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT: .untrustedRoot,
        X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN: .untrustedRoot, X509_V_ERR_CERT_UNTRUSTED: .untrustedRoot,
        X509_V_ERR_CERT_REJECTED: .untrustedRoot, X509_V_ERR_INVALID_PURPOSE: .wrongPurpose,
        X509_V_ERR_CERT_SIGNATURE_FAILURE: .badSignature,
        X509_V_ERR_UNABLE_TO_DECRYPT_CERT_SIGNATURE: .badSignature, X509_V_ERR_INVALID_CA: .notAnAuthority,
        X509_V_ERR_PATH_LENGTH_EXCEEDED: .pathTooLong, X509_V_ERR_CERT_CHAIN_TOO_LONG: .pathTooLong,
        X509_V_ERR_KEYUSAGE_NO_CERTSIGN: .mayNotSign, X509_V_ERR_HOSTNAME_MISMATCH: .wrongName,
        X509_V_ERR_IP_ADDRESS_MISMATCH: .wrongName, X509_V_ERR_EMAIL_MISMATCH: .wrongAddress,
        X509_V_ERR_PERMITTED_VIOLATION: .nameNotAllowed, X509_V_ERR_EXCLUDED_VIOLATION: .nameNotAllowed,
        X509_V_ERR_SUBTREE_MINMAX: .nameNotAllowed, X509_V_ERR_UNSUPPORTED_CONSTRAINT_TYPE: .nameNotAllowed,
        X509_V_ERR_UNSUPPORTED_CONSTRAINT_SYNTAX: .nameNotAllowed, X509_V_ERR_UNSUPPORTED_NAME_SYNTAX: .nameNotAllowed,
        X509_V_ERR_UNHANDLED_CRITICAL_EXTENSION: .unknownCriticalExtension,
        X509_V_ERR_EE_KEY_TOO_SMALL: .weakKey, X509_V_ERR_CA_KEY_TOO_SMALL: .weakKey,
        X509_V_ERR_CA_MD_TOO_WEAK: .weakDigest, X509_V_ERR_CERT_REVOKED: .revoked,
    ]
}
