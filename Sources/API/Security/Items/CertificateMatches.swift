internal import KeychainClient
internal import KeychainCrypto
internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem

/// The conditions of a query on the contents of certificates: the `kSecMatch` keys that look into them (rule
/// queries.match-keys.certificates).
///
/// The program evaluates them on the found items: neither the daemon nor the enclave reads a certificate.
final class CertificateMatches {
    private var policy: SecPolicy?
    /// Normalised names.
    private var issuers: [[UInt8]]?
    private var emailAddress: String?
    private var isTrustedOnly = false
    private var date: Double?

    private var isEmpty: Bool {
        policy == nil && issuers == nil && emailAddress == nil && !isTrustedOnly && date == nil
    }

    /// Takes an entry of a query that looks into certificates. Most queries have none.
    ///
    /// - Throws: `errSecParam` for a value of the wrong type.
    static func take(_ key: String, _ value: AnyObject, into matches: inout CertificateMatches?) throws(Refusal) {
        let taken = matches ?? CertificateMatches()
        try taken.take(key, value)
        matches = taken.isEmpty ? nil : taken
    }

    private func take(_ key: String, _ value: AnyObject) throws(Refusal) {
        switch key {
        case "m_Policy": policy = try Self.require(value as? SecPolicy, key, "a SecPolicy")
        case "m_Issuers": issuers = try Self.names(value)
        case "m_EmailAddressIfPresent": emailAddress = try Self.require(value as? String, key, "a string")
        case "m_TrustedOnly": isTrustedOnly = try Self.boolean(value, key)
        case "m_ValidOnDate":
            let moment = value is NSNull ? NSDate() : value as? NSDate
            date = try Self.require(moment, key, "a date, or null for now").timeIntervalSinceReferenceDate
        default: break
        }
    }

    private static func names(_ value: AnyObject) throws(Refusal) -> [[UInt8]] {
        let array = try require(value as? NSArray, "m_Issuers", "an array of data")
        var names: [[UInt8]] = []
        for element in array {
            let name = try require(element as? NSData, "m_Issuers", "an array of data")
            names.append(name.withSpan { DistinguishedName.normalized($0) })
        }
        return names
    }

    private static func boolean(_ value: AnyObject, _ key: String) throws(Refusal) -> Bool {
        guard case .boolean(let flag) = RawValue(value) else { return try require(nil as Bool?, key, "a boolean") }
        return flag
    }

    private static func require<Value>(_ value: Value?, _ key: String, _ wanted: String) throws(Refusal) -> Value {
        if let value { return value }
        throw Refusal(.param, .wrongType, key, "\(key) has a value of another type.", do: "Give it \(wanted).")
    }

    /// Whether a certificate meets the conditions.
    ///
    /// - Throws: the refusals of the search for its issuers; the refusal when the system's anchors cannot be read.
    func admit(_ certificate: Certificate, _ walk: inout IssuerWalk) throws(Refusal) -> Bool {
        if let date, !(certificate.notBefore...max(certificate.notBefore, certificate.notAfter)).contains(date) {
            return false
        }
        if let emailAddress, !Self.names(certificate, emailAddress) { return false }
        if let policy, !policy.demands.isMet(by: certificate, at: date) { return false }
        if let issuers, try !walk.leads(from: certificate, to: issuers) { return false }
        return isTrustedOnly ? try isTrusted(certificate, &walk) : true
    }

    /// The case of an address does not count. A certificate without addresses matches all of them.
    private static func names(_ certificate: Certificate, _ address: String) -> Bool {
        let addresses = certificate.emailAddresses
        return addresses.isEmpty || addresses.contains { $0.lowercased() == address.lowercased() }
    }

    private func isTrusted(_ certificate: Certificate, _ walk: inout IssuerWalk) throws(Refusal) -> Bool {
        var verifier = ChainVerifier()
        verifier.anchors = try SystemAnchors.load()
        verifier.others = try walk.issuers(above: certificate)
        verifier.date = date ?? Clock.secondsSinceReferenceDate
        let demands = policy?.demands ?? CertificateDemands()
        return demands.check(certificate, with: verifier, isPublic: SystemAnchors.isFromDistribution).findings.isEmpty
    }
}

extension CertificateDemands {
    /// Whether a certificate by itself meets the policy at a date or now, whatever its issuer.
    fileprivate func isMet(by certificate: Certificate, at date: Double?) -> Bool {
        var verifier = ChainVerifier()
        verifier.anchors = TrustAnchors([certificate])
        verifier.date = date ?? Clock.secondsSinceReferenceDate
        return check(certificate, with: verifier, isPublic: { _ in false }).findings.isEmpty
    }
}
