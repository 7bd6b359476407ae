// Cryptographic messages (RFC 5652) are not made or read here; `openssl cms` does both. The functions are there so that programs
// that name them compile.

/// A message under construction.
public final class CMSEncoder: NSObject, Sendable {
    init(_ nothing: Never) {}
}

/// A message that is read.
public final class CMSDecoder: NSObject, Sendable {
    init(_ nothing: Never) {}
}

/// What a signature of a message is worth.
public enum CMSSignerStatus: UInt32, Sendable {
    /// There is no signature.
    case unsigned = 0
    /// It holds.
    case valid
    /// The content is elsewhere and was not given.
    case needsDetachedContent
    /// It does not hold.
    case invalidSignature
    /// It holds, but its certificate is not to be believed.
    case invalidCert
    /// There is no such signature.
    case invalidIndex
}

private let why = "cryptographic messages are not supported."

/// Makes an encoder.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func CMSEncoderCreate(_ cmsEncoderOut: UnsafeMutablePointer<CMSEncoder?>) -> OSStatus {
    unsafe cmsEncoderOut.pointee = nil
    return notHere(why)
}

/// Makes a decoder.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func CMSDecoderCreate(_ cmsDecoderOut: UnsafeMutablePointer<CMSDecoder?>) -> OSStatus {
    unsafe cmsDecoderOut.pointee = nil
    return notHere(why)
}

/// Adds who signs.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func CMSEncoderAddSigners(_ cmsEncoder: CMSEncoder, _ signerOrArray: CFTypeRef) -> OSStatus { notHere(why) }

/// Adds for whom the message is encrypted.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func CMSEncoderAddRecipients(_ cmsEncoder: CMSEncoder, _ recipientOrArray: CFTypeRef) -> OSStatus {
    notHere(why)
}

/// Sets whether the content stays outside of the message.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func CMSEncoderSetHasDetachedContent(_ cmsEncoder: CMSEncoder, _ detachedContent: Bool) -> OSStatus {
    notHere(why)
}

/// Adds content.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func CMSEncoderUpdateContent(
    _ cmsEncoder: CMSEncoder, _ content: UnsafeRawPointer, _ contentLen: Int
) -> OSStatus {
    notHere(why)
}

/// Finishes the message.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func CMSEncoderCopyEncodedContent(
    _ cmsEncoder: CMSEncoder, _ encodedContentOut: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    notHere(why)
}

/// Gives the decoder a part of the message.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func CMSDecoderUpdateMessage(
    _ cmsDecoder: CMSDecoder, _ msgBytes: UnsafeRawPointer, _ msgBytesLen: Int
) -> OSStatus {
    notHere(why)
}

/// Tells the decoder that the message is complete.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func CMSDecoderFinalizeMessage(_ cmsDecoder: CMSDecoder) -> OSStatus { notHere(why) }

/// Gives the decoder the content that is outside of the message.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func CMSDecoderSetDetachedContent(_ cmsDecoder: CMSDecoder, _ detachedContent: CFData) -> OSStatus {
    notHere(why)
}

/// Returns how many signatures there are.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func CMSDecoderGetNumSigners(_ cmsDecoder: CMSDecoder, _ numSignersOut: UnsafeMutablePointer<Int>) -> OSStatus {
    notHere(why)
}

/// Returns what a signature is worth.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func CMSDecoderCopySignerStatus(
    _ cmsDecoder: CMSDecoder, _ signerIndex: Int, _ policyOrArray: CFTypeRef, _ evaluateSecTrust: Bool,
    _ signerStatusOut: UnsafeMutablePointer<CMSSignerStatus>?, _ secTrustOut: UnsafeMutablePointer<SecTrust?>?,
    _ certVerifyResultCodeOut: UnsafeMutablePointer<OSStatus>?
) -> OSStatus {
    notHere(why)
}

/// Returns the content.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func CMSDecoderCopyContent(_ cmsDecoder: CMSDecoder, _ contentOut: UnsafeMutablePointer<CFData?>) -> OSStatus {
    notHere(why)
}

/// Returns the certificates of the message.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func CMSDecoderCopyAllCerts(_ cmsDecoder: CMSDecoder, _ certsOut: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    notHere(why)
}
