internal import DER
internal import KeychainCrypto

/// Makes the policy that requires only a valid chain (RFC 5280).
///
/// It rejects keys and signatures that can be forged today: RSA below 1024 bits, MD5, SHA-1.
@discardableResult
public func SecPolicyCreateBasicX509() -> SecPolicy {
    SecPolicy(kSecPolicyAppleX509Basic as String, CertificateDemands())
}

/// Makes the policy for TLS.
///
/// - Parameters:
///   - server: true for a server's certificate, false for a client's.
///   - hostname: the host or address that the certificate must have among its alternative names. A wildcard stands for
///     the whole leftmost label. The common name does not count (RFC 6125). Nil requires no name.
/// - Returns: the policy. It requires RSA keys of 2048 bits and digests better than SHA-1. A server's certificate
///   issued after 2019-07-01 must name server authentication as extended key usage and be valid for at most 825 days.
///   One issued from 2020-09-01 on under a root of the system may be valid for at most 398 days
///   (support.apple.com/en-us/103769 and 102028). No certificate matches a host that begins with a dot or only looks
///   like an address.
@discardableResult
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
    let name = hostname.map { ChainVerifier.Name.host($0 as String) }
    return SecPolicy(
        kSecPolicyAppleSSL as String,
        CertificateDemands(purpose: server ? .tlsServer : .tlsClient, name: name, isClient: !server))
}

/// Makes a policy that requires a check of revocation.
///
/// - Parameter revocationFlags: only `kSecRevocationRequirePositiveResponse` has an effect. This system fetches
///   nothing, so the evaluation fails with `errSecIncompleteCertRevocationCheck` unless `SecTrustSetOCSPResponse` has
///   answers for the whole chain except its anchor.
@discardableResult
public func SecPolicyCreateRevocation(_ revocationFlags: CFOptionFlags) -> SecPolicy? {
    let needsAnswer = revocationFlags & kSecRevocationRequirePositiveResponse != 0
    return SecPolicy(kSecPolicyAppleRevocation as String, CertificateDemands(needsRevocationCheck: needsAnswer))
}

/// Makes a policy from its identifier.
///
/// - Parameters:
///   - policyIdentifier: `kSecPolicyAppleX509Basic`, `…SSL`, `…SSLServer`, `…SSLClient`, `…EAP`, `…IPsec`, `…SMIME`,
///     `…CodeSigning`, `…TimeStamping` or `…Revocation`.
///   - properties: `kSecPolicyName` (a host, or for mail an address), `kSecPolicyClient` and
///     `kSecPolicyRevocationFlags`. A true value under a `kSecPolicyKU_…` key requires that use of the key.
/// - Returns: the policy; nil for Apple's policies for its own services, and for a property of the wrong type.
@discardableResult
public func SecPolicyCreateWithProperties(_ policyIdentifier: CFTypeRef, _ properties: CFDictionary?) -> SecPolicy? {
    guard let identifier = policyIdentifier as? String, let make = policies[identifier],
        let properties = PolicyProperties(properties)
    else { return nil }
    return SecPolicy(identifier, make(properties))
}

/// The properties of a policy made from its identifier.
private struct PolicyProperties {
    var name: String?
    var isClient = false
    var revocationFlags: CFOptionFlags = 0
    var keyUsage: CertificateKeyUsage = []

    /// Reads the properties; nil for a value of the wrong type. Unknown properties are ignored, because other systems
    /// may have more.
    init?(_ dictionary: NSDictionary?) {
        guard let entries = (dictionary ?? NSDictionary()) as? [String: Any] else { return nil }
        do {
            name = try Self.value(kSecPolicyName, in: entries)
            isClient = try Self.value(kSecPolicyClient, in: entries) ?? false
            let flags: NSNumber? = try Self.value(kSecPolicyRevocationFlags, in: entries)
            revocationFlags = flags?.uintValue ?? 0
            for (key, usage) in unsafe keyUsages where try Self.value(key, in: entries) ?? false {
                keyUsage.insert(usage)
            }
        } catch { return nil }
    }

    private struct WrongType: Error {}

    private static func value<Value>(_ key: CFString, in entries: [String: Any]) throws(WrongType) -> Value? {
        guard let entry = entries[key as String] else { return nil }
        guard let value = entry as? Value else { throw WrongType() }
        return value
    }
}

private nonisolated(unsafe) let keyUsages: [(CFString, CertificateKeyUsage)] = [
    (kSecPolicyKU_DigitalSignature, .digitalSignature), (kSecPolicyKU_NonRepudiation, .nonRepudiation),
    (kSecPolicyKU_KeyEncipherment, .keyEncipherment), (kSecPolicyKU_DataEncipherment, .dataEncipherment),
    (kSecPolicyKU_KeyAgreement, .keyAgreement), (kSecPolicyKU_KeyCertSign, .keyCertSign),
    (kSecPolicyKU_CRLSign, .crlSign), (kSecPolicyKU_EncipherOnly, .encipherOnly),
    (kSecPolicyKU_DecipherOnly, .decipherOnly),
]

/// The policies that are not about Apple's own services, by identifier.
private let policies: [String: @Sendable (PolicyProperties) -> CertificateDemands] = [
    kSecPolicyAppleX509Basic as String: { CertificateDemands(keyUsage: $0.keyUsage) },
    kSecPolicyAppleSSL as String: { tls($0, isClient: $0.isClient) },
    kSecPolicyAppleSSLServer as String: { tls($0, isClient: false) },
    kSecPolicyAppleSSLClient as String: { tls($0, isClient: true) },
    kSecPolicyAppleEAP as String: { tls($0, isClient: $0.isClient) },
    kSecPolicyAppleIPsec as String: {
        CertificateDemands(name: $0.name.map { .host($0) }, keyUsage: $0.keyUsage, isClient: $0.isClient)
    },
    kSecPolicyAppleSMIME as String: {
        CertificateDemands(purpose: .mail, name: $0.name.map { .email($0) }, keyUsage: $0.keyUsage)
    },
    kSecPolicyAppleCodeSigning as String: {
        CertificateDemands(extendedUsage: .codeSigning, keyUsage: $0.keyUsage)
    },
    kSecPolicyAppleTimeStamping as String: { CertificateDemands(purpose: .timeStamping, keyUsage: $0.keyUsage) },
    kSecPolicyAppleRevocation as String: {
        CertificateDemands(needsRevocationCheck: $0.revocationFlags & kSecRevocationRequirePositiveResponse != 0)
    },
]

private func tls(_ properties: PolicyProperties, isClient: Bool) -> CertificateDemands {
    CertificateDemands(
        purpose: isClient ? .tlsClient : .tlsServer, name: properties.name.map { .host($0) },
        keyUsage: properties.keyUsage, isClient: isClient)
}
