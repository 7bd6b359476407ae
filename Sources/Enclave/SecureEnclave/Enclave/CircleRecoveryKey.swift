import KeychainCrypto
import LinuxSystem
import SyncFormat

/// The recovery key of a circle, which follows from a ``RecoveryCode``.
///
///     number       = HKDF-SHA256(code, no salt, info "keychain sync 1: recovery " ‖ use, 40 bytes) mod the order
///     use          = "signing" | "agreement"
///     announcement = HMAC-SHA256(code, "keychain sync 1: recovery" ‖ circle)
///
/// `code` are the 16 bytes that it encodes. The private halves are here as long as the code is.
struct CircleRecoveryKey {
    private let code: RecoveryCode
    /// In Apple's external representation.
    let signing: SecretBytes
    let agreement: SecretBytes
    let keys: MemberKeys
    let id: MemberID

    private static let text = "keychain sync 1: recovery"

    /// - Throws: `CryptoError.libraryFailure`.
    init(_ code: RecoveryCode) throws(CryptoError) {
        let (signing, agreement) = (try Self.key("signing", code), try Self.key("agreement", code))
        self.code = code
        (self.signing, self.agreement) = (try signing.external(), try agreement.external())
        keys = MemberKeys(signing: signing.publicKey.external(), agreement: agreement.publicKey.external())
        id = try keys.identifier()
    }

    private static func key(_ use: String, _ code: RecoveryCode) throws(CryptoError) -> PrivateKey {
        let info = Array("\(text) \(use)".utf8)
        let bytes = try code.secret.withSpan { (code) throws(CryptoError) in
            try HKDF.derive(from: code, salt: Span(), info: info.span, count: PrivateKey.derivationBytes)
        }
        return try PrivateKey.derivedP256(from: bytes)
    }

    /// Proves to the user of the code that it was made for this circle. Nobody else can make it.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    func announcement(of circle: CircleID) throws(CryptoError) -> BatchHash {
        let message = Array(Self.text.utf8) + circle.bytes
        let digest = try code.secret.withSpan { (code) throws(CryptoError) in
            try KeyedDigest(key: code).digest(message.span)
        }
        return BatchHash(digest.span.array(0, BatchHash.size))
    }
}
