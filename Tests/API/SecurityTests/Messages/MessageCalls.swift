import Security
import TestSupport
import Testing

/// A message of content, made in one call.
func message(
    _ content: Data, signers: [SecIdentity] = [], recipients: [SecCertificate] = [], detached: Bool = false,
    _ attributes: CMSSignedAttributes = []
) throws -> Data {
    var made: CFData?
    let status = unsafe content.withUnsafeBytes { bytes in
        unsafe CMSEncodeContent(
            signers.isEmpty ? nil : signers as CFArray, recipients.isEmpty ? nil : recipients as CFArray, nil, detached,
            attributes, bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 8)!, bytes.count, &made)
    }
    #expect(status == errSecSuccess, "\(SecCopyLastItemError()?.description ?? "")")
    return try #require(made as Data?)
}

/// A decoder that was given a message in two parts, and its result.
func decoder(_ message: Data, detached: Data? = nil) throws -> (decoder: CMSDecoder, status: OSStatus) {
    var made: CMSDecoder?
    #expect(unsafe CMSDecoderCreate(&made) == errSecSuccess)
    let decoder = try #require(made)
    for part in [message.prefix(7), message.dropFirst(7)] {
        unsafe Data(part).withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            #expect(unsafe CMSDecoderUpdateMessage(decoder, start, bytes.count) == errSecSuccess)
        }
    }
    if let detached { CMSDecoderSetDetachedContent(decoder, detached as CFData) }
    return (decoder, CMSDecoderFinalizeMessage(decoder))
}

/// The contents of a message.
func content(_ decoder: CMSDecoder) -> Data? {
    var content: CFData?
    #expect(unsafe CMSDecoderCopyContent(decoder, &content) == errSecSuccess)
    return content as Data?
}

/// The verdict on a signature.
func signerStatus(_ decoder: CMSDecoder, _ index: Int = 0, evaluating: Bool = false) -> CMSSignerStatus {
    var status = CMSSignerStatus.unsigned
    unsafe CMSDecoderCopySignerStatus(decoder, index, SecPolicyCreateBasicX509(), evaluating, &status, nil, nil)
    return status
}
