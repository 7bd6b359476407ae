internal import KeychainCrypto
internal import KeychainModel
internal import LinuxSystem

/// Opens a PKCS #12 file (RFC 7292).
///
/// Nothing is put into the keychain: add an identity with `SecItemAdd` and `kSecValueRef` to keep it.
///
/// - Parameters:
///   - pkcs12_data: the file.
///   - options: `kSecImportExportPassphrase`, a string; without it the passphrase is empty.
///   - items: receives an array with one dictionary for each private key that has a certificate in the file.
///     `kSecImportItemIdentity` is a `SecIdentity`. `kSecImportItemCertChain` is the certificate and its issuers, as
///     far as the file or the system has them. `kSecImportItemTrust` is a `SecTrust` for the chain.
///     `kSecImportItemKeyID` is the file's identifier of the pair, otherwise the SHA-1 of the public key.
///     `kSecImportItemLabel` is the file's name for it, if it has one.
/// - Returns: `errSecSuccess`, also when the file has no private key; `errSecAuthFailed` for a wrong passphrase;
///   `errSecDecode` for a file of another format, or with an unknown cipher or key; `errSecParam` for an option of the
///   wrong type. ``SecCopyLastItemError()`` tells more.
@discardableResult
public func SecPKCS12Import(
    _ pkcs12_data: CFData, _ options: CFDictionary, _ items: UnsafeMutablePointer<CFArray?>
) -> OSStatus {
    reporting { () throws(Refusal) in
        let passphrase = try passphrase(options)
        let content = try pkcs12_data.withSpan { (bytes) throws(Refusal) in
            do throws(PKCS12.Failure) { return try PKCS12(bytes, passphrase: passphrase) } catch {
                throw error.refusal
            }
        }
        let found = content.identities.map { dictionary($0, content.certificates) }
        unsafe items.pointee = NSArray(array: found)
        return nil
    }
}

private func passphrase(_ options: CFDictionary) throws(Refusal) -> SecretBytes {
    guard let value = options.object(forKey: kSecImportExportPassphrase) else { return SecretBytes(count: 0) }
    guard let text = value as? String else {
        throw Refusal(
            .param, .wrongType, "passphrase", "kSecImportExportPassphrase is not a string.", do: "Give it a string.")
    }
    let bytes = Array(text.utf8)
    return SecretBytes(copying: bytes.span)
}

private func dictionary(_ identity: PKCS12.Identity, _ certificates: [Certificate]) -> NSDictionary {
    let certificate = SecCertificate(identity.certificate)
    let helpers = certificates.filter { $0 != identity.certificate }.map { SecCertificate($0) }
    let trust = SecTrust(.init(certificates: [certificate] + helpers, policies: [SecPolicyCreateBasicX509()]))
    var entries: [CFString: Any] = [
        kSecImportItemIdentity: SecIdentity(certificate, SecKey(identity.key)), kSecImportItemTrust: trust,
        kSecImportItemCertChain: SecTrustCopyCertificateChain(trust) ?? NSArray(object: certificate),
    ]
    let keyID = identity.keyID ?? (try? identity.certificate.publicKeyHash())
    entries[kSecImportItemKeyID] = keyID.map { NSData(copying: $0) }
    entries[kSecImportItemLabel] = identity.label
    return NSDictionary(dictionary: entries)
}

extension PKCS12.Failure {
    fileprivate var refusal: Refusal {
        switch self {
        case .wrongPassphrase:
            Refusal(
                .authFailed, .wrongPassphrase, "passphrase", "The passphrase is not that of the file.",
                do: "Give the passphrase the file was exported with as kSecImportExportPassphrase.")
        case .malformed:
            Refusal(
                .decode, .notPKCS12, "pkcs12_data", "The data is not a PKCS #12 file, or a damaged one.",
                do: "Check it with `openssl pkcs12 -info`. Convert PEM to PKCS #12 first.")
        case .unknownCipher(legacyIsMissing: true):
            Refusal(
                .decode, .notPKCS12, "pkcs12_data",
                "The file is encrypted with an old cipher such as RC2, and OpenSSL has no legacy provider here.",
                do: "Install OpenSSL's legacy provider, or export the file again with AES.")
        case .unknownCipher(legacyIsMissing: false):
            Refusal(
                .decode, .notPKCS12, "pkcs12_data", "The file is encrypted with a cipher OpenSSL does not know.",
                do: "Export it again with AES.")
        case .unsupportedKey:
            Refusal(
                .decode, .notPKCS12, "pkcs12_data", "The file has a private key of a type that is not used here.",
                do: "Use RSA of 512 to 8192 bits, the curves P-192, P-224, P-256, P-384 and P-521, Ed25519 or X25519.")
        case .tooLarge:
            Refusal(
                .decode, .tooLarge, "pkcs12_data", "The file is larger, or asks for more work, than any has reason to.",
                do: "Export it again with the usual settings.")
        }
    }
}

extension Refusal.Rule {
    fileprivate static let wrongPassphrase = Self(rawValue: "import.wrong-passphrase")
    fileprivate static let notPKCS12 = Self(rawValue: "import.not-pkcs12")
}
