internal import DER
internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// An encoder of a cryptographic message (RFC 5652). Any thread may use it; it makes one message. Source: Apple,
/// `CMSEncoder`.
public final class CMSEncoder: NSObject, SecurityObject, Sendable {
    static let runtimeType = RuntimeType(CMSEncoder.self)
    private let runtimeWord = CMSEncoder.runtimeType.word

    struct State: Sendable {
        var signers: [SecIdentity] = []
        var recipients: [SecCertificate] = []
        var certificates: [SecCertificate] = []
        var hash = HashFunction.sha256
        var contentType: DERObjectIdentifier?
        var isDetached = false
        var attributes: CMSSignedAttributes = []
        var mode = CMSCertificateChainMode.chain
        /// Nil until there is content, even empty content.
        var content: [UInt8]?
        var isFinished = false
    }

    let state = Lock(State())

    /// Changes a setting before the content begins.
    func change(_ function: String, _ body: (inout State) throws(Refusal) -> Void) -> OSStatus {
        reporting { () throws(Refusal) in
            var changed = state.withLock { $0 }
            guard changed.content == nil, !changed.isFinished else {
                throw .cms(function, "The message has content already.", do: "Set it before the content.")
            }
            try body(&changed)
            state.withLock { [changed] in $0 = changed }
            return nil
        }
    }
}

/// Returns the type identifier of encoders.
@discardableResult
public func CMSEncoderGetTypeID() -> CFTypeID { CMSEncoder.runtimeType.identifier }

/// Makes an encoder.
///
/// - Parameter cmsEncoderOut: receives it.
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSEncoderCreate(_ cmsEncoderOut: UnsafeMutablePointer<CMSEncoder?>) -> OSStatus {
    unsafe cmsEncoderOut.pointee = CMSEncoder()
    return errSecSuccess
}

/// Sets the digest of the content.
///
/// - Parameter digestAlgorithm: `kCMSEncoderDigestAlgorithmSHA1` or `kCMSEncoderDigestAlgorithmSHA256`, which is the
///   default.
/// - Returns: `errSecSuccess`, or `errSecParam` for another value.
@discardableResult
public func CMSEncoderSetSignerAlgorithm(_ cmsEncoder: CMSEncoder, _ digestAlgorithm: CFString) -> OSStatus {
    let hashes = [kCMSEncoderDigestAlgorithmSHA1: HashFunction.sha1, kCMSEncoderDigestAlgorithmSHA256: .sha256]
    return cmsEncoder.change("CMSEncoderSetSignerAlgorithm") { (state) throws(Refusal) in
        guard let hash = hashes[digestAlgorithm] else {
            throw .cms("digestAlgorithm", "There is no such digest.", do: "Use kCMSEncoderDigestAlgorithmSHA256.")
        }
        state.hash = hash
    }
}

/// Adds signers.
///
/// - Parameter signerOrArray: a `SecIdentity`, or an array of them.
/// - Returns: `errSecSuccess`, or `errSecParam` for other objects, or after the first content.
@discardableResult
public func CMSEncoderAddSigners(_ cmsEncoder: CMSEncoder, _ signerOrArray: CFTypeRef) -> OSStatus {
    cmsEncoder.change("CMSEncoderAddSigners") { (state) throws(Refusal) in
        state.signers += try objects(signerOrArray, "signerOrArray")
    }
}

/// Returns the signers.
///
/// - Parameter signersOut: receives an array of `SecIdentity`; nil for none.
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSEncoderCopySigners(_ cmsEncoder: CMSEncoder, _ signersOut: UnsafeMutablePointer<CFArray?>) -> OSStatus {
    unsafe signersOut.pointee = list(cmsEncoder.state.withLock { $0.signers })
    return errSecSuccess
}

/// Adds recipients, whose keys decrypt the message.
///
/// - Parameter recipientOrArray: a `SecCertificate`, or an array of them.
/// - Returns: `errSecSuccess`, or `errSecParam` for other objects, or after the first content.
@discardableResult
public func CMSEncoderAddRecipients(_ cmsEncoder: CMSEncoder, _ recipientOrArray: CFTypeRef) -> OSStatus {
    cmsEncoder.change("CMSEncoderAddRecipients") { (state) throws(Refusal) in
        state.recipients += try objects(recipientOrArray, "recipientOrArray")
    }
}

/// Returns the recipients.
///
/// - Parameter recipientsOut: receives an array of `SecCertificate`; nil for none.
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSEncoderCopyRecipients(
    _ cmsEncoder: CMSEncoder, _ recipientsOut: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    unsafe recipientsOut.pointee = list(cmsEncoder.state.withLock { $0.recipients })
    return errSecSuccess
}

/// Adds certificates to the message.
///
/// - Parameter certOrArray: a `SecCertificate`, or an array of them. Without anything else they are the whole message.
/// - Returns: `errSecSuccess`, or `errSecParam` for other objects, or after the first content.
@discardableResult
public func CMSEncoderAddSupportingCerts(_ cmsEncoder: CMSEncoder, _ certOrArray: CFTypeRef) -> OSStatus {
    cmsEncoder.change("CMSEncoderAddSupportingCerts") { (state) throws(Refusal) in
        state.certificates += try objects(certOrArray, "certOrArray")
    }
}

/// Returns the certificates that were added to the message.
///
/// - Parameter certsOut: receives an array of `SecCertificate`; nil when there are none.
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSEncoderCopySupportingCerts(
    _ cmsEncoder: CMSEncoder, _ certsOut: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    unsafe certsOut.pointee = list(cmsEncoder.state.withLock { $0.certificates })
    return errSecSuccess
}

private func objects<Object: NSObject>(_ given: CFTypeRef, _ subject: String) throws(Refusal) -> [Object] {
    if let one = given as? Object { return [one] }
    guard let array = given as? NSArray, let all = Array(array) as? [Object] else {
        throw .cms(subject, "An object is no \(Object.self), nor an array of them.", do: "Give \(Object.self)s.")
    }
    return all
}

private func list(_ objects: [AnyObject]) -> NSArray? { objects.isEmpty ? nil : ItemResult.array(objects) }
