import COpenSSL
import DER
import Glibc
import LinuxSystem

/// The parts of a message.
extension CMSHandle {
    /// The type of the content.
    var contentType: DERObjectIdentifier? {
        guard let object = unsafe CMS_get0_eContentType(reference), let start = unsafe OBJ_get0_data(object) else {
            return nil
        }
        return unsafe DERObjectIdentifier(
            content: Array(UnsafeBufferPointer(start: start, count: Int(OBJ_length(object)))))
    }

    /// Whether the content is in the message.
    var hasContent: Bool {
        guard let place = unsafe CMS_get0_content(reference) else { return false }
        return unsafe place.pointee != nil
    }

    /// The content in the message, without verification.
    private var insideContent: [UInt8] {
        guard let octets = unsafe CMS_get0_content(reference)?.pointee,
            let start = unsafe ASN1_STRING_get0_data(octets)
        else { return [] }
        return unsafe Array(UnsafeBufferPointer(start: start, count: max(0, Int(ASN1_STRING_length(octets)))))
    }

    /// The certificates in the message.
    func certificates() throws(CMSError) -> [X509Handle] {
        guard let stack = unsafe CMS_get1_certs(reference) else { return [] }
        let owned = unsafe OwnedStack(stack) { unsafe X509_free($0.map { OpaquePointer($0) }) }
        guard owned.count <= CMSMessage.mostCertificates else { throw .tooLarge }
        return try cms(or: .malformed) { () throws(CryptoError) in
            var handles: [X509Handle] = []
            for index in 0..<owned.count {
                guard let one = unsafe owned[index] else { continue }
                handles.append(try unsafe X509Handle(Certificate(OpaquePointer(one))))
            }
            return handles
        }
    }

    /// Decrypts the content with the private key of a recipient.
    func opened(_ search: CMSMessage.KeySearch) throws(CMSError) -> (content: [UInt8], type: DERObjectIdentifier?) {
        let found = try search { certificate in (try? X509Handle(certificate)).map(self.isFor) ?? false }
        guard let found else { throw .noRecipient }
        let content = try cms(or: .undecryptable) { () throws(CryptoError) in
            let certificate = try X509Handle(found.certificate)
            let output = try MemoryStream()
            defer { extendLifetime((certificate, output, found)) }
            try succeed(
                unsafe CMS_decrypt(
                    reference, found.key.handle.reference, certificate.reference, nil, output.reference,
                    UInt32(CMS_BINARY)))
            return output.rest()
        }
        return (content, contentType)
    }

    /// Whether one of the recipients is the subject of a certificate.
    private func isFor(_ certificate: X509Handle) -> Bool {
        let recipients = unsafe CMS_get0_RecipientInfos(reference)
        return (0..<max(0, unsafe OPENSSL_sk_num(recipients))).contains { index in
            guard let one = unsafe OPENSSL_sk_value(recipients, index) else { return false }
            return unsafe Self.is(OpaquePointer(one), for: certificate)
        }
    }

    private static func `is`(_ recipient: OpaquePointer, for certificate: X509Handle) -> Bool {
        switch unsafe CMS_RecipientInfo_type(recipient) {
        case CMS_RECIPINFO_TRANS:
            return unsafe CMS_RecipientInfo_ktri_cert_cmp(recipient, certificate.reference) == 0
        case CMS_RECIPINFO_AGREE:
            let keys = unsafe CMS_RecipientInfo_kari_get0_reks(recipient)
            return (0..<max(0, unsafe OPENSSL_sk_num(keys))).contains { index in
                guard let one = unsafe OPENSSL_sk_value(keys, index) else { return false }
                return unsafe CMS_RecipientEncryptedKey_cert_cmp(OpaquePointer(one), certificate.reference) == 0
            }
        default: return false
        }
    }
}

/// Signatures of a message.
extension CMSHandle {
    /// Reads the content and verifies every signature.
    ///
    /// - Parameters:
    ///   - content: the signed content, where it is not in the message.
    ///   - isThere: whether the content is in the message or was given; without it no signature can be verified.
    func verifySignatures(
        _ certificates: [X509Handle], _ content: [UInt8]?, _ isThere: Bool
    ) throws(CMSError) -> (signers: [CMSMessage.Signer], content: [UInt8]) {
        let infos = try signerInfos()
        // A message without signatures has no digests, and OpenSSL builds no chain of streams for it.
        guard !infos.isEmpty else { return ([], insideContent) }
        guard isThere else { return (infos.map { signer($0, certificates, holds: nil) }, []) }
        let chain = try unsafe cms(or: .malformed) { () throws(CryptoError) in
            let outside = try content.map { (bytes) throws(CryptoError) in try MemoryStream(bytes.span) }
            return try unsafe made(CMS_dataInit(reference, outside?.handOver()))
        }
        defer { unsafe BIO_free_all(chain) }
        let read = unsafe readAll(chain)
        let signers = infos.map { info in
            signer(info, certificates, holds: unsafe holds(info, certificates, chain))
        }
        return (signers, read)
    }

    private func signerInfos() throws(CMSError) -> [SignerInfo] {
        let stack = unsafe CMS_get0_SignerInfos(reference)
        let count = max(0, unsafe OPENSSL_sk_num(stack))
        guard count <= CMSMessage.mostSigners else { throw .tooLarge }
        return (0..<count).compactMap { index in
            unsafe OPENSSL_sk_value(stack, index).map { unsafe SignerInfo(OpaquePointer($0)) }
        }
    }

    private func signer(_ info: SignerInfo, _ certificates: [X509Handle], holds: Bool?) -> CMSMessage.Signer {
        .init(
            certificate: info.certificate(among: certificates)?.certificate, signingTime: info.signingTime, holds: holds
        )
    }

    private func holds(_ info: SignerInfo, _ certificates: [X509Handle], _ chain: OpaquePointer) -> Bool {
        guard let certificate = info.certificate(among: certificates) else { return false }
        return unsafe info.holds(by: certificate, chain)
    }
}

/// One signature, borrowed from its message.
@safe private struct SignerInfo {
    private let reference: OpaquePointer

    init(_ reference: OpaquePointer) { unsafe self.reference = reference }

    func certificate(among certificates: [X509Handle]) -> X509Handle? {
        certificates.first { unsafe CMS_SignerInfo_cert_cmp(reference, $0.reference) == 0 }
    }

    /// Whether the content that went through a chain of streams is the signed content, and this certificate's key
    /// signed it.
    func holds(by certificate: X509Handle, _ chain: OpaquePointer) -> Bool {
        guard !isForgeable else { return false }
        unsafe CMS_SignerInfo_set1_signer_cert(reference, certificate.reference)
        let hasAttributes = unsafe CMS_signed_get_attr_count(reference) >= 0
        if hasAttributes, unsafe CMS_SignerInfo_verify(reference) <= 0 { return false }
        return unsafe CMS_SignerInfo_verify_content(reference, chain) > 0
    }

    /// Whether others than the signer can make such a signature.
    private var isForgeable: Bool {
        var algorithm: UnsafeMutablePointer<X509_ALGOR>?
        unsafe CMS_SignerInfo_get0_algs(reference, nil, nil, &algorithm, nil)
        guard let algorithm = unsafe algorithm else { return true }
        return unsafe [NID_md2, NID_md4, NID_md5].contains(OBJ_obj2nid(algorithm.pointee.algorithm))
    }

    var signingTime: Double? {
        let object = unsafe OBJ_nid2obj(NID_pkcs9_signingTime)
        for type in [V_ASN1_UTCTIME, V_ASN1_GENERALIZEDTIME] {
            guard let found = unsafe CMS_signed_get0_data_by_OBJ(reference, object, -3, type) else { continue }
            var parts = unsafe tm()
            guard unsafe ASN1_TIME_to_tm(found.assumingMemoryBound(to: ASN1_TIME.self), &parts) == 1 else { return nil }
            return unsafe Double(timegm(&parts)) - 978_307_200
        }
        return nil
    }
}
