package import DER

/// The requirements for a TLS server's certificate beyond RFC 5280. Apple's systems have them since iOS 13 and macOS
/// 10.15 (support.apple.com/en-us/103769), and for public authorities since September 2020
/// (support.apple.com/en-us/102028).
///
/// OpenSSL checks keys, digests and names: see ``ChainVerifier``.
package enum TLSServerRules {
    /// Certificates issued after this moment must name their purpose and may be valid for 825 days: 2019-07-01 00:00
    /// UTC, in seconds since 2001.
    private static let purposeSince: Double = 583_632_000
    /// From this moment on certificates of public authorities may be valid for 398 days: 2020-09-01 00:00 UTC.
    private static let yearSince: Double = 620_611_200
    private static let day: Double = 86_400

    /// The problems of a certificate.
    ///
    /// - Parameter isPublic: whether the chain ends in a root that came with the system, not in one that its user or
    ///   administrator added. Called only where it matters.
    package static func problems(of certificate: Certificate, isPublic: () -> Bool) -> [ChainProblem] {
        var problems: [ChainProblem] = []
        let (begins, lasts) = (certificate.notBefore, certificate.notAfter - certificate.notBefore)
        if begins > purposeSince, certificate.extensions.extendedKeyUsage?.contains(.serverAuthentication) != true {
            problems.append(.wrongPurpose)
        }
        let isTooLong = begins > purposeSince && lasts > 825 * day
        let isTooLongForPublic = begins >= yearSince && lasts > 398 * day
        if isTooLong || isTooLongForPublic && isPublic() { problems.append(.validForTooLong) }
        return problems
    }
}

extension DERObjectIdentifier {
    package static let serverAuthentication = Self(1, 3, 6, 1, 5, 5, 7, 3, 1)
}
