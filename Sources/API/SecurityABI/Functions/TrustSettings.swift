internal import KeychainModel
internal import Security

// SecTrust.h: parameters before an evaluation.

@_cdecl("SecTrustSetPolicies")
public func secTrustSetPolicies(_ trust: Reference?, _ policies: Reference?) -> Int32 {
    unsafe status(try SecTrustSetPolicies(borrowed(trust), value(policies)))
}

@_cdecl("SecTrustCopyPolicies")
public func secTrustCopyPolicies(_ trust: Reference?, _ policies: Place?) -> Int32 {
    unsafe status(policies) { (policies: UnsafeMutablePointer<CFArray?>) throws(Refusal) in
        try unsafe SecTrustCopyPolicies(borrowed(trust), policies)
    }
}

@_cdecl("SecTrustSetAnchorCertificates")
public func secTrustSetAnchorCertificates(_ trust: Reference?, _ anchorCertificates: Reference?) -> Int32 {
    unsafe status(try SecTrustSetAnchorCertificates(borrowed(trust), optionalArray(anchorCertificates)))
}

@_cdecl("SecTrustSetAnchorCertificatesOnly")
public func secTrustSetAnchorCertificatesOnly(_ trust: Reference?, _ anchorCertificatesOnly: Bool) -> Int32 {
    unsafe status(try SecTrustSetAnchorCertificatesOnly(borrowed(trust), anchorCertificatesOnly))
}

@_cdecl("SecTrustCopyCustomAnchorCertificates")
public func secTrustCopyCustomAnchorCertificates(_ trust: Reference?, _ anchors: Place?) -> Int32 {
    unsafe status(anchors) { (anchors: UnsafeMutablePointer<CFArray?>) throws(Refusal) in
        try unsafe SecTrustCopyCustomAnchorCertificates(borrowed(trust), anchors)
    }
}

@_cdecl("SecTrustCopyAnchorCertificates")
public func secTrustCopyAnchorCertificates(_ anchors: Place?) -> Int32 {
    unsafe status(anchors) { (anchors: UnsafeMutablePointer<CFArray?>) throws(Refusal) in
        unsafe SecTrustCopyAnchorCertificates(anchors)
    }
}

@_cdecl("SecTrustSetVerifyDate")
public func secTrustSetVerifyDate(_ trust: Reference?, _ verifyDate: Reference?) -> Int32 {
    unsafe status(try SecTrustSetVerifyDate(borrowed(trust), borrowed(verifyDate)))
}

@_cdecl("SecTrustGetVerifyTime")
public func secTrustGetVerifyTime(_ trust: Reference?) -> Double {
    unsafe answer(or: 0, try SecTrustGetVerifyTime(borrowed(trust)))
}

@_cdecl("SecTrustSetOptions")
public func secTrustSetOptions(_ trustRef: Reference?, _ options: UInt32) -> Int32 {
    unsafe status(try SecTrustSetOptions(borrowed(trustRef), SecTrustOptionFlags(rawValue: options)))
}

@_cdecl("SecTrustSetNetworkFetchAllowed")
public func secTrustSetNetworkFetchAllowed(_ trust: Reference?, _ allowFetch: Bool) -> Int32 {
    unsafe status(try SecTrustSetNetworkFetchAllowed(borrowed(trust), allowFetch))
}

@_cdecl("SecTrustGetNetworkFetchAllowed")
public func secTrustGetNetworkFetchAllowed(_ trust: Reference?, _ allowFetch: UnsafeMutablePointer<Bool>?) -> Int32 {
    var allowed: DarwinBoolean = false
    let status = unsafe status(try SecTrustGetNetworkFetchAllowed(borrowed(trust), &allowed))
    guard let place = unsafe allowFetch else { return errSecParam }
    unsafe place.pointee = allowed.boolValue
    return status
}

@_cdecl("SecTrustSetOCSPResponse")
public func secTrustSetOCSPResponse(_ trust: Reference?, _ responseData: Reference?) -> Int32 {
    unsafe status(try SecTrustSetOCSPResponse(borrowed(trust), optionalValue(responseData)))
}

@_cdecl("SecTrustSetSignedCertificateTimestamps")
public func secTrustSetSignedCertificateTimestamps(_ trust: Reference?, _ sctArray: Reference?) -> Int32 {
    unsafe status(try SecTrustSetSignedCertificateTimestamps(borrowed(trust), optionalArray(sctArray)))
}

@_cdecl("SecTrustSetKeychains")
public func secTrustSetKeychains(_ trust: Reference?, _ keychainOrArray: Reference?) -> Int32 {
    unsafe status(try SecTrustSetKeychains(borrowed(trust), optionalValue(keychainOrArray)))
}

@_cdecl("SecTrustCopyExceptions")
public func secTrustCopyExceptions(_ trust: Reference?) -> Reference? {
    unsafe object(try SecTrustCopyExceptions(borrowed(trust)))
}

@_cdecl("SecTrustSetExceptions")
public func secTrustSetExceptions(_ trust: Reference?, _ exceptions: Reference?) -> Bool {
    unsafe answer(or: false, try SecTrustSetExceptions(borrowed(trust), optional(exceptions)))
}
