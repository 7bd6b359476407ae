import COpenSSL
import DER
import KeychainModel
package import LinuxSystem

/// Keys and certificates to be written to a file.
package struct ExternalWriter: Sendable {
    package var items: [ExternalItem]
    package var isPEM = false
    package var passphrase: SecretBytes?
    /// Whether programs must read a PKCS #12 file that know 3DES and SHA-1 alone.
    package var isLegacy = false

    package init(_ items: [ExternalItem]) { self.items = items }

    /// The form used when none is named; all programs read it.
    private var usualForm: ExternalForm {
        guard let first = items.first, items.count == 1 else { return .pemSequence }
        switch first {
        case .certificate: return .x509
        case .privateKey, .publicKey: return .openSSL
        case .identity: return .pemSequence
        }
    }

    /// Writes the file.
    ///
    /// - Parameter form: nil for the usual one.
    /// - Throws: `ExternalFailure`: `.unsupportedForm` for items that the form does not hold; `.needsPassphrase`.
    package func file(as form: ExternalForm?) throws(ExternalFailure) -> SecretBytes {
        guard !items.isEmpty else { throw .nothing }
        let output = SecretBuffer()
        switch form ?? usualForm {
        case .pkcs12: try appendArchive(to: output)
        case .pkcs7: try append(try messageOfCertificates(), "PKCS7", to: output, isPEM)
        case .pemSequence: try appendEach(as: nil, to: output, true)
        case .x509: try appendEach(as: .x509, to: output, isPEM)
        case .openSSL: try appendEach(as: .openSSL, to: output, isPEM)
        case .wrappedPKCS8: try appendEach(as: .wrappedPKCS8, to: output, isPEM)
        case .pkcs8: try appendEach(as: .pkcs8, to: output, isPEM)
        case .openSSH: try appendOpenSSH(to: output)
        }
        return output.copy()
    }

    /// Writes one item after the other. Without PEM lines between them there can be only one.
    private func appendEach(
        as form: ExternalForm?, to output: SecretBuffer, _ isPEM: Bool
    ) throws(ExternalFailure) {
        guard isPEM || items.count == 1 else { throw .unsupportedForm }
        for item in items {
            switch (item, form) {
            case (.certificate(let certificate), nil), (.certificate(let certificate), .x509):
                try append(SecretBytes(copying: certificate.encoded.span), "CERTIFICATE", to: output, isPEM)
            case (.publicKey(let key), nil), (.publicKey(let key), .openSSL):
                let info = try external(or: .libraryFailure) { () throws(CryptoError) in try key.subjectPublicKeyInfo()
                }
                try append(SecretBytes(copying: info.span), "PUBLIC KEY", to: output, isPEM)
            case (.privateKey(let key), .pkcs8):
                let info = try external(or: .libraryFailure) { () throws(CryptoError) in try key.privateKeyInfo() }
                try append(info, "PRIVATE KEY", to: output, isPEM)
            case (.privateKey(let key), nil), (.privateKey(let key), .openSSL), (.privateKey(let key), .wrappedPKCS8):
                try append(key, form == .wrappedPKCS8 || form == nil && passphrase != nil, to: output, isPEM)
            case (.identity(let key, let certificate), nil):
                try append(key, passphrase != nil, to: output, isPEM)
                try append(SecretBytes(copying: certificate.encoded.span), "CERTIFICATE", to: output, isPEM)
            default: throw .unsupportedForm
            }
        }
    }

    private func append(
        _ key: PrivateKey, _ isWrapped: Bool, to output: SecretBuffer, _ isPEM: Bool
    ) throws(ExternalFailure) {
        if isWrapped {
            guard let passphrase else { throw .needsPassphrase }
            let wrapped = try external(or: .libraryFailure) { () throws(CryptoError) in
                try key.encryptedPrivateKeyInfo(passphrase)
            }
            return try append(wrapped, "ENCRYPTED PRIVATE KEY", to: output, isPEM)
        }
        let bytes = try external(or: .libraryFailure) { () throws(CryptoError) in
            try unsafe secretlyEncoded { unsafe i2d_PrivateKey(key.handle.reference, &$0) }
        }
        let labels: [String] = ["RSA PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY"]
        let label = key.type == .rsa ? labels[0] : key.type == .ecSECPrimeRandom ? labels[1] : labels[2]
        try append(bytes, label, to: output, isPEM)
    }

    private func append(
        _ bytes: SecretBytes, _ label: String, to output: SecretBuffer, _ isPEM: Bool
    ) throws(ExternalFailure) {
        bytes.withSpan { bytes in
            if isPEM { PEM.append(label: label, bytes, to: output) } else { output.append(bytes) }
        }
    }

    private func messageOfCertificates() throws(ExternalFailure) -> SecretBytes {
        var writer = CMSWriter()
        for item in items {
            guard case .certificate(let certificate) = item else { throw .unsupportedForm }
            writer.certificates.append(certificate)
        }
        let message = try external(or: .libraryFailure) { [writer] () throws(CMSError) in try writer.message(of: nil) }
        return SecretBytes(copying: message.span)
    }

    /// Writes private keys, alone or with their certificates, and other certificates.
    private func appendArchive(to output: SecretBuffer) throws(ExternalFailure) {
        guard let passphrase else { throw .needsPassphrase }
        var (keys, certificates) = ([PrivateKey](), [Certificate]())
        for item in items {
            switch item {
            case .identity(let key, let certificate):
                keys.append(key)
                certificates.append(certificate)
            case .certificate(let certificate): certificates.append(certificate)
            case .privateKey(let key): keys.append(key)
            case .publicKey: throw .unsupportedForm
            }
        }
        let writer = PKCS12Writer(keys, certificates, isLegacy: isLegacy)
        let file = try external(or: .libraryFailure) { () throws(CryptoError) in
            try writer.file(try Self.terminated(passphrase))
        }
        try append(file, "PKCS12", to: output, false)
    }

    /// Writes public keys, each as a line of an authorized_keys file.
    private func appendOpenSSH(to output: SecretBuffer) throws(ExternalFailure) {
        for item in items {
            guard case .publicKey(let key) = item, let line = OpenSSHPublicKey.line(key) else { throw .unsupportedForm }
            var text = line + "\n"
            text.withUTF8 { bytes in unsafe output.append(bytes.span) }
        }
    }

    /// The passphrase as a C string: with a zero at the end, and no other zero.
    private static func terminated(_ passphrase: SecretBytes) throws(CryptoError) -> SecretBytes {
        let text = SecretBuffer()
        let hasZero = passphrase.withSpan { bytes in
            text.append(bytes)
            return bytes.indices.contains { bytes[$0] == 0 }
        }
        guard !hasZero else { throw .invalidParameter }
        text.append(0)
        return text.copy()
    }
}
