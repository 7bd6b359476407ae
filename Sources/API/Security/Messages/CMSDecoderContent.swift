internal import DER
internal import KeychainCrypto
internal import KeychainModel

/// Returns the number of signatures.
///
/// - Parameter numSignersOut: receives it.
/// - Returns: `errSecSuccess`, or `errSecParam` before the message is read.
@discardableResult
public func CMSDecoderGetNumSigners(_ cmsDecoder: CMSDecoder, _ numSignersOut: UnsafeMutablePointer<Int>) -> OSStatus {
    reporting { () throws(Refusal) in
        unsafe numSignersOut.pointee = try cmsDecoder.message().signers.count
        return nil
    }
}

/// Returns whether the message was encrypted.
///
/// - Parameter isEncryptedOut: receives it.
/// - Returns: `errSecSuccess`, or `errSecParam` before the message is read.
@discardableResult
public func CMSDecoderIsContentEncrypted(
    _ cmsDecoder: CMSDecoder, _ isEncryptedOut: UnsafeMutablePointer<DarwinBoolean>
) -> OSStatus {
    reporting { () throws(Refusal) in
        unsafe isEncryptedOut.pointee = DarwinBoolean(try cmsDecoder.message().isEncrypted)
        return nil
    }
}

/// Returns the type of the signed content.
///
/// - Parameter eContentTypeOut: receives the encoded arcs of an object identifier; nil when nothing is signed.
/// - Returns: `errSecSuccess`, or `errSecParam` before the message is read.
@discardableResult
public func CMSDecoderCopyEncapsulatedContentType(
    _ cmsDecoder: CMSDecoder, _ eContentTypeOut: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    reporting { () throws(Refusal) in
        unsafe eContentTypeOut.pointee = try cmsDecoder.message().contentType.map { NSData(copying: $0.content) }
        return nil
    }
}

/// Returns the content.
///
/// - Parameter contentOut: receives it; nil when it is empty or outside of the message.
/// - Returns: `errSecSuccess`, or `errSecParam` before the message is read.
@discardableResult
public func CMSDecoderCopyContent(_ cmsDecoder: CMSDecoder, _ contentOut: UnsafeMutablePointer<CFData?>) -> OSStatus {
    reporting { () throws(Refusal) in
        let content = try cmsDecoder.message().content
        unsafe contentOut.pointee = content.flatMap { $0.isEmpty ? nil : NSData(copying: $0) }
        return nil
    }
}

/// Returns the certificates of the message. The message proves nothing about them: see
/// ``CMSDecoderCopySignerStatus(_:_:_:_:_:_:_:)``.
///
/// - Parameter certsOut: receives an array of `SecCertificate`; nil when there are none.
/// - Returns: `errSecSuccess`, or `errSecParam` before the message is read.
@discardableResult
public func CMSDecoderCopyAllCerts(_ cmsDecoder: CMSDecoder, _ certsOut: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    reporting { () throws(Refusal) in
        let certificates = try cmsDecoder.message().certificates.map { SecCertificate($0) }
        unsafe certsOut.pointee = certificates.isEmpty ? nil : ItemResult.array(certificates)
        return nil
    }
}
