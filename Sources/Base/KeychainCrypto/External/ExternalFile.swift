import COpenSSL
import DER
import KeychainModel
package import LinuxSystem

/// The contents of a file: keys and certificates, in any of the known forms.
package struct ExternalFile: Sendable {
    package let items: [ExternalItem]
    package let form: ExternalForm

    /// Reads a file and detects its form.
    ///
    /// - Parameter passphrase: nil when none was given.
    /// - Throws: `ExternalFailure`.
    package init(_ bytes: Span<UInt8>, passphrase: SecretBytes?) throws(ExternalFailure) {
        let blocks = try external(or: .unknownForm) { () throws(PEM.Malformed) in try PEM.read(bytes) }
        guard !blocks.isEmpty else {
            (items, form) = try Self.readDER(bytes, passphrase)
            return
        }
        var (items, forms) = ([ExternalItem](), [ExternalForm]())
        for block in blocks {
            let (read, form) = try block.content.withSpan { (content) throws(ExternalFailure) in
                try Self.readBlock(content, block.label, passphrase)
            }
            items += read
            forms.append(form)
        }
        (self.items, form) = (items, forms.count == 1 ? forms[0] : .pemSequence)
    }

    private typealias Found = (items: [ExternalItem], form: ExternalForm)

    private static func readBlock(
        _ content: Span<UInt8>, _ label: String, _ passphrase: SecretBytes?
    ) throws(ExternalFailure) -> Found {
        switch label {
        case "CERTIFICATE", "X509 CERTIFICATE": try certificate(content)
        case "PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY": try privateKey(content)
        case "ENCRYPTED PRIVATE KEY": try wrappedKey(content, passphrase)
        case "PUBLIC KEY", "RSA PUBLIC KEY": try publicKey(content)
        case "PKCS7", "CMS": try certificates(content)
        default: throw .unknownForm
        }
    }

    /// Tries each form in turn. The forms share no mark that tells them apart, but each decoder refuses the others.
    private static func readDER(_ bytes: Span<UInt8>, _ passphrase: SecretBytes?) throws(ExternalFailure) -> Found {
        if let found = try? certificate(bytes) { return found }
        if let found = try? privateKey(bytes) { return found }
        if let found = try? publicKey(bytes) { return found }
        if let found = try? certificates(bytes) { return found }
        do throws(ExternalFailure) { return try wrappedKey(bytes, passphrase) } catch {
            guard error == .unknownForm else { throw error }
        }
        return try archive(bytes, passphrase)
    }

    private static func certificate(_ bytes: Span<UInt8>) throws(ExternalFailure) -> Found {
        let certificate = try external(or: .unknownForm) { () throws(DERError) in try Certificate(parsing: bytes) }
        return ([.certificate(certificate)], .x509)
    }

    /// Reads PKCS #8, PKCS #1 or SEC 1; OpenSSL tells them apart.
    private static func privateKey(_ bytes: Span<UInt8>) throws(ExternalFailure) -> Found {
        let key = try external(or: .unknownForm) { () throws(CryptoError) in
            if let key = try? PrivateKey(privateKeyInfo: bytes) { return key }
            if let key = try? PrivateKey(external: bytes, type: .rsa) { return key }
            return try PrivateKey(
                checking: try unsafe decodedKey(bytes) { unsafe d2i_PrivateKey(EVP_PKEY_EC, nil, &$0, $1) })
        }
        return ([.privateKey(key)], .openSSL)
    }

    private static func publicKey(_ bytes: Span<UInt8>) throws(ExternalFailure) -> Found {
        let key = try external(or: .unknownForm) { () throws(CryptoError) in
            if let key = try? PublicKey(subjectPublicKeyInfo: bytes) { return key }
            return try PublicKey(external: bytes, type: .rsa)
        }
        return ([.publicKey(key)], .openSSL)
    }

    private static func certificates(_ bytes: Span<UInt8>) throws(ExternalFailure) -> Found {
        let message = try external(or: .unknownForm) { () throws(CMSError) in
            try CMSMessage(bytes.array(0, bytes.count), content: nil) { _ in nil }
        }
        guard !message.certificates.isEmpty else { throw .unknownForm }
        return (message.certificates.map { .certificate($0) }, .pkcs7)
    }

    private static func wrappedKey(
        _ bytes: Span<UInt8>, _ passphrase: SecretBytes?
    ) throws(ExternalFailure) -> Found {
        do throws(CryptoError) {
            let key = try PrivateKey(encryptedPrivateKeyInfo: bytes, passphrase ?? SecretBytes(count: 0))
            return ([.privateKey(key)], .wrappedPKCS8)
        } catch {
            guard error == .authenticationFailed else { throw .unknownForm }
            throw passphrase == nil ? .needsPassphrase : .wrongPassphrase
        }
    }

    private static func archive(_ bytes: Span<UInt8>, _ passphrase: SecretBytes?) throws(ExternalFailure) -> Found {
        do throws(PKCS12.Failure) {
            let content = try PKCS12(bytes, passphrase: passphrase ?? SecretBytes(count: 0))
            let owned = Set(content.identities.map(\.certificate))
            let others = content.certificates.filter { !owned.contains($0) }.map { ExternalItem.certificate($0) }
            return (content.identities.map { .identity($0.key, $0.certificate) } + others, .pkcs12)
        } catch {
            guard error == .wrongPassphrase else { throw .unknownForm }
            throw passphrase == nil ? .needsPassphrase : .wrongPassphrase
        }
    }
}
