internal import KeychainModel
internal import Security

// CMSEncoder.h and CMSDecoder.h, which refuse. No function makes an encoder or a decoder, so that the others find none.

@_cdecl("CMSEncoderCreate")
public func cmsEncoderCreate(_ cmsEncoderOut: Place?) -> Int32 {
    unsafe status(cmsEncoderOut) { (encoder: UnsafeMutablePointer<CMSEncoder?>) throws(Refusal) in
        unsafe CMSEncoderCreate(encoder)
    }
}

@_cdecl("CMSEncoderAddSigners")
public func cmsEncoderAddSigners(_ cmsEncoder: Reference?, _ signerOrArray: Reference?) -> Int32 {
    unsafe status(try CMSEncoderAddSigners(borrowed(cmsEncoder), value(signerOrArray)))
}

@_cdecl("CMSEncoderAddRecipients")
public func cmsEncoderAddRecipients(_ cmsEncoder: Reference?, _ recipientOrArray: Reference?) -> Int32 {
    unsafe status(try CMSEncoderAddRecipients(borrowed(cmsEncoder), value(recipientOrArray)))
}

@_cdecl("CMSEncoderSetHasDetachedContent")
public func cmsEncoderSetHasDetachedContent(_ cmsEncoder: Reference?, _ detachedContent: Bool) -> Int32 {
    unsafe status(try CMSEncoderSetHasDetachedContent(borrowed(cmsEncoder), detachedContent))
}

@_cdecl("CMSEncoderUpdateContent")
public func cmsEncoderUpdateContent(_ cmsEncoder: Reference?, _ content: UnsafeRawPointer?, _ contentLen: Int) -> Int32
{
    unsafe status(try CMSEncoderUpdateContent(borrowed(cmsEncoder), given(content), contentLen))
}

@_cdecl("CMSEncoderCopyEncodedContent")
public func cmsEncoderCopyEncodedContent(_ cmsEncoder: Reference?, _ encodedContentOut: Place?) -> Int32 {
    unsafe status(encodedContentOut) { (content: UnsafeMutablePointer<CFData?>) throws(Refusal) in
        try unsafe CMSEncoderCopyEncodedContent(borrowed(cmsEncoder), content)
    }
}

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
        try unsafe CMSDecoderCopySignerStatus(
            borrowed(cmsDecoder), signerIndex, value(policyOrArray), evaluateSecTrust, nil, trust,
            certVerifyResultCodeOut)
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
