public import Dispatch
internal import KeychainCrypto
internal import KeychainModel

// What can be asked of an evaluation beyond its policies. What would need the network, or would make an evaluation
// milder than the policies say, is refused.

/// How an evaluation is to be done.
public struct SecTrustOptionFlags: OptionSet, Sendable {
    /// The bits as Apple has them.
    public let rawValue: UInt32
    /// Options by their bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Expired certificates are believed.
    public static let allowExpired = Self(rawValue: 1)
    /// The certificate in question may be an authority's.
    public static let leafIsCA = Self(rawValue: 2)
    /// Missing issuers are fetched.
    public static let fetchIssuerFromNet = Self(rawValue: 4)
    /// Expired anchors are believed.
    public static let allowExpiredRoot = Self(rawValue: 8)
    /// Revocation must be known for each certificate.
    public static let requireRevPerCert = Self(rawValue: 0x10)
    /// The user's settings count.
    public static let useTrustSettings = Self(rawValue: 0x20)
    /// Self-signed certificates given are anchors.
    public static let implicitAnchors = Self(rawValue: 0x40)
}

/// Sets options.
///
/// - Returns: `errSecSuccess` for none, `errSecUnimplemented` for any: each makes an evaluation milder, or needs the
///   network.
@discardableResult
public func SecTrustSetOptions(_ trustRef: SecTrust, _ options: SecTrustOptionFlags) -> OSStatus {
    options.isEmpty ? errSecSuccess : notHere("an evaluation is as strict as its policies.")
}

/// Sets whether something may be fetched for the evaluation; nothing ever is.
///
/// - Returns: `errSecSuccess` for false, `errSecUnimplemented` for true.
@discardableResult
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: Bool) -> OSStatus {
    allowFetch ? notHere("nothing is fetched for an evaluation; give all intermediate certificates.") : errSecSuccess
}

/// Returns whether something may be fetched for the evaluation: false.
///
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustGetNetworkFetchAllowed(
    _ trust: SecTrust, _ allowFetch: UnsafeMutablePointer<DarwinBoolean>
) -> OSStatus {
    unsafe allowFetch.pointee = false
    return errSecSuccess
}

/// Gives answers about revocation (OCSP, RFC 6960) that came with a connection. A certificate of the chain that one of
/// them says was revoked is not believed; an answer that is not signed by the certificate's issuer, or by whom the
/// issuer has named for that, or is of another time, counts for nothing.
///
/// - Parameter responseData: a `CFData`, or an array of them; nil takes back what was given.
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

/// Gives timestamps of certificate logs that came with a connection.
///
/// - Returns: `errSecSuccess` for nil, otherwise `errSecUnimplemented`: logs are not looked at.
@discardableResult
public func SecTrustSetSignedCertificateTimestamps(_ trust: SecTrust, _ sctArray: CFArray?) -> OSStatus {
    sctArray == nil ? errSecSuccess : notHere("certificate logs are not looked at.")
}

/// Sets in which keychains to look for intermediate certificates.
///
/// - Returns: `errSecUnimplemented`: an evaluation knows the certificates it was given.
@discardableResult
public func SecTrustSetKeychains(_ trust: SecTrust, _ keychainOrArray: CFTypeRef?) -> OSStatus {
    notHere("an evaluation knows the certificates it was given; put the intermediate ones beside the first.")
}

/// Returns what would have to be overlooked for the certificate to be believed.
///
/// - Returns: nil: nothing is overlooked. Believe a certificate by making it an anchor
///   (`SecTrustSetAnchorCertificates`).
@discardableResult
public func SecTrustCopyExceptions(_ trust: SecTrust) -> CFData? { nil }

/// Sets what is to be overlooked.
///
/// - Returns: true for nil, which overlooks nothing, otherwise false.
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

/// What `SecTrustEvaluateAsync` calls: the evaluation and its outcome.
public typealias SecTrustCallback = @Sendable (SecTrust, SecTrustResultType) -> Void

/// Evaluates as `SecTrustEvaluate`, on a queue.
///
/// - Parameters:
///   - queue: where it happens, and where `result` is called; nil is the main queue.
///   - result: receives the outcome.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustEvaluateAsync(
    _ trust: SecTrust, _ queue: DispatchQueue?, _ result: @escaping SecTrustCallback
) -> OSStatus {
    (queue ?? .main).async { result(trust, trust.evaluate().result) }
    return errSecSuccess
}

/// Returns what an evaluation says about each certificate of the chain, the one in question first.
///
/// - Returns: an array of dictionaries: `kSecPropertyTypeTitle`, what a person calls the certificate, and where it is
///   the one in question and not to be believed, `kSecPropertyTypeError`, the reason.
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
