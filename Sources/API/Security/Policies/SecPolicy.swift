internal import DER
internal import KeychainCrypto

/// What a certificate is to be good for. Immutable; any thread may use it.
public final class SecPolicy: NSObject, SecurityObject, Sendable {
    static let runtimeType = RuntimeType(SecPolicy.self)
    private let runtimeWord = SecPolicy.runtimeType.word

    /// The policy's identifier, one of the `kSecPolicyApple…` values.
    let identifier: String
    let demands: CertificateDemands

    init(_ identifier: String, _ demands: CertificateDemands) {
        self.identifier = identifier
        self.demands = demands
    }

    /// The identifier and the name the certificate must bear.
    public override var description: String {
        "<SecPolicyRef: oid: \(identifier)\(demands.name.map { " name: \($0.text)" } ?? "")>"
    }

    /// Whether both demand the same.
    public override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? SecPolicy else { return false }
        return other.identifier == identifier && other.demands == demands
    }

    /// A hash that equal policies share.
    public override var hash: Int { identifier.hashValue }
}

/// What a policy wants of a certificate, beyond a chain to an anchor.
struct CertificateDemands: Equatable, Sendable {
    /// What OpenSSL holds the whole chain against.
    var purpose = ChainVerifier.Purpose.anything
    var name: ChainVerifier.Name?
    /// A purpose the certificate itself must name.
    var extendedUsage: DERObjectIdentifier?
    /// What the certificate's key must be for, where it says so.
    var keyUsage: CertificateKeyUsage = []
    /// Somebody wants to be sure that nothing was revoked, which nobody here can be.
    var needsRevocationCheck = false
    var isClient = false
}

extension ChainVerifier.Name {
    var text: String {
        switch self {
        case .host(let name), .email(let name): name
        }
    }
}

/// Returns a policy's properties: its identifier under `kSecPolicyOid`; the name the certificate must bear under
/// `kSecPolicyName`; `kSecPolicyClient` where the certificate is the client's.
@discardableResult
public func SecPolicyCopyProperties(_ policyRef: SecPolicy) -> CFDictionary? {
    var properties: [CFString: Any] = [kSecPolicyOid: policyRef.identifier]
    properties[kSecPolicyName] = policyRef.demands.name?.text
    if policyRef.demands.isClient { properties[kSecPolicyClient] = true }
    return NSDictionary(dictionary: properties)
}
