import Foundation
import Security

/// Public keys of the enclave in a common format (rule keys.public.pem).
enum PublicKeyPEM {
    /// The bytes before the point in a SubjectPublicKeyInfo of this curve: always the same 26 (RFC 5480).
    private static let header: [UInt8] = [
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48,
        0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ]

    /// The public key of a P-256 pair as PEM; nil for other keys.
    static func make(of key: SecKey) -> String? {
        guard let publicKey = SecKeyCopyPublicKey(key),
            let point = SecKeyCopyExternalRepresentation(publicKey, nil) as Data?, point.count == 65
        else { return nil }
        let base64 = (Data(header) + point).base64EncodedString(
            options: [.lineLength64Characters, .endLineWithLineFeed])
        return "-----BEGIN PUBLIC KEY-----\n\(base64)\n-----END PUBLIC KEY-----\n"
    }
}
