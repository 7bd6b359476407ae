internal import KeychainModel
internal import Security

// CMSDecoder.h.

@_cdecl("CMSDecoderGetTypeID")
public func cmsDecoderGetTypeID() -> UInt { CMSDecoderGetTypeID() }

@_cdecl("CMSDecoderCreate")
public func cmsDecoderCreate(_ cmsDecoderOut: Place?) -> Int32 {
    unsafe status(cmsDecoderOut) { (decoder: UnsafeMutablePointer<CMSDecoder?>) throws(Refusal) in
        unsafe CMSDecoderCreate(decoder)
    }
}

@_cdecl("CMSDecoderUpdateMessage")
public func cmsDecoderUpdateMessage(_ cmsDecoder: Reference?, _ msgBytes: UnsafeRawPointer?, _ msgBytesLen: Int)
    -> Int32
{
    unsafe status(try CMSDecoderUpdateMessage(borrowed(cmsDecoder), given(msgBytes), msgBytesLen))
}

@_cdecl("CMSDecoderFinalizeMessage")
public func cmsDecoderFinalizeMessage(_ cmsDecoder: Reference?) -> Int32 {
    unsafe status(try CMSDecoderFinalizeMessage(borrowed(cmsDecoder)))
}

@_cdecl("CMSDecoderSetDetachedContent")
public func cmsDecoderSetDetachedContent(_ cmsDecoder: Reference?, _ detachedContent: Reference?) -> Int32 {
    unsafe status(try CMSDecoderSetDetachedContent(borrowed(cmsDecoder), borrowed(detachedContent)))
}

@_cdecl("CMSDecoderGetNumSigners")
public func cmsDecoderGetNumSigners(_ cmsDecoder: Reference?, _ numSignersOut: UnsafeMutablePointer<Int>?) -> Int32 {
    unsafe status(try CMSDecoderGetNumSigners(borrowed(cmsDecoder), given(numSignersOut)))
}

@_cdecl("CMSDecoderCopySignerStatus")
public func cmsDecoderCopySignerStatus(
    _ cmsDecoder: Reference?, _ signerIndex: Int, _ policyOrArray: Reference?, _ evaluateSecTrust: Bool,
    _ signerStatusOut: UnsafeMutablePointer<UInt32>?, _ secTrustOut: Place?,
    _ certVerifyResultCodeOut: UnsafeMutablePointer<Int32>?
) -> Int32 {
    unsafe status(optional: secTrustOut) { (trust: UnsafeMutablePointer<SecTrust?>?) throws(Refusal) in
        let place = try unsafe given(signerStatusOut)
        var answer = CMSSignerStatus.unsigned
        let status = try unsafe CMSDecoderCopySignerStatus(
            borrowed(cmsDecoder), signerIndex, value(policyOrArray), evaluateSecTrust, &answer, trust,
            certVerifyResultCodeOut)
        unsafe place.pointee = answer.rawValue
        return status
    }
}

@_cdecl("CMSDecoderCopySignerEmailAddress")
public func cmsDecoderCopySignerEmailAddress(
    _ cmsDecoder: Reference?, _ signerIndex: Int, _ signerEmailAddressOut: Place?
) -> Int32 {
    unsafe status(signerEmailAddressOut) { (place: UnsafeMutablePointer<CFString?>) throws(Refusal) in
        try unsafe CMSDecoderCopySignerEmailAddress(borrowed(cmsDecoder), signerIndex, place)
    }
}

@_cdecl("CMSDecoderCopySignerCert")
public func cmsDecoderCopySignerCert(_ cmsDecoder: Reference?, _ signerIndex: Int, _ signerCertOut: Place?) -> Int32 {
    unsafe status(signerCertOut) { (place: UnsafeMutablePointer<SecCertificate?>) throws(Refusal) in
        try unsafe CMSDecoderCopySignerCert(borrowed(cmsDecoder), signerIndex, place)
    }
}

@_cdecl("CMSDecoderCopySignerSigningTime")
public func cmsDecoderCopySignerSigningTime(
    _ cmsDecoder: Reference?, _ signerIndex: Int, _ signingTime: UnsafeMutablePointer<Double>?
) -> Int32 {
    unsafe status(try CMSDecoderCopySignerSigningTime(borrowed(cmsDecoder), signerIndex, given(signingTime)))
}

@_cdecl("CMSDecoderIsContentEncrypted")
public func cmsDecoderIsContentEncrypted(_ cmsDecoder: Reference?, _ isEncryptedOut: UnsafeMutablePointer<Bool>?)
    -> Int32
{
    unsafe truth(isEncryptedOut) { (answer) throws(Refusal) in
        try unsafe CMSDecoderIsContentEncrypted(borrowed(cmsDecoder), answer)
    }
}

@_cdecl("CMSDecoderCopyEncapsulatedContentType")
public func cmsDecoderCopyEncapsulatedContentType(_ cmsDecoder: Reference?, _ eContentTypeOut: Place?) -> Int32 {
    unsafe status(eContentTypeOut) { (place: UnsafeMutablePointer<CFData?>) throws(Refusal) in
        try unsafe CMSDecoderCopyEncapsulatedContentType(borrowed(cmsDecoder), place)
    }
}

@_cdecl("CMSDecoderCopyDetachedContent")
public func cmsDecoderCopyDetachedContent(_ cmsDecoder: Reference?, _ detachedContentOut: Place?) -> Int32 {
    unsafe status(detachedContentOut) { (place: UnsafeMutablePointer<CFData?>) throws(Refusal) in
        try unsafe CMSDecoderCopyDetachedContent(borrowed(cmsDecoder), place)
    }
}

@_cdecl("CMSDecoderCopySignerTimestamp")
public func cmsDecoderCopySignerTimestamp(
    _ cmsDecoder: Reference?, _ signerIndex: Int, _ timestamp: UnsafeMutablePointer<Double>?
) -> Int32 {
    unsafe status(try CMSDecoderCopySignerTimestamp(borrowed(cmsDecoder), signerIndex, given(timestamp)))
}

@_cdecl("CMSDecoderCopySignerTimestampWithPolicy")
public func cmsDecoderCopySignerTimestampWithPolicy(
    _ cmsDecoder: Reference?, _ timeStampPolicy: Reference?, _ signerIndex: Int,
    _ timestamp: UnsafeMutablePointer<Double>?
) -> Int32 {
    unsafe status(
        try CMSDecoderCopySignerTimestampWithPolicy(
            borrowed(cmsDecoder), optionalValue(timeStampPolicy), signerIndex, given(timestamp)))
}

@_cdecl("CMSDecoderCopySignerTimestampCertificates")
public func cmsDecoderCopySignerTimestampCertificates(
    _ cmsDecoder: Reference?, _ signerIndex: Int, _ certificateRefs: Place?
) -> Int32 {
    unsafe status(certificateRefs) { (place: UnsafeMutablePointer<CFArray?>) throws(Refusal) in
        try unsafe CMSDecoderCopySignerTimestampCertificates(borrowed(cmsDecoder), signerIndex, place)
    }
}

@_cdecl("CMSDecoderCopyContent")
public func cmsDecoderCopyContent(_ cmsDecoder: Reference?, _ contentOut: Place?) -> Int32 {
    unsafe status(contentOut) { (content: UnsafeMutablePointer<CFData?>) throws(Refusal) in
        try unsafe CMSDecoderCopyContent(borrowed(cmsDecoder), content)
    }
}

@_cdecl("CMSDecoderCopyAllCerts")
public func cmsDecoderCopyAllCerts(_ cmsDecoder: Reference?, _ certsOut: Place?) -> Int32 {
    unsafe status(certsOut) { (certificates: UnsafeMutablePointer<CFArray?>) throws(Refusal) in
        try unsafe CMSDecoderCopyAllCerts(borrowed(cmsDecoder), certificates)
    }
}
