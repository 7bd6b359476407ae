// Parameters that a program sets before an evaluation.

/// Sets the policies that all must hold.
///
/// - Parameter policies: a `SecPolicy` or an array of them.
/// - Returns: `errSecSuccess`, or `errSecParam` for anything else and for an empty array.
@discardableResult
public func SecTrustSetPolicies(_ trust: SecTrust, _ policies: CFTypeRef) -> OSStatus {
    guard let wanted: [SecPolicy] = objects(policies), !wanted.isEmpty else { return errSecParam }
    trust.change { $0.policies = wanted }
    return errSecSuccess
}

/// Returns the policies that must hold.
///
/// - Parameter policies: receives an array of `SecPolicy`.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustCopyPolicies(_ trust: SecTrust, _ policies: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    unsafe policies.pointee = NSArray(array: trust.question.policies)
    return errSecSuccess
}

/// Sets trusted certificates. From then on they alone are anchors, unless `SecTrustSetAnchorCertificatesOnly(trust,
/// false)` is called.
///
/// - Parameter anchorCertificates: an array of `SecCertificate`, which need not be self-signed. Nil restores the
///   system's anchors.
/// - Returns: `errSecSuccess`, or `errSecParam` for an array with other objects.
@discardableResult
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: CFArray?) -> OSStatus {
    guard let given = anchorCertificates else {
        trust.change { ($0.anchors, $0.withSystemAnchors) = (nil, nil) }
        return errSecSuccess
    }
    guard let anchors: [SecCertificate] = objects(given) else { return errSecParam }
    trust.change { $0.anchors = anchors }
    return errSecSuccess
}

/// Sets whether the system's anchors are left out.
///
/// - Parameter anchorCertificatesOnly: true to trust the program's anchors alone, false to trust the system's too.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus {
    trust.change { $0.withSystemAnchors = !anchorCertificatesOnly }
    return errSecSuccess
}

/// Returns the anchors that were set.
///
/// - Parameter anchors: receives an array of `SecCertificate`, or nil when none were set.
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustCopyCustomAnchorCertificates(
    _ trust: SecTrust, _ anchors: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    unsafe anchors.pointee = trust.question.anchors.map { NSArray(array: $0) }
    return errSecSuccess
}

/// Sets the date of the evaluation; now by default.
///
/// - Returns: `errSecSuccess`.
@discardableResult
public func SecTrustSetVerifyDate(_ trust: SecTrust, _ verifyDate: CFDate) -> OSStatus {
    let seconds = verifyDate.timeIntervalSinceReferenceDate
    trust.change { $0.date = seconds }
    return errSecSuccess
}

/// Returns the date of the evaluation, in seconds since 2001-01-01 00:00 UTC.
@discardableResult
public func SecTrustGetVerifyTime(_ trust: SecTrust) -> CFAbsoluteTime {
    trust.question.date ?? Date().timeIntervalSinceReferenceDate
}
