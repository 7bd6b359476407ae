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

    /// The keys of a file with one a line, as ssh-keygen and `authorized_keys` without options have them.
    ///
    /// - Returns: nil for any other file.
    static func read(_ bytes: Span<UInt8>) -> [(key: PublicKey, comment: String)]? {
        guard bytes.count <= mostBytes, let text = bytes.text(0, bytes.count) else { return nil }
        let lines = text.split(whereSeparator: \.isNewline).filter { !$0.hasPrefix("#") }
        let keys = lines.compactMap { key(inLine: $0) }
        return keys.isEmpty || keys.count < lines.count ? nil : keys
    }

    /// More than hundreds of the largest keys have.
    private static let mostBytes = 1 << 20

    private static func key(inLine line: Substring) -> (key: PublicKey, comment: String)? {
        let words = line.split(separator: " ", maxSplits: 2)
        guard words.count > 1, let content = decoded(words[1]) else { return nil }
        var reader = SSHReader(content)
        guard reader.text() == String(words[0]), let key = key(String(words[0]), &reader), reader.isAtEnd else {
            return nil
        }
        return (key, words.count > 2 ? String(words[2]) : "")
    }

    private static func decoded(_ word: Substring) -> SecretBytes? {
        var decoder = Base64Decoder()
        do throws(PEM.Malformed) {
            for character in word.utf8 { try decoder.add(character) }
            return try decoder.finish()
        } catch { return nil }
    }

    private static func key(_ type: String, _ reader: inout SSHReader) -> PublicKey? {
        switch type {
        case "ssh-ed25519": return reader.string().flatMap { key($0, .ed25519) }
        case "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521":
            guard reader.text() == String(type.suffix(8)) else { return nil }
            return reader.string().flatMap { key($0, .ecSECPrimeRandom) }
        case "ssh-rsa":
            guard let exponent = reader.magnitude(), let modulus = reader.magnitude(),
                modulus.count <= RSAFormat.mostBytes, exponent.count <= RSAFormat.mostBytes
            else { return nil }
            return key(SecretBuffer.sequence(of: [modulus, exponent]), .rsa)
        default: return nil
        }
    }

    private static func key(_ external: SecretBytes, _ type: KeyType) -> PublicKey? {
        external.withSpan { try? PublicKey(external: $0, type: type) }
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
