import COpenSSL
package import DER
package import KeychainModel
import LinuxSystem

/// Makes a cryptographic message (RFC 5652) with OpenSSL: signed, encrypted, or signed and then encrypted.
package struct CMSWriter: Sendable {
    /// The signers.
    package struct Signer: Sendable {
        package let certificate: Certificate
        package let key: PrivateKey

        package init(_ certificate: Certificate, _ key: PrivateKey) {
            (self.certificate, self.key) = (certificate, key)
        }
    }

    /// Attributes that are signed with the content. If there is any, the time of signing is signed too.
    package struct Attributes: OptionSet, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }
        package static let signingTime = Attributes(rawValue: 1)
        /// The ciphers that the signer can read (RFC 8551, 2.5.2).
        package static let capabilities = Attributes(rawValue: 2)
    }

    package var signers: [Signer] = []
    /// Certificates to include in the message.
    package var certificates: [Certificate] = []
    /// The certificates whose keys decrypt it.
    package var recipients: [Certificate] = []
    /// The digest of the content.
    package var hash: HashFunction = .sha256
    /// The type of the content; nil for data.
    package var contentType: DERObjectIdentifier?
    /// Whether the content stays outside of the message.
    package var isDetached = false
    package var attributes: Attributes = []

    package init() {}

    /// Makes the message.
    ///
    /// - Parameter content: nil for a message that contains only certificates.
    /// - Throws: `CMSError.tooLarge`; `.unusable` for a certificate or a key that cannot sign or receive;
    ///   `.libraryFailure`.
    package func message(of content: [UInt8]?) throws(CMSError) -> [UInt8] {
        guard content?.count ?? 0 <= CMSMessage.mostBytes else { throw .tooLarge }
        let isSigned = !signers.isEmpty || !certificates.isEmpty
        guard isSigned else { return try encrypted(content ?? [], contentType) }
        let signed = try signed(content)
        return recipients.isEmpty ? signed : try encrypted(try Self.content(ofSigned: signed), .cmsSignedData)
    }

    private func signed(_ content: [UInt8]?) throws(CMSError) -> [UInt8] {
        let isOutside = isDetached || content == nil
        let flags = UInt32(CMS_BINARY | CMS_PARTIAL | CMS_NOCERTS | (isOutside ? CMS_DETACHED : 0))
        let message = try cms { () throws(CryptoError) in
            try unsafe CMSHandle(adopting: CMS_sign(nil, nil, nil, nil, flags))
        }
        if let contentType { try Self.set(contentType, message) }
        for certificate in certificates {
            try cms(or: .unusable) { () throws(CryptoError) in
                let handle = try X509Handle(certificate)
                defer { extendLifetime(handle) }
                try succeed(unsafe CMS_add1_cert(message.reference, handle.reference))
            }
        }
        for signer in signers { try add(signer, flags, message) }
        return try cms(or: .unusable) { () throws(CryptoError) in
            if let content, signers.isEmpty { try message.set(content.span) }
            if let content, !signers.isEmpty { try message.finish(content.span, flags) }
            return try message.encoded()
        }
    }

    private func add(_ signer: Signer, _ flags: UInt32, _ message: CMSHandle) throws(CMSError) {
        var flags = flags
        // Only plain data may be signed without attributes (RFC 5652, 5.3).
        if attributes.isEmpty, contentType == nil { flags |= UInt32(CMS_NOATTR) }
        if !attributes.contains(.capabilities) { flags |= UInt32(CMS_NOSMIMECAP) }
        try cms(or: .unusable) { () throws(CryptoError) in
            let certificate = try X509Handle(signer.certificate)
            defer { extendLifetime(certificate) }
            _ = try unsafe made(
                CMS_add1_signer(
                    message.reference, certificate.reference, signer.key.handle.reference,
                    Algorithm.digest(hash).reference, flags))
        }
    }

    private func encrypted(_ content: [UInt8], _ type: DERObjectIdentifier?) throws(CMSError) -> [UInt8] {
        let flags = UInt32(CMS_BINARY | CMS_PARTIAL)
        return try cms(or: .unusable) { () throws(CryptoError) in
            var handles: [X509Handle] = []
            for recipient in recipients { handles.append(try X509Handle(recipient)) }
            let stack = try X509Stack(handles)
            defer { extendLifetime((handles, stack)) }
            let message = try unsafe CMSHandle(
                adopting: CMS_encrypt(stack.reference, nil, EVP_aes_256_cbc(), flags))
            if let type { do throws(CMSError) { try Self.set(type, message) } catch { throw .libraryFailure } }
            try message.finish(content.span, flags)
            return try message.encoded()
        }
    }

    private static func set(_ type: DERObjectIdentifier, _ message: CMSHandle) throws(CMSError) {
        var writer = DERWriter()
        writer.objectIdentifier(type)
        let encoded = writer.bytes
        try cms(or: .unusable) { () throws(CryptoError) in
            let object = try unsafe decoded(
                encoded.span, by: { unsafe d2i_ASN1_OBJECT(nil, &$0, $1) }, orFree: ASN1_OBJECT_free)
            defer { unsafe ASN1_OBJECT_free(object) }
            try succeed(unsafe CMS_set1_eContentType(message.reference, object))
        }
    }

    /// The SignedData inside the ContentInfo. An enveloped message of such content contains it without the ContentInfo
    /// (RFC 5652, 3 and 6.1).
    private static func content(ofSigned message: [UInt8]) throws(CMSError) -> [UInt8] {
        do throws(DERError) {
            let whole = try DERElement(
                parsing: message.span, limits: .init(bytes: message.count, depth: 64, elements: 1 << 20))
            var parts = try whole.children(of: .sequence)
            _ = try parts.next(.objectIdentifier)
            var inner = try parts.next().children(of: .explicit(0))
            return try inner.next().encodedBytes(in: message.span)
        } catch { throw .libraryFailure }
    }
}

extension DERObjectIdentifier {
    /// `id-signedData` (RFC 5652, 5.1).
    static let cmsSignedData = Self(1, 2, 840, 113549, 1, 7, 2)
}
