import DER
import KeychainModel
import LinuxSystem

/// A public key as OpenSSH writes it: its type and, in base64, its parts (RFC 4253, 6.6; RFC 5656, 3.1; RFC 8709, 4).
enum OpenSSHPublicKey {
    /// Nil for a key that OpenSSH does not have.
    static func line(_ key: PublicKey) -> String? {
        guard let (type, parts) = parts(key) else { return nil }
        let buffer = SecretBuffer(capacity: 1024)
        for part in [Array(type.utf8)] + parts {
            buffer.append(UInt32(part.count).bigEndianBytes.span)
            buffer.append(part.span)
        }
        let text = SecretBuffer(capacity: 2048)
        buffer.withSpan { text.append(base64: $0) }
        return text.withSpan { $0.text(0, $0.count) }.map { "\(type) \($0)" }
    }

    private static func parts(_ key: PublicKey) -> (type: String, parts: [[UInt8]])? {
        let external = key.external()
        switch key.type {
        case .ed25519: return ("ssh-ed25519", [external])
        case .ecSECPrimeRandom where [256, 384, 521].contains(key.bits):
            let curve = "nistp\(key.bits)"
            return ("ecdsa-sha2-\(curve)", [Array(curve.utf8), external])
        case .rsa: return numbers(external.span).map { ("ssh-rsa", [$0.exponent, $0.modulus]) }
        case .ecSECPrimeRandom, .x25519: return nil
        }
    }

    /// The numbers of PKCS #1, which OpenSSH encodes as DER does.
    private static func numbers(_ bytes: Span<UInt8>) -> (modulus: [UInt8], exponent: [UInt8])? {
        guard var parts = try? DERElement(parsing: bytes).children(of: .sequence),
            let modulus = try? parts.next(.integer).contentBytes(in: bytes),
            let exponent = try? parts.next(.integer).contentBytes(in: bytes)
        else { return nil }
        return (modulus, exponent)
    }
}

extension UInt32 {
    fileprivate var bigEndianBytes: [UInt8] { littleEndianBytes.reversed() }
}
