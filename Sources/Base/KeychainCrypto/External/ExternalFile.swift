import COpenSSL
import DER
import KeychainModel
package import LinuxSystem

/// The contents of a file: keys and certificates, in any of the known forms.
package struct ExternalFile: Sendable {
    package let items: [ExternalItem]
    /// The names that the file gives its items, in their order; nil for an item without one.
    package let names: [String?]
    package let form: ExternalForm

    /// Reads a file and detects its form.
    ///
    /// - Parameter passphrase: nil when none was given.
    /// - Throws: `ExternalFailure`.
    package init(_ bytes: Span<UInt8>, passphrase: SecretBytes?) throws(ExternalFailure) {
        let blocks = try external(or: .unknownForm) { () throws(PEM.Malformed) in try PEM.read(bytes) }
        guard !blocks.isEmpty else {
            let lines = Self.openSSHPublicKeys(bytes)
            let found = if let lines { lines } else { try Self.readDER(bytes, passphrase) }
            (items, names, form) = (found.items, found.names, found.form)
            return
        }
        var all: [Found] = []
        for block in blocks where block.label != "EC PARAMETERS" {
            all.append(
                try block.content.withSpan { (content) throws(ExternalFailure) in
                    try Self.readBlock(content, block.label, passphrase)
                })
        }
        guard let first = all.first else { throw .unknownForm }
        (items, names) = (all.flatMap(\.items), all.flatMap(\.names))
        form = all.count == 1 ? first.form : .pemSequence
    }

    /// The content of a file, or of one block.
    private struct Found {
        let items: [ExternalItem]
        let names: [String?]
        let form: ExternalForm

        init(_ items: [ExternalItem], _ form: ExternalForm, names: [String?]? = nil) {
            (self.items, self.form) = (items, form)
            self.names = names ?? items.map { _ in nil }
        }
    }

    private static func readBlock(
        _ content: Span<UInt8>, _ label: String, _ passphrase: SecretBytes?
    ) throws(ExternalFailure) -> Found {
        switch label {
        case "CERTIFICATE", "X509 CERTIFICATE": try certificate(content)
        case "PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY": try privateKey(content)
        case "ENCRYPTED PRIVATE KEY": try wrappedKey(content, passphrase)
        case "PUBLIC KEY", "RSA PUBLIC KEY": try publicKey(content)
        case "PKCS7", "CMS": try certificates(content)
        case OpenSSHKey.label: try openSSHKey(content)
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
        return Found([.certificate(certificate)], .x509)
    }

    /// Reads PKCS #8, PKCS #1 or SEC 1; OpenSSL tells them apart.
    private static func privateKey(_ bytes: Span<UInt8>) throws(ExternalFailure) -> Found {
        let key = try external(or: .unknownForm) { () throws(CryptoError) in
            if let key = try? PrivateKey(privateKeyInfo: bytes) { return key }
            if let key = try? PrivateKey(external: bytes, type: .rsa) { return key }
            return try PrivateKey(
                checking: try unsafe decodedKey(bytes) { unsafe d2i_PrivateKey(EVP_PKEY_EC, nil, &$0, $1) })
        }
        return Found([.privateKey(key)], .openSSL)
    }

    private static func publicKey(_ bytes: Span<UInt8>) throws(ExternalFailure) -> Found {
        let key = try external(or: .unknownForm) { () throws(CryptoError) in
            if let key = try? PublicKey(subjectPublicKeyInfo: bytes) { return key }
            return try PublicKey(external: bytes, type: .rsa)
        }
        return Found([.publicKey(key)], .openSSL)
    }

    private static func certificates(_ bytes: Span<UInt8>) throws(ExternalFailure) -> Found {
        let message = try external(or: .unknownForm) { () throws(CMSError) in
            try CMSMessage(bytes.array(0, bytes.count), content: nil) { _ in nil }
        }
        guard !message.certificates.isEmpty else { throw .unknownForm }
        return Found(message.certificates.map { .certificate($0) }, .pkcs7)
    }

    private static func wrappedKey(
        _ bytes: Span<UInt8>, _ passphrase: SecretBytes?
    ) throws(ExternalFailure) -> Found {
        do throws(CryptoError) {
            let key = try PrivateKey(encryptedPrivateKeyInfo: bytes, passphrase ?? SecretBytes(count: 0))
            return Found([.privateKey(key)], .wrappedPKCS8)
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
            let pairs = content.identities.map { ExternalItem.identity($0.key, $0.certificate) }
            return Found(
                pairs + content.loneKeys.map { .privateKey($0.key) } + others, .pkcs12,
                names: content.identities.map(\.label) + content.loneKeys.map(\.label) + others.map { _ in nil })
        } catch { throw failure(of: error, hasPassphrase: passphrase != nil) }
    }

    private static func failure(of error: PKCS12.Failure, hasPassphrase: Bool) -> ExternalFailure {
        switch error {
        case .wrongPassphrase: hasPassphrase ? .wrongPassphrase : .needsPassphrase
        case .tooLarge: .tooMuchWork
        case .unknownCipher: .unknownCipher
        case .malformed, .unsupportedKey: .unknownForm
        }
    }

    private static func openSSHPublicKeys(_ bytes: Span<UInt8>) -> Found? {
        OpenSSHPublicKey.read(bytes).map { keys in
            Found(
                keys.map { .publicKey($0.key) }, .openSSH, names: keys.map { $0.comment.isEmpty ? nil : $0.comment })
        }
    }

    private static func openSSHKey(_ bytes: Span<UInt8>) throws(ExternalFailure) -> Found {
        let (key, comment) = try OpenSSHKey.read(bytes)
        return Found([.privateKey(key)], .openSSH, names: [comment.isEmpty ? nil : comment])
    }
}
