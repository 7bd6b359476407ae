internal import KeychainModel
internal import Security

// SecTrust.h: making an evaluation, and its result.

@_cdecl("SecTrustGetTypeID")
public func secTrustGetTypeID() -> UInt { SecTrustGetTypeID() }

@_cdecl("SecTrustCreateWithCertificates")
public func secTrustCreateWithCertificates(
    _ certificates: Reference?, _ policies: Reference?, _ trust: Place?
) -> Int32 {
    unsafe status(trust) { (trust: UnsafeMutablePointer<SecTrust?>) throws(Refusal) in
        try unsafe SecTrustCreateWithCertificates(value(certificates), optionalValue(policies), trust)
    }
}

@_cdecl("SecTrustEvaluateWithError")
public func secTrustEvaluateWithError(_ trust: Reference?, _ error: Place?) -> Bool {
    unsafe boolean(error) { (place) throws(Refusal) in
        var reason: CFError?
        let isTrusted = try unsafe SecTrustEvaluateWithError(borrowed(trust), &reason)
        unsafe error?.pointee = nil
        unsafe place.pointee = reason.map { unsafe .passRetained($0) }
        return isTrusted
    }
}

@_cdecl("SecTrustEvaluate")
public func secTrustEvaluate(_ trust: Reference?, _ result: UnsafeMutablePointer<UInt32>?) -> Int32 {
    unsafe verdict(result) { (result) throws(Refusal) in try unsafe SecTrustEvaluate(borrowed(trust), result) }
}

@_cdecl("SecTrustGetTrustResult")
public func secTrustGetTrustResult(_ trust: Reference?, _ result: UnsafeMutablePointer<UInt32>?) -> Int32 {
    unsafe verdict(result) { (result) throws(Refusal) in try unsafe SecTrustGetTrustResult(borrowed(trust), result) }
}

private func verdict(
    _ place: UnsafeMutablePointer<UInt32>?,
    _ call: (UnsafeMutablePointer<SecTrustResultType>) throws(Refusal) -> Int32
) -> Int32 {
    guard let place = unsafe place else { return explained(.unusable("NULL", "a place for the result")) }
    var result = SecTrustResultType.invalid
    let status = unsafe status(try call(&result))
    unsafe place.pointee = result.rawValue
    return status
}

@_cdecl("SecTrustCopyResult")
public func secTrustCopyResult(_ trust: Reference?) -> Reference? {
    unsafe object(try SecTrustCopyResult(borrowed(trust)))
}

@_cdecl("SecTrustCopyProperties")
public func secTrustCopyProperties(_ trust: Reference?) -> Reference? {
    unsafe object(try SecTrustCopyProperties(borrowed(trust)))
}

@_cdecl("SecTrustCopyKey")
public func secTrustCopyKey(_ trust: Reference?) -> Reference? { unsafe object(try SecTrustCopyKey(borrowed(trust))) }

@_cdecl("SecTrustCopyPublicKey")
public func secTrustCopyPublicKey(_ trust: Reference?) -> Reference? { unsafe secTrustCopyKey(trust) }

@_cdecl("SecTrustCopyCertificateChain")
public func secTrustCopyCertificateChain(_ trust: Reference?) -> Reference? {
    unsafe object(try SecTrustCopyCertificateChain(borrowed(trust)))
}

@_cdecl("SecTrustGetCertificateCount")
public func secTrustGetCertificateCount(_ trust: Reference?) -> Int {
    unsafe answer(or: 0, try SecTrustGetCertificateCount(borrowed(trust)))
}

/// The only object that is returned unretained: the evaluation has it in its chain.
@_cdecl("SecTrustGetCertificateAtIndex")
public func secTrustGetCertificateAtIndex(_ trust: Reference?, _ ix: Int) -> Reference? {
    let certificate = unsafe answer(or: nil, try SecTrustGetCertificateAtIndex(borrowed(trust), ix))
    return unsafe certificate.map { unsafe Reference(Unmanaged.passUnretained($0).toOpaque()) }
}
