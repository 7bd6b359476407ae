import COpenSSL
import DER
import LinuxSystem

/// One bag of a PKCS#12 file: a key, a certificate, or something that is ignored.
@safe struct PKCS12Bag {
    private let reference: OpaquePointer?

    init(_ reference: OpaquePointer?) { unsafe self.reference = reference }

    /// The bag's cipher with its key derivation; nil when the bag is not encrypted.
    var cipher: UnsafePointer<X509_ALGOR>? {
        guard let reference = unsafe reference,
            unsafe PKCS12_SAFEBAG_get_nid(reference) == NID_pkcs8ShroudedKeyBag
        else { return nil }
        var algorithm: UnsafePointer<X509_ALGOR>?
        unsafe X509_SIG_get0(PKCS12_SAFEBAG_get0_pkcs8(reference), &algorithm, nil)
        return unsafe algorithm
    }

    /// Reads the content of the bag.
    func read(_ text: PKCS12Passphrase, into bags: inout PKCS12Bags) throws(PKCS12.Failure) {
        guard let reference = unsafe reference else { return }
        switch unsafe PKCS12_SAFEBAG_get_nid(reference) {
        case NID_keyBag:
            // Borrowed from the bag.
            bags.keys.append((try unsafe key(PKCS12_SAFEBAG_get0_p8inf(reference)), attributes))
        case NID_pkcs8ShroudedKeyBag:
            bags.keys.append((try unsafe shroudedKey(reference, text, bags.isLegacyThere), attributes))
        case NID_certBag:
            if let certificate = try unsafe certificate(reference) {
                bags.certificates.append((certificate, attributes))
            }
        default: break
        }
    }

    private func shroudedKey(
        _ bag: OpaquePointer, _ text: PKCS12Passphrase, _ isLegacyThere: Bool
    ) throws(PKCS12.Failure) -> PrivateKey {
        let info = unsafe text.with {
            unsafe PKCS12_decrypt_skey_ex(bag, $0, $1, PKCS12Library.shared.context, nil)
        }
        guard let info = unsafe info else { throw text.failure(isLegacyThere) }
        defer { unsafe PKCS8_PRIV_KEY_INFO_free(info) }
        return try unsafe key(info)
    }

    private func key(_ info: OpaquePointer?) throws(PKCS12.Failure) -> PrivateKey {
        guard let info = unsafe info else { throw .malformed }
        do throws(CryptoError) {
            return try PrivateKey(checking: try unsafe KeyHandle(reading: info))
        } catch { throw .unsupportedKey }
    }

    private func certificate(_ bag: OpaquePointer) throws(PKCS12.Failure) -> Certificate? {
        guard unsafe PKCS12_SAFEBAG_get_bag_nid(bag) == NID_x509Certificate else { return nil }
        guard let found = unsafe PKCS12_SAFEBAG_get1_cert(bag) else { throw .malformed }
        defer { unsafe X509_free(found) }
        do throws(CryptoError) { return try unsafe Certificate(found) } catch { throw .malformed }
    }

    private var attributes: PKCS12Bags.Attributes { .init(label: label, keyID: keyID) }

    private var label: String? {
        guard let reference = unsafe reference, let text = unsafe PKCS12_get_friendlyname(reference) else { return nil }
        defer { unsafe CRYPTO_free(text, #file, #line) }
        return unsafe String(validatingCString: text)
    }

    private var keyID: [UInt8]? {
        guard let reference = unsafe reference,
            let attribute = unsafe PKCS12_SAFEBAG_get0_attr(reference, NID_localKeyID),
            unsafe attribute.pointee.type == V_ASN1_OCTET_STRING,
            let octets = unsafe attribute.pointee.value.octet_string,
            let start = unsafe ASN1_STRING_get0_data(octets)
        else { return nil }
        return unsafe Array(UnsafeBufferPointer(start: start, count: max(0, Int(ASN1_STRING_length(octets)))))
    }
}
