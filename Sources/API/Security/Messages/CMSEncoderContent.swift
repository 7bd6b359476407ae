internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// Adds content.
///
/// - Parameters:
///   - content: the bytes. Each call appends to the content.
///   - contentLen: the number of bytes.
/// - Returns: `errSecSuccess`; `errSecParam` when the message has no signer and no recipient, or was made already.
@discardableResult
public func CMSEncoderUpdateContent(
    _ cmsEncoder: CMSEncoder, _ content: UnsafeRawPointer, _ contentLen: Int
) -> OSStatus {
    reporting { () throws(Refusal) in
        guard (0...CMSMessage.mostBytes).contains(contentLen) else { throw .cms(.tooLarge, "contentLen") }
        let bytes = unsafe [UInt8](UnsafeRawBufferPointer(start: content, count: contentLen))
        try cmsEncoder.state.withLock { (state) throws(Refusal) in
            try state.requireUse()
            guard (state.content?.count ?? 0) + bytes.count <= CMSMessage.mostBytes else {
                throw .cms(.tooLarge, "contentLen")
            }
            state.content = (state.content ?? []) + bytes
        }
        return nil
    }
}

/// Makes the message.
///
/// - Parameter encodedContentOut: receives DER.
/// - Returns: `errSecSuccess`; `errSecParam` when there is no content (certificates alone need none), the message was
///   made already, or a certificate or key cannot be used; `errSecUnimplemented` for a signer whose key does not leave
///   the enclave; `errSecCreateChainFailed` when the root is required and unknown.
@discardableResult
public func CMSEncoderCopyEncodedContent(
    _ cmsEncoder: CMSEncoder, _ encodedContentOut: UnsafeMutablePointer<CFData?>
) -> OSStatus {
    reporting { () throws(Refusal) in
        let state = cmsEncoder.state.withLock { $0 }
        try state.requireUse()
        guard state.content != nil || state.signers.isEmpty && state.recipients.isEmpty else {
            throw .cms("cmsEncoder", "The message has no content.", do: "Call CMSEncoderUpdateContent first.")
        }
        let writer = try CMSWriter(state)
        let message = try explained("CMSEncoderCopyEncodedContent") { () throws(CMSError) in
            try writer.message(of: state.content)
        }
        cmsEncoder.state.withLock { $0.isFinished = true }
        unsafe encodedContentOut.pointee = NSData(copying: message)
        return nil
    }
}

/// Makes a message of content in one call.
///
/// - Parameters:
///   - signers: a `SecIdentity`, an array of them, or nil.
///   - recipients: a `SecCertificate`, an array of them, or nil; with signers too, the signed message is encrypted.
///   - eContentTypeOID: the type of the content; nil for data.
///   - detachedContent: whether the content stays outside of the message.
///   - signedAttributes: the attributes that are signed with the content.
///   - encodedContentOut: receives DER.
/// - Returns: `errSecSuccess`, or what the functions of an encoder return.
@discardableResult
public func CMSEncodeContent(
    _ signers: CFTypeRef?, _ recipients: CFTypeRef?, _ eContentTypeOID: CFTypeRef?, _ detachedContent: Bool,
    _ signedAttributes: CMSSignedAttributes, _ content: UnsafeRawPointer, _ contentLen: Int,
    _ encodedContentOut: UnsafeMutablePointer<CFData?>?
) -> OSStatus {
    guard let place = unsafe encodedContentOut else {
        return reporting { () throws(Refusal) in
            throw .cms("encodedContentOut", "There is no place for the message.", do: "Give one.")
        }
    }
    let encoder = CMSEncoder()
    let steps: [() -> OSStatus] = [
        { signers.map { CMSEncoderAddSigners(encoder, $0) } ?? errSecSuccess },
        { recipients.map { CMSEncoderAddRecipients(encoder, $0) } ?? errSecSuccess },
        { eContentTypeOID.map { CMSEncoderSetEncapsulatedContentTypeOID(encoder, $0) } ?? errSecSuccess },
        { CMSEncoderSetHasDetachedContent(encoder, detachedContent) },
        { CMSEncoderAddSignedAttributes(encoder, signedAttributes) },
        { unsafe CMSEncoderUpdateContent(encoder, content, contentLen) },
        { unsafe CMSEncoderCopyEncodedContent(encoder, place) },
    ]
    return steps.lazy.map { $0() }.first { $0 != errSecSuccess } ?? errSecSuccess
}

/// Returns the time of a timestamp on the signature. Timestamps are not made here.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func CMSEncoderCopySignerTimestamp(
    _ cmsEncoder: CMSEncoder, _ signerIndex: Int, _ timestamp: UnsafeMutablePointer<CFAbsoluteTime>
) -> OSStatus {
    notHere("messages get no timestamps.")
}

/// Returns the time of a timestamp on the signature. Timestamps are not made here.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func CMSEncoderCopySignerTimestampWithPolicy(
    _ cmsEncoder: CMSEncoder, _ timeStampPolicy: CFTypeRef?, _ signerIndex: Int,
    _ timestamp: UnsafeMutablePointer<CFAbsoluteTime>
) -> OSStatus {
    notHere("messages get no timestamps.")
}

extension CMSEncoder.State {
    /// - Throws: `errSecParam` for an encoder that has made its message, has no task, or would encrypt external
    ///   content.
    fileprivate func requireUse() throws(Refusal) {
        guard !isFinished else {
            throw .cms("cmsEncoder", "The encoder has made its message.", do: "Make another encoder.")
        }
        guard !signers.isEmpty || !recipients.isEmpty || !certificates.isEmpty else {
            throw .cms(
                "cmsEncoder", "The message has no signer and no recipient.", do: "Add signers or recipients first."
            )
        }
        guard !isDetached || recipients.isEmpty else {
            throw .cms(
                "cmsEncoder", "What is encrypted is part of the message.",
                do: "Leave CMSEncoderSetHasDetachedContent out.")
        }
    }
}

extension CMSWriter {
    /// - Throws: the refusal for a signer whose key is not available, or whose chain does not end as required.
    fileprivate init(_ state: CMSEncoder.State) throws(Refusal) {
        self.init()
        for identity in state.signers {
            let key = try identity.key.ownKey(for: "CMSEncoderAddSigners")
            signers.append(Signer(identity.certificate.certificate, key))
        }
        var all = state.certificates.map(\.certificate)
        for identity in state.signers { all += try state.mode.certificates(with: identity, state.certificates) }
        certificates = all.reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
        recipients = state.recipients.map(\.certificate)
        (hash, contentType, isDetached) = (state.hash, state.contentType, state.isDetached)
        if state.attributes.contains(.attrSigningTime) { attributes.insert(.signingTime) }
        if state.attributes.contains(.attrSmimeCapabilities) { attributes.insert(.capabilities) }
    }
}

extension CMSCertificateChainMode {
    /// The certificates that the message contains for the signature of an identity.
    fileprivate func certificates(
        with identity: SecIdentity, _ helpers: [SecCertificate]
    ) throws(Refusal) -> [Certificate] {
        let own = identity.certificate
        if self == .none || self == .signerOnly { return self == .none ? [] : [own.certificate] }
        let trust = SecTrust(.init(certificates: [own] + helpers, policies: [SecPolicyCreateBasicX509()]))
        let chain = (SecTrustCopyCertificateChain(trust) as? [SecCertificate] ?? [own]).map(\.certificate)
        let hasRoot = chain.last?.isSelfIssued == true
        guard self != .chainWithRootOrFail || hasRoot else {
            throw .cms(
                "chainMode", "The chain of a signer ends without a root.",
                do: "Give the issuers' certificates with CMSEncoderAddSupportingCerts.",
                .init(rawValue: errSecCreateChainFailed))
        }
        // A self-signed signer's certificate is included in any case.
        return self == .chain && hasRoot && chain.count > 1 ? chain.dropLast() : chain
    }
}
