internal import KeychainCrypto
internal import KeychainModel

/// Returns the validity of a signature.
///
/// - Parameters:
///   - signerIndex: the index of the signer, from 0.
///   - policyOrArray: the policies for the signer's certificate.
///   - evaluateSecTrust: true to evaluate the certificate in this call; otherwise the program does it with
///     `secTrustOut`.
///   - signerStatusOut: receives the status. `valid` without an evaluation says nothing about the signer's identity.
///   - secTrustOut: receives an evaluation of the signer's certificate with all certificates of the message; nil when
///     the signer's is not among them.
///   - certVerifyResultCodeOut: receives `errSecSuccess`, or `errSecNotTrusted`.
/// - Returns: `errSecSuccess`, also for an invalid signature; `errSecParam` before the message is read, and without a
///   place for the status.
@discardableResult
public func CMSDecoderCopySignerStatus(
    _ cmsDecoder: CMSDecoder, _ signerIndex: Int, _ policyOrArray: CFTypeRef, _ evaluateSecTrust: Bool,
    _ signerStatusOut: UnsafeMutablePointer<CMSSignerStatus>?, _ secTrustOut: UnsafeMutablePointer<SecTrust?>?,
    _ certVerifyResultCodeOut: UnsafeMutablePointer<OSStatus>?
) -> OSStatus {
    reporting { () throws(Refusal) in
        let message = try cmsDecoder.message()
        guard let place = unsafe signerStatusOut else {
            throw .cms("signerStatusOut", "There is no place for the answer.", do: "Give one.")
        }
        let verdict = try SignerVerdict(message, signerIndex, policyOrArray, evaluateSecTrust)
        unsafe place.pointee = verdict.status
        unsafe secTrustOut?.pointee = verdict.trust
        unsafe certVerifyResultCodeOut?.pointee = verdict.isBelieved ? errSecSuccess : errSecNotTrusted
        return nil
    }
}

/// Returns the mail address of a signer's certificate.
///
/// - Parameter signerEmailAddressOut: receives it.
/// - Returns: `errSecSuccess`; `errSecInternalComponent` when the certificate has none; `errSecParam` before the
///   message is read, or for an index that no signer has.
@discardableResult
public func CMSDecoderCopySignerEmailAddress(
    _ cmsDecoder: CMSDecoder, _ signerIndex: Int, _ signerEmailAddressOut: UnsafeMutablePointer<CFString?>
) -> OSStatus {
    reporting { () throws(Refusal) in
        let certificate = try cmsDecoder.signer(signerIndex).certificate
        guard let address = certificate?.emailAddresses.first else {
            throw .cms(
                "signerIndex", "The signer's certificate has no address.", do: "Do without it.", .internalComponent)
        }
        unsafe signerEmailAddressOut.pointee = NSString(string: address)
        return nil
    }
}

/// Returns a signer's certificate.
///
/// - Parameter signerCertOut: receives it.
/// - Returns: `errSecSuccess`; `errSecInternalComponent` when the message lacks it; `errSecParam` before the message is
///   read, or for an index that no signer has.
@discardableResult
public func CMSDecoderCopySignerCert(
    _ cmsDecoder: CMSDecoder, _ signerIndex: Int, _ signerCertOut: UnsafeMutablePointer<SecCertificate?>
) -> OSStatus {
    reporting { () throws(Refusal) in
        guard let certificate = try cmsDecoder.signer(signerIndex).certificate else {
            throw .cms(
                "signerIndex", "The message lacks the signer's certificate.", do: "Ask the sender to include it.",
                .internalComponent)
        }
        unsafe signerCertOut.pointee = SecCertificate(certificate)
        return nil
    }
}

/// Returns the time of signing that a signer states.
///
/// - Parameter signingTime: receives seconds since 2001.
/// - Returns: `errSecSuccess`; `errSecSigningTimeMissing` when the signer states none; `errSecParam` before the message
///   is read, or for an index that no signer has.
@discardableResult
public func CMSDecoderCopySignerSigningTime(
    _ cmsDecoder: CMSDecoder, _ signerIndex: Int, _ signingTime: UnsafeMutablePointer<CFAbsoluteTime>
) -> OSStatus {
    reporting { () throws(Refusal) in
        guard let time = try cmsDecoder.signer(signerIndex).signingTime else {
            throw .cms(
                "signerIndex", "The signer does not say when.", do: "Do without it.",
                .init(rawValue: errSecSigningTimeMissing))
        }
        unsafe signingTime.pointee = time
        return nil
    }
}

/// Returns the time of a timestamp on a signature. Timestamps are not read here.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func CMSDecoderCopySignerTimestamp(
    _ cmsDecoder: CMSDecoder, _ signerIndex: Int, _ timestamp: UnsafeMutablePointer<CFAbsoluteTime>
) -> OSStatus {
    notHere("timestamps of messages are not read.")
}

/// Returns the time of a timestamp on a signature. Timestamps are not read here.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func CMSDecoderCopySignerTimestampWithPolicy(
    _ cmsDecoder: CMSDecoder, _ timeStampPolicy: CFTypeRef?, _ signerIndex: Int,
    _ timestamp: UnsafeMutablePointer<CFAbsoluteTime>
) -> OSStatus {
    notHere("timestamps of messages are not read.")
}

/// Returns the certificates of a timestamp's signer. Timestamps are not read here.
///
/// - Returns: `errSecUnimplemented`.
@discardableResult
public func CMSDecoderCopySignerTimestampCertificates(
    _ cmsDecoder: CMSDecoder, _ signerIndex: Int, _ certificateRefs: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    notHere("timestamps of messages are not read.")
}

/// The verdict on one signature.
private struct SignerVerdict {
    var status = CMSSignerStatus.unsigned
    var trust: SecTrust?
    var isBelieved = true

    init(_ message: CMSMessage, _ index: Int, _ policies: CFTypeRef, _ evaluates: Bool) throws(Refusal) {
        guard message.isSigned else { return }
        guard message.signers.indices.contains(index) else {
            status = .invalidIndex
            return
        }
        let signer = message.signers[index]
        guard let holds = signer.holds else {
            status = .needsDetachedContent
            return
        }
        if let certificate = signer.certificate {
            trust = try Self.trust(certificate, message.certificates, policies)
            if evaluates { isBelieved = trust?.evaluate().isTrusted == true }
        }
        status = !holds ? .invalidSignature : isBelieved ? .valid : .invalidCert
    }

    private static func trust(
        _ certificate: Certificate, _ others: [Certificate], _ policies: CFTypeRef
    ) throws(Refusal) -> SecTrust {
        let all = ([certificate] + others.filter { $0 != certificate }).map { SecCertificate($0) }
        var trust: SecTrust?
        unsafe SecTrustCreateWithCertificates(ItemResult.array(all), policies, &trust)
        guard let trust else {
            throw .cms(
                "policyOrArray", "This is no policy, nor an array of them.", do: "Give SecPolicyCreateBasicX509().")
        }
        return trust
    }
}
