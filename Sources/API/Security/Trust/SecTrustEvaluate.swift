public import Dispatch
internal import KeychainCrypto
internal import KeychainModel

/// Evaluates whether a certificate is trusted: there is a valid chain to an anchor, and it meets every policy. Nothing
/// is fetched; answers about revocation come from `SecTrustSetOCSPResponse` alone.
///
/// - Parameter error: receives the reason when the result is false. The domain is `NSOSStatusErrorDomain`. The code is
///   one of `errSecNotTrusted`, `errSecCertificateExpired`, `errSecCertificateNotValidYet`, `errSecHostNameMismatch`,
///   `errSecInvalidExtendedKeyUsage`, `errSecCertificateValidityPeriodTooLong`, `errSecInvalidSignature` and others.
///   The description names the certificate and the reason.
/// - Returns: true for a trusted certificate.
///
/// Source: Apple, SecTrustEvaluateWithError.
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool {
    let verdict = trust.evaluate()
    unsafe error?.pointee = verdict.refusal?.asCFError
    return verdict.isTrusted
}

/// The block of `SecTrustEvaluateAsyncWithError`: the evaluation, whether the certificate is trusted, and otherwise the
/// reason.
public typealias SecTrustWithErrorCallback = @Sendable (SecTrust, Bool, CFError?) -> Void

/// Evaluates as `SecTrustEvaluateWithError`, on a queue.
///
/// - Parameters:
///   - queue: the queue of the evaluation and of `result`.
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
/// - Parameter result: receives the outcome: `unspecified` when the certificate is trusted.
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

/// Returns the chain of the evaluation, which runs if it has not yet: the certificate, then each issuer that was found.
@discardableResult
public func SecTrustCopyCertificateChain(_ trust: SecTrust) -> CFArray? { NSArray(array: chain(trust)) }

/// Returns how many certificates the chain has.
@discardableResult
public func SecTrustGetCertificateCount(_ trust: SecTrust) -> CFIndex { chain(trust).count }

/// Returns a certificate of the chain.
///
/// - Parameter ix: the index in the chain; 0 is the evaluated certificate.
/// - Returns: the certificate, or nil for an index outside the chain.
@discardableResult
public func SecTrustGetCertificateAtIndex(_ trust: SecTrust, _ ix: CFIndex) -> SecCertificate? {
    let certificates = chain(trust)
    return certificates.indices.contains(ix) ? certificates[ix] : nil
}

/// Returns the public key of the evaluated certificate, whether it is trusted or not.
///
/// - Returns: the key, or nil for a key of an unsupported type.
@discardableResult
public func SecTrustCopyKey(_ trust: SecTrust) -> SecKey? { SecCertificateCopyKey(trust.leaf) }

/// Returns the public key, under the name the function had before iOS 14.
@discardableResult
public func SecTrustCopyPublicKey(_ trust: SecTrust) -> SecKey? { SecTrustCopyKey(trust) }

/// Returns the outcome as a dictionary. It has `kSecTrustResultValue` and `kSecTrustEvaluationDate`.
/// `kSecTrustRevocationChecked` is true if every certificate but the anchor has an answer that it is not revoked,
/// otherwise false. If it is true, `kSecTrustRevocationValidUntilDate` tells until when that holds.
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
