public import Dispatch
internal import KeychainCrypto
internal import KeychainModel

/// Evaluates whether the certificate is to be believed: whether there is a chain to an anchor, everything in it holds,
/// and it is what every policy wants. Nothing is fetched; of revocation is known what `SecTrustSetOCSPResponse` was
/// given.
///
/// - Parameter error: receives the reason when the result is false: the domain is `NSOSStatusErrorDomain`, the code one
///   of `errSecNotTrusted`, `errSecCertificateExpired`, `errSecCertificateNotValidYet`, `errSecHostNameMismatch`,
///   `errSecInvalidExtendedKeyUsage`, `errSecCertificateValidityPeriodTooLong`, `errSecInvalidSignature` and so on; the
///   description names the certificate and the reason.
/// - Returns: whether it is.
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
    let verdict = trust.evaluate()
    unsafe error?.pointee = verdict.refusal?.asCFError
    return verdict.isTrusted
}

/// What `SecTrustEvaluateAsyncWithError` calls: the evaluation, whether the certificate is to be believed, and
/// otherwise why not.
public typealias SecTrustWithErrorCallback = @Sendable (SecTrust, Bool, CFError?) -> Void

/// Evaluates as `SecTrustEvaluateWithError`, on a queue.
///
/// - Parameters:
///   - queue: where it happens, and where `result` is called.
///   - result: receives the outcome.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustEvaluateAsyncWithError(
    _ trust: SecTrust, _ queue: DispatchQueue, _ result: @escaping SecTrustWithErrorCallback
) -> OSStatus {
    queue.async {
        let verdict = trust.evaluate()
        result(trust, verdict.isTrusted, verdict.refusal?.asCFError)
    }
    return errSecSuccess
}

/// Evaluates as `SecTrustEvaluateWithError`, as it was done before iOS 13.
///
/// - Parameter result: receives the outcome: `unspecified` when the certificate is to be believed.
/// - Returns: `errSecSuccess`, whatever the outcome.
@discardableResult
public func SecTrustEvaluate(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
    unsafe result.pointee = trust.evaluate().result
    return errSecSuccess
}

/// Returns the outcome of the last evaluation.
///
/// - Parameter result: receives the outcome; `invalid` before the first evaluation and after a change.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustGetTrustResult(_ trust: SecTrust, _ result: UnsafeMutablePointer<SecTrustResultType>) -> OSStatus {
    unsafe result.pointee = trust.known?.result ?? .invalid
    return errSecSuccess
}

/// Returns the chain that an evaluation has found, evaluating if there was none: the certificate in question first,
/// then each one's issuer as far as they were found.
@discardableResult
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { NSArray(array: chain(trust)) }

/// Returns how many certificates the chain has.
@discardableResult
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex { chain(trust).count }

/// Returns a certificate of the chain.
///
/// - Parameter ix: its place; 0 is the certificate in question.
/// - Returns: the certificate, or nil for a place that the chain has not.
@discardableResult
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ ix: CFIndex) -> SecCertificate? {
    let certificates = chain(trust)
    return certificates.indices.contains(ix) ? certificates[ix] : nil
}

/// Returns the public key of the certificate in question, whether it is to be believed or not.
///
/// - Returns: the key, or nil for a key of a type that is not used here.
@discardableResult
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? { SecCertificateCopyKey(trust.leaf) }

/// Returns the public key, under the name the function had before iOS 14.
@discardableResult
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? { SecTrustCopyKey(trust) }

/// Returns the outcome as a dictionary: `kSecTrustResultValue` and `kSecTrustEvaluationDate`;
/// `kSecTrustRevocationChecked`, which is true where for every certificate but the anchor an answer was given that it
/// is not revoked, and false otherwise; and if it is true, until when that holds under
/// `kSecTrustRevocationValidUntilDate`.
@discardableResult
public func SecTrustCopyResult(_ trust: SecTrust) -> CFDictionary? {
    let verdict = trust.known ?? trust.evaluate()
    let date = NSDate(timeIntervalSinceReferenceDate: verdict.date)
    var result: [CFString: Any] = [
        kSecTrustResultValue: NSNumber(value: verdict.result.rawValue), kSecTrustEvaluationDate: date,
        kSecTrustRevocationChecked: verdict.notRevokedUntil != nil,
    ]
    result[kSecTrustRevocationValidUntilDate] = verdict.notRevokedUntil.map {
        NSDate(timeIntervalSinceReferenceDate: $0)
    }
    return NSDictionary(dictionary: result)
}

private func chain(_ trust: SecTrust) -> [SecCertificate] {
    (trust.known ?? trust.evaluate()).chain
}
