internal import DER
internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// A decoder of a cryptographic message (RFC 5652). Any thread may use it; it reads one message. Source: Apple,
/// `CMSDecoder`.
public final class CMSDecoder: NSObject, SecurityObject, Sendable {
    static let runtimeType = RuntimeType(CMSDecoder.self)
    private let runtimeWord = CMSDecoder.runtimeType.word

    struct State: Sendable {
        var bytes: [UInt8]?
        /// The signed content, if it is outside of the message.
        var content: [UInt8]?
        var isComplete = false
        /// Nil after input that was no message.
        var message: CMSMessage?
    }

    let state = Lock(State())

    /// The message that was read.
    ///
    /// - Throws: `errSecParam` before the message is complete, and after input that was no message.
    func message() throws(Refusal) -> CMSMessage {
        guard let message = state.withLock({ $0.isComplete ? $0.message : nil }) else {
            throw .cms(
                "cmsDecoder", "There is no message.", do: "Call CMSDecoderFinalizeMessage, and look at its status.")
        }
        return message
    }

    /// One of the signers.
    ///
    /// - Throws: `errSecParam` for an index that no signer has.
    func signer(_ index: Int) throws(Refusal) -> CMSMessage.Signer {
        let signers = try message().signers
        guard signers.indices.contains(index) else {
            throw .cms("signerIndex", "The message has \(signers.count) signers.", do: "Count from 0.")
        }
        return signers[index]
    }

    /// Reads the message with its external content.
    fileprivate func read(_ bytes: [UInt8], _ content: [UInt8]?) throws(Refusal) -> CMSMessage {
        var refusal: Refusal?
        do throws(CMSError) {
            return try CMSMessage(bytes, content: content) { (isRecipient) throws(CMSError) in
                do throws(Refusal) { return try recipient(isRecipient) } catch {
                    refusal = error
                    throw .noRecipient
                }
            }
        } catch { throw refusal ?? .cms(error, "CMSDecoderFinalizeMessage") }
    }
}

/// An identity of the keychain that is a recipient of the message.
private func recipient(_ isRecipient: (Certificate) -> Bool) throws(Refusal) -> CMSWriter.Signer? {
    let query: [CFString: Any] = [
        kSecClass: kSecClassIdentity, kSecReturnRef: true, kSecMatchLimit: kSecMatchLimitAll,
    ]
    var found: CFTypeRef?
    guard unsafe SecItemCopyMatching(query as CFDictionary, &found) == errSecSuccess else { return nil }
    let identities = (found as? [SecIdentity] ?? []).filter { isRecipient($0.certificate.certificate) }
    guard let identity = identities.first else { return nil }
    return .init(identity.certificate.certificate, try identity.key.ownKey(for: "CMSDecoderFinalizeMessage"))
}

/// Returns the type identifier of decoders.
@discardableResult
public func CMSDecoderGetTypeID() -> CFTypeID { CMSDecoder.runtimeType.identifier }

/// Makes a decoder.
///
/// - Parameter cmsDecoderOut: receives it.
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSDecoderCreate(_ cmsDecoderOut: UnsafeMutablePointer<CMSDecoder?>) -> OSStatus {
    unsafe cmsDecoderOut.pointee = CMSDecoder()
    return errSecSuccess
}

/// Gives the decoder a part of the message.
///
/// - Parameters:
///   - msgBytes: DER or BER. Each call appends to the message.
///   - msgBytesLen: the number of bytes.
/// - Returns: `errSecSuccess`; `errSecParam` after the message is complete; `errSecUnknownFormat` for a message that is
///   too large.
@discardableResult
public func CMSDecoderUpdateMessage(
    _ cmsDecoder: CMSDecoder, _ msgBytes: UnsafeRawPointer, _ msgBytesLen: Int
) -> OSStatus {
    reporting { () throws(Refusal) in
        guard (0...CMSMessage.mostBytes).contains(msgBytesLen) else { throw .cms(.tooLarge, "msgBytesLen") }
        let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: msgBytes, count: msgBytesLen))
        try cmsDecoder.state.withLock { (state) throws(Refusal) in
            guard !state.isComplete else {
                throw .cms("cmsDecoder", "The message is complete.", do: "Make another decoder.")
            }
            guard (state.bytes?.count ?? 0) + bytes.count <= CMSMessage.mostBytes else {
                throw .cms(.tooLarge, "msgBytesLen")
            }
            state.bytes = (state.bytes ?? []) + bytes
        }
        return nil
    }
}

/// Reads the message. It decrypts with identities of the keychain and verifies signatures.
///
/// - Returns: `errSecSuccess`, also for invalid signatures; `errSecParam` when no message was given;
///   `errSecUnknownFormat` for input that is no message; `errSecItemNotFound` when no recipient is in the keychain;
///   `errSecDecode` when the message cannot be decrypted; `errSecUnimplemented` when the recipient's key does not leave
///   the enclave.
@discardableResult
public func CMSDecoderFinalizeMessage(_ cmsDecoder: CMSDecoder) -> OSStatus {
    reporting { () throws(Refusal) in
        let state = cmsDecoder.state.withLock { $0 }
        guard !state.isComplete, let bytes = state.bytes else {
            throw .cms(
                "cmsDecoder", "There is no message, or it is complete.", do: "Call CMSDecoderUpdateMessage first.")
        }
        cmsDecoder.state.withLock { $0.isComplete = true }
        let message = try cmsDecoder.read(bytes, state.content)
        cmsDecoder.state.withLock { $0.message = message }
        return nil
    }
}

/// Gives the decoder the external content of the message, before or after the message is read.
///
/// - Returns: `errSecSuccess`, or what ``CMSDecoderFinalizeMessage(_:)`` returns.
@discardableResult
public func CMSDecoderSetDetachedContent(_ cmsDecoder: CMSDecoder, _ detachedContent: CFData) -> OSStatus {
    reporting { () throws(Refusal) in
        guard detachedContent.length <= CMSMessage.mostBytes else { throw .cms(.tooLarge, "detachedContent") }
        let content = detachedContent.withSpan { bytes in bytes.indices.map { bytes[$0] } }
        cmsDecoder.state.withLock { $0.content = content }
        let state = cmsDecoder.state.withLock { $0 }
        guard state.message?.isSigned == true, let bytes = state.bytes else { return nil }
        let message = try cmsDecoder.read(bytes, content)
        cmsDecoder.state.withLock { $0.message = message }
        return nil
    }
}

/// Returns the external content that was given.
///
/// - Parameter detachedContentOut: receives it; nil when none was given.
/// - Returns: `errSecSuccess`.
@discardableResult
public func CMSDecoderCopyDetachedContent(
    _ cmsDecoder: CMSDecoder, _ detachedContentOut: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    unsafe detachedContentOut.pointee = cmsDecoder.state.withLock { $0.content }.map { NSData(copying: $0) }
    return errSecSuccess
}
