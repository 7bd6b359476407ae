internal import DER
internal import KeychainModel
internal import LinuxSystem

/// Sets whether the content of a signed message stays outside of it.
///
/// - Returns: `errSecSuccess`, or `errSecParam` after the first content.
@discardableResult
public func CMSEncoderSetHasDetachedContent(_ cmsEncoder: CMSEncoder, _ detachedContent: Bool) -> OSStatus {
    cmsEncoder.change("CMSEncoderSetHasDetachedContent") { (state) in state.isDetached = detachedContent }
}

/// Returns whether the content stays outside of the message.
///
/// - Parameter detachedContentOut: receives it.
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSEncoderGetHasDetachedContent(
    _ cmsEncoder: CMSEncoder, _ detachedContentOut: UnsafeMutablePointer<DarwinBoolean>
) -> OSStatus {
    unsafe detachedContentOut.pointee = DarwinBoolean(cmsEncoder.state.withLock { $0.isDetached })
    return errSecSuccess
}

/// Sets the type of the content, if it is not data.
///
/// - Parameter eContentTypeOID: an object identifier: its arcs with dots between them, or its DER.
/// - Returns: `errSecSuccess`, or `errSecParam` for anything else, or after the first content.
@discardableResult
public func CMSEncoderSetEncapsulatedContentTypeOID(_ cmsEncoder: CMSEncoder, _ eContentTypeOID: CFTypeRef) -> OSStatus
{
    cmsEncoder.change("CMSEncoderSetEncapsulatedContentTypeOID") { (state) throws(Refusal) in
        state.contentType = try objectIdentifier(eContentTypeOID)
    }
}

/// Returns the type of the content.
///
/// - Parameter eContentTypeOut: receives the DER of an object identifier; nil for data.
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSEncoderCopyEncapsulatedContentType(
    _ cmsEncoder: CMSEncoder, _ eContentTypeOut: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    unsafe eContentTypeOut.pointee = cmsEncoder.state.withLock { $0.contentType }.map { NSData(copying: $0.encoded) }
    return errSecSuccess
}

/// Adds attributes that are signed with the content. With any of them, the time of signing is signed too.
///
/// - Returns: `errSecSuccess`; `errSecUnimplemented` for attributes other than the time of signing and the
///   capabilities; `errSecParam` after the first content.
@discardableResult
public func CMSEncoderAddSignedAttributes(
    _ cmsEncoder: CMSEncoder, _ signedAttributes: CMSSignedAttributes
) -> OSStatus {
    cmsEncoder.change("CMSEncoderAddSignedAttributes") { (state) throws(Refusal) in
        guard signedAttributes.subtracting([.attrSigningTime, .attrSmimeCapabilities]).isEmpty else {
            throw .notHere(
                "CMSEncoderAddSignedAttributes", "only attrSigningTime and attrSmimeCapabilities are signed.")
        }
        state.attributes.formUnion(signedAttributes)
    }
}

/// Sets the certificates that the message contains for signatures.
///
/// - Returns: `errSecSuccess`, or `errSecParam` after the first content.
@discardableResult
public func CMSEncoderSetCertificateChainMode(
    _ cmsEncoder: CMSEncoder, _ chainMode: CMSCertificateChainMode
) -> OSStatus {
    cmsEncoder.change("CMSEncoderSetCertificateChainMode") { (state) in state.mode = chainMode }
}

/// Returns the certificates that the message contains for signatures.
///
/// - Parameter chainModeOut: receives it.
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSEncoderGetCertificateChainMode(
    _ cmsEncoder: CMSEncoder, _ chainModeOut: UnsafeMutablePointer<CMSCertificateChainMode>
) -> OSStatus {
    unsafe chainModeOut.pointee = cmsEncoder.state.withLock { $0.mode }
    return errSecSuccess
}

private func objectIdentifier(_ given: CFTypeRef) throws(Refusal) -> DERObjectIdentifier {
    let bytes = given as? NSData
    if let text = given as? String, let found = DERObjectIdentifier(dotted: text) { return found }
    if let bytes, let found = bytes.withSpan({ DERObjectIdentifier(encoded: $0) }) { return found }
    throw .cms(
        "eContentTypeOID", "This is no object identifier.",
        do: "Give its arcs with dots (1.2.840.113549.1.7.1), or its DER.")
}
