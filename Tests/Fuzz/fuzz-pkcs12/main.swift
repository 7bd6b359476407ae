// A fuzz target: PKCS#12 files of any kind are opened or refused. `make fuzz` runs it.
import FuzzSupport
import KeychainCrypto
import LinuxSystem

unsafe fuzz { start, count in
    let bytes = unsafe Span(_unsafeStart: start, count: count)
    let passphrase: [UInt8] = Array("secret".utf8)
    guard let content = try? PKCS12(bytes, passphrase: SecretBytes(copying: passphrase.span)) else { return 0 }
    for identity in content.identities {
        precondition(identity.key.publicKey.external() == identity.certificate.publicKey)
    }
    return 0
}
