internal import KeychainModel
internal import Security

// CMSEncoder.h.

@_cdecl("CMSEncoderGetTypeID")
public func cmsEncoderGetTypeID() -> UInt { CMSEncoderGetTypeID() }

@_cdecl("CMSEncoderCreate")
public func cmsEncoderCreate(_ cmsEncoderOut: Place?) -> Int32 {
    unsafe status(cmsEncoderOut) { (encoder: UnsafeMutablePointer<CMSEncoder?>) throws(Refusal) in
        unsafe CMSEncoderCreate(encoder)
    }
}

@_cdecl("CMSEncoderSetSignerAlgorithm")
public func cmsEncoderSetSignerAlgorithm(_ cmsEncoder: Reference?, _ digestAlgorithm: Reference?) -> Int32 {
    unsafe status(try CMSEncoderSetSignerAlgorithm(borrowed(cmsEncoder), string(digestAlgorithm)))
}

@_cdecl("CMSEncoderAddSigners")
public func cmsEncoderAddSigners(_ cmsEncoder: Reference?, _ signerOrArray: Reference?) -> Int32 {
    unsafe status(try CMSEncoderAddSigners(borrowed(cmsEncoder), value(signerOrArray)))
}

@_cdecl("CMSEncoderCopySigners")
public func cmsEncoderCopySigners(_ cmsEncoder: Reference?, _ signersOut: Place?) -> Int32 {
    unsafe status(signersOut) { (place: UnsafeMutablePointer<CFArray?>) throws(Refusal) in
        try unsafe CMSEncoderCopySigners(borrowed(cmsEncoder), place)
    }
}

@_cdecl("CMSEncoderAddRecipients")
public func cmsEncoderAddRecipients(_ cmsEncoder: Reference?, _ recipientOrArray: Reference?) -> Int32 {
    unsafe status(try CMSEncoderAddRecipients(borrowed(cmsEncoder), value(recipientOrArray)))
}

@_cdecl("CMSEncoderCopyRecipients")
public func cmsEncoderCopyRecipients(_ cmsEncoder: Reference?, _ recipientsOut: Place?) -> Int32 {
    unsafe status(recipientsOut) { (place: UnsafeMutablePointer<CFArray?>) throws(Refusal) in
        try unsafe CMSEncoderCopyRecipients(borrowed(cmsEncoder), place)
    }
}

@_cdecl("CMSEncoderAddSupportingCerts")
public func cmsEncoderAddSupportingCerts(_ cmsEncoder: Reference?, _ certOrArray: Reference?) -> Int32 {
    unsafe status(try CMSEncoderAddSupportingCerts(borrowed(cmsEncoder), value(certOrArray)))
}

@_cdecl("CMSEncoderCopySupportingCerts")
public func cmsEncoderCopySupportingCerts(_ cmsEncoder: Reference?, _ certsOut: Place?) -> Int32 {
    unsafe status(certsOut) { (place: UnsafeMutablePointer<CFArray?>) throws(Refusal) in
        try unsafe CMSEncoderCopySupportingCerts(borrowed(cmsEncoder), place)
    }
}

@_cdecl("CMSEncoderSetHasDetachedContent")
public func cmsEncoderSetHasDetachedContent(_ cmsEncoder: Reference?, _ detachedContent: Bool) -> Int32 {
    unsafe status(try CMSEncoderSetHasDetachedContent(borrowed(cmsEncoder), detachedContent))
}

@_cdecl("CMSEncoderGetHasDetachedContent")
public func cmsEncoderGetHasDetachedContent(_ cmsEncoder: Reference?, _ detachedContentOut: UnsafeMutablePointer<Bool>?)
    -> Int32
{
    unsafe truth(detachedContentOut) { (answer) throws(Refusal) in
        try unsafe CMSEncoderGetHasDetachedContent(borrowed(cmsEncoder), answer)
    }
}

@_cdecl("CMSEncoderSetEncapsulatedContentTypeOID")
public func cmsEncoderSetEncapsulatedContentTypeOID(_ cmsEncoder: Reference?, _ eContentTypeOID: Reference?) -> Int32 {
    unsafe status(try CMSEncoderSetEncapsulatedContentTypeOID(borrowed(cmsEncoder), value(eContentTypeOID)))
}

@_cdecl("CMSEncoderCopyEncapsulatedContentType")
public func cmsEncoderCopyEncapsulatedContentType(_ cmsEncoder: Reference?, _ eContentTypeOut: Place?) -> Int32 {
    unsafe status(eContentTypeOut) { (place: UnsafeMutablePointer<CFData?>) throws(Refusal) in
        try unsafe CMSEncoderCopyEncapsulatedContentType(borrowed(cmsEncoder), place)
    }
}

@_cdecl("CMSEncoderAddSignedAttributes")
public func cmsEncoderAddSignedAttributes(_ cmsEncoder: Reference?, _ signedAttributes: UInt32) -> Int32 {
    unsafe status(
        try CMSEncoderAddSignedAttributes(borrowed(cmsEncoder), CMSSignedAttributes(rawValue: signedAttributes)))
}

@_cdecl("CMSEncoderSetCertificateChainMode")
public func cmsEncoderSetCertificateChainMode(_ cmsEncoder: Reference?, _ chainMode: UInt32) -> Int32 {
    status { () throws(Refusal) in
        guard let mode = CMSCertificateChainMode(rawValue: chainMode) else {
            throw .unusable("a number without a meaning", "a CMSCertificateChainMode")
        }
        return try unsafe CMSEncoderSetCertificateChainMode(borrowed(cmsEncoder), mode)
    }
}

@_cdecl("CMSEncoderGetCertificateChainMode")
public func cmsEncoderGetCertificateChainMode(_ cmsEncoder: Reference?, _ chainModeOut: UnsafeMutablePointer<UInt32>?)
    -> Int32
{
    status { () throws(Refusal) in
        let (place, encoder): (_, CMSEncoder) = try unsafe (given(chainModeOut), borrowed(cmsEncoder))
        var mode = CMSCertificateChainMode.none
        let status = unsafe CMSEncoderGetCertificateChainMode(encoder, &mode)
        unsafe place.pointee = mode.rawValue
        return status
    }
}

@_cdecl("CMSEncoderUpdateContent")
public func cmsEncoderUpdateContent(_ cmsEncoder: Reference?, _ content: UnsafeRawPointer?, _ contentLen: Int) -> Int32
{
    unsafe status(try CMSEncoderUpdateContent(borrowed(cmsEncoder), given(content), contentLen))
}

@_cdecl("CMSEncoderCopyEncodedContent")
public func cmsEncoderCopyEncodedContent(_ cmsEncoder: Reference?, _ encodedContentOut: Place?) -> Int32 {
    unsafe status(encodedContentOut) { (place: UnsafeMutablePointer<CFData?>) throws(Refusal) in
        try unsafe CMSEncoderCopyEncodedContent(borrowed(cmsEncoder), place)
    }
}

@_cdecl("CMSEncodeContent")
public func cmsEncodeContent(
    _ signers: Reference?, _ recipients: Reference?, _ eContentTypeOID: Reference?, _ detachedContent: Bool,
    _ signedAttributes: UInt32, _ content: UnsafeRawPointer?, _ contentLen: Int, _ encodedContentOut: Place?
) -> Int32 {
    unsafe status(encodedContentOut) { (place: UnsafeMutablePointer<CFData?>) throws(Refusal) in
        try unsafe CMSEncodeContent(
            optionalValue(signers), optionalValue(recipients), optionalValue(eContentTypeOID), detachedContent,
            CMSSignedAttributes(rawValue: signedAttributes), given(content), contentLen, place)
    }
}

@_cdecl("CMSEncoderCopySignerTimestamp")
public func cmsEncoderCopySignerTimestamp(
    _ cmsEncoder: Reference?, _ signerIndex: Int, _ timestamp: UnsafeMutablePointer<Double>?
) -> Int32 {
    unsafe status(try CMSEncoderCopySignerTimestamp(borrowed(cmsEncoder), signerIndex, given(timestamp)))
}

@_cdecl("CMSEncoderCopySignerTimestampWithPolicy")
public func cmsEncoderCopySignerTimestampWithPolicy(
    _ cmsEncoder: Reference?, _ timeStampPolicy: Reference?, _ signerIndex: Int,
    _ timestamp: UnsafeMutablePointer<Double>?
) -> Int32 {
    unsafe status(
        try CMSEncoderCopySignerTimestampWithPolicy(
            borrowed(cmsEncoder), optionalValue(timeStampPolicy), signerIndex, given(timestamp)))
}

/// A function that fills a place for a truth value, which must exist.
func truth(
    _ place: UnsafeMutablePointer<Bool>?, _ call: (UnsafeMutablePointer<DarwinBoolean>) throws(Refusal) -> Int32
) -> Int32 {
    status { () throws(Refusal) in
        let place = try unsafe given(place)
        var answer = DarwinBoolean(false)
        let status = try unsafe call(&answer)
        unsafe place.pointee = answer.boolValue
        return status
    }
}

/// A function that returns a status, in several steps.
func status(_ steps: () throws(Refusal) -> Int32) -> Int32 {
    do throws(Refusal) { return try steps() } catch { return explained(error) }
}
