import KeychainCrypto
import LinuxSystem

/// PKCS#12 files of any kind are opened or refused.
func fuzzPKCS12(_ bytes: Span<UInt8>) {
    // An empty passphrase has two spellings, so it takes a way of its own.
    for passphrase in ["secret", ""] {
        let text = Array(passphrase.utf8)
        guard let content = try? PKCS12(bytes, passphrase: SecretBytes(copying: text.span)) else { continue }
        for identity in content.identities {
            precondition(identity.key.publicKey.external() == identity.certificate.publicKey)
        }
        break
    }
}
