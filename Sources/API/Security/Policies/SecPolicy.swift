internal import KeychainCrypto

/// The conditions that a certificate must meet. Immutable; any thread may use it. Source: Apple, `SecPolicy`.
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

    /// The identifier and the required name.
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

extension ChainVerifier.Name {
    var text: String {
        switch self {
        case .host(let name), .email(let name): name
        }
    }
}

/// Returns a policy's properties: its identifier under `kSecPolicyOid`, the required name under `kSecPolicyName`, and
/// `kSecPolicyClient` for the certificate of a client.
@discardableResult
public func SecPolicyCopyProperties(_ policyRef: SecPolicy) -> CFDictionary? {
    var properties: [CFString: Any] = [kSecPolicyOid: policyRef.identifier]
    properties[kSecPolicyName] = policyRef.demands.name?.text
    if policyRef.demands.isClient { properties[kSecPolicyClient] = true }
    return NSDictionary(dictionary: properties)
}
