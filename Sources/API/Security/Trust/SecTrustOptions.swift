public import Dispatch
internal import KeychainCrypto
internal import KeychainModel

// Settings of an evaluation beyond its policies. Those that need the network, or that weaken a policy, are refused.

/// Options of an evaluation. Source: Apple, `SecTrustOptionFlags`.
public struct SecTrustOptionFlags: OptionSet, Sendable {
    /// The bits as Apple has them.
    public let rawValue: UInt32
    /// Options by their bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Expired certificates are trusted.
    public static let allowExpired = Self(rawValue: 1)
    /// The evaluated certificate may be an authority's.
    public static let leafIsCA = Self(rawValue: 2)
    /// Missing issuers are fetched.
    public static let fetchIssuerFromNet = Self(rawValue: 4)
    /// Expired anchors are trusted.
    public static let allowExpiredRoot = Self(rawValue: 8)
    /// Revocation must be known for each certificate.
    public static let requireRevPerCert = Self(rawValue: 0x10)
    /// The user's trust settings count.
    public static let useTrustSettings = Self(rawValue: 0x20)
    /// Self-signed certificates given are anchors.
    public static let implicitAnchors = Self(rawValue: 0x40)
}

/// Sets options.
///
/// - Returns: `errSecSuccess` for none, `errSecUnimplemented` for any: each weakens the evaluation or needs the
///   network.
@discardableResult
public func SecTrustSetOptions(_ trustRef: SecTrust, _ options: SecTrustOptionFlags) -> OSStatus {
    options.isEmpty ? errSecSuccess : notHere("an evaluation is as strict as its policies.")
}

/// Sets whether the evaluation may fetch something. It never does.
///
/// - Returns: `errSecSuccess` for false, `errSecUnimplemented` for true.
@discardableResult
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: Bool) -> OSStatus {
    allowFetch ? notHere("nothing is fetched for an evaluation; give all intermediate certificates.") : errSecSuccess
}

/// Returns whether the evaluation may fetch something: false.
///
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustGetNetworkFetchAllowed(
    _ trust: SecTrust, _ allowFetch: UnsafeMutablePointer<DarwinBoolean>
) -> OSStatus {
    unsafe allowFetch.pointee = false
    return errSecSuccess
}

/// Sets answers about revocation (OCSP, RFC 6960) that came with a connection.
///
/// A certificate that an answer calls revoked is not trusted. An answer is ignored if it is from another time, or if it
/// is not signed by the issuer or by the issuer's responder.
///
/// - Parameter responseData: a `CFData`, or an array of them; nil removes the answers.
/// - Returns: `errSecSuccess`, or `errSecParam` for anything else.
@discardableResult
public func SecTrustSetOCSPResponse(_ trust: SecTrust, _ responseData: CFTypeRef?) -> OSStatus {
    var responses: [NSData] = []
    if let responseData {
        guard let given: [NSData] = objects(responseData) else { return errSecParam }
        responses = given
    }
    let read = responses.map { OCSPResponse([UInt8]($0 as Data)) }
    trust.change { $0.responses = read }
    return errSecSuccess
}

/// Sets timestamps of certificate logs that came with a connection.
///
/// - Returns: `errSecSuccess` for nil, otherwise `errSecUnimplemented`: logs are not evaluated.
@discardableResult
public func SecTrustSetSignedCertificateTimestamps(_ trust: SecTrust, _ sctArray: CFArray?) -> OSStatus {
    sctArray == nil ? errSecSuccess : notHere("certificate logs are not looked at.")
}

/// Sets the keychains that hold intermediate certificates.
///
/// - Returns: `errSecUnimplemented`: an evaluation knows only the certificates that it was given.
@discardableResult
public func SecTrustSetKeychains(_ trust: SecTrust, _ keychainOrArray: CFTypeRef?) -> OSStatus {
    notHere("an evaluation knows the certificates it was given; put the intermediate ones after the first.")
}

/// Returns the exceptions that would make the certificate trusted.
///
/// - Returns: nil: there are no exceptions. Make the certificate an anchor instead (`SecTrustSetAnchorCertificates`).
@discardableResult
public func SecTrustCopyExceptions(_ trust: SecTrust) -> CFData? { nil }

/// Sets exceptions.
///
/// - Returns: true for nil, otherwise false.
@discardableResult
public func SecTrustSetExceptions(_ trust: SecTrust, _ exceptions: CFData?) -> Bool { exceptions == nil }

/// Returns the system's anchors.
///
/// - Parameter anchors: receives an array of `SecCertificate`.
/// - Returns: `errSecSuccess`, or `errSecNotTrusted` where the system has none.
@discardableResult
public func SecTrustCopyAnchorCertificates(_ anchors: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    reporting { () throws(Refusal) in
        unsafe anchors.pointee = NSArray(array: try SystemAnchors.certificates().map { SecCertificate($0) })
        return nil
    }
}

/// The block of `SecTrustEvaluateAsync`: the evaluation and its outcome.
public typealias SecTrustCallback = @Sendable (SecTrust, SecTrustResultType) -> Void

/// Evaluates as `SecTrustEvaluate`, on a queue.
///
/// - Parameters:
///   - queue: the queue of the evaluation and of `result`; nil is the main queue.
///   - result: receives the outcome.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustEvaluateAsync(
    _ trust: SecTrust, _ queue: DispatchQueue?, _ result: @escaping SecTrustCallback
) -> OSStatus {
    (queue ?? .main).async { result(trust, trust.evaluate().result) }
    return errSecSuccess
}

/// Returns properties of each certificate of the chain, the evaluated one first.
///
/// - Returns: an array of dictionaries. `kSecPropertyTypeTitle` is a name for people. `kSecPropertyTypeError` is the
///   reason, for an evaluated certificate that is not trusted.
@discardableResult
public func SecTrustCopyProperties(_ trust: SecTrust) -> CFArray? {
    let verdict = trust.known ?? trust.evaluate()
    var reason = verdict.refusal?.problem
    let properties = (0..<SecTrustGetCertificateCount(trust)).compactMap { place -> NSDictionary? in
        guard let certificate = SecTrustGetCertificateAtIndex(trust, place) else { return nil }
        var entries: [CFString: Any] = [
            kSecPropertyTypeTitle: SecCertificateCopySubjectSummary(certificate) ?? "certificate"
        ]
        if let text = reason { entries[kSecPropertyTypeError] = text }
        reason = nil
        return NSDictionary(dictionary: entries)
    }
    return NSArray(array: properties)
}
