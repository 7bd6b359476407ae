import DER
import KeychainModel
import LinuxSystem

/// A private key as ssh-keygen writes it (PROTOCOL.key of OpenSSH), without a passphrase.
///
///     file    = "openssh-key-v1" %x00 cipher kdf options number:u32 public private    ; strings but for the number
///     private = check:u32 check:u32 type fields comment padding
///
/// All integers are big-endian, and a string has its length before it (RFC 4251, 5).
enum OpenSSHKey {
    static let label = "OPENSSH PRIVATE KEY"
    private static let magic = Array("openssh-key-v1\0".utf8)

    /// - Throws: `ExternalFailure.wrappedOpenSSH` for a key with a passphrase; `.unknownForm`.
    static func read(_ bytes: Span<UInt8>) throws(ExternalFailure) -> (PrivateKey, comment: String) {
        var reader = SSHReader(SecretBytes(copying: bytes))
        guard reader.skip(magic), let cipher = reader.text(), let kdf = reader.text(), reader.string() != nil,
            reader.number() == 1, reader.string() != nil, let content = reader.string(), reader.isAtEnd
        else { throw .unknownForm }
        guard cipher == "none", kdf == "none" else { throw .wrappedOpenSSH }
        return try external(or: .unknownForm) { () throws(CryptoError) in try key(in: SSHReader(content)) }
    }

    private static func key(in content: SSHReader) throws(CryptoError) -> (PrivateKey, comment: String) {
        var reader = content
        guard let check = reader.number(), reader.number() == check, let type = reader.text() else {
            throw .malformedKey
        }
        let key =
            switch type {
            case "ssh-ed25519": try ed25519(&reader)
            case "ssh-rsa": try rsa(&reader)
            case "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521": try ecdsa(&reader)
            default: throw .malformedKey
            }
        guard let comment = reader.text(), reader.isPadding else { throw .malformedKey }
        return (key, comment)
    }

    private static func ed25519(_ reader: inout SSHReader) throws(CryptoError) -> PrivateKey {
        guard let open = reader.string(), let both = reader.string(), open.count == 32, both.count == 64 else {
            throw .malformedKey
        }
        let key = try both.withSpan { (both) throws(CryptoError) in
            try PrivateKey(external: both.extracting(..<32), type: .ed25519)
        }
        let own = key.publicKey.external()
        guard open.withSpan({ $0.isEqual(to: own.span) }) else { throw .malformedKey }
        return key
    }

    private static func ecdsa(_ reader: inout SSHReader) throws(CryptoError) -> PrivateKey {
        guard reader.text() != nil, let point = reader.string(), let scalar = reader.magnitude(), point.count > 1 else {
            throw .malformedKey
        }
        let size = (point.count - 1) / 2
        guard scalar.count <= size else { throw .malformedKey }
        let external = SecretBuffer(capacity: 256)
        point.withSpan { external.append($0) }
        for _ in scalar.count..<size { external.append(0) }
        scalar.withSpan { external.append($0) }
        return try external.withSpan { (bytes) throws(CryptoError) in
            try PrivateKey(external: bytes, type: .ecSECPrimeRandom)
        }
    }

    /// The numbers for the Chinese remainder are not in the file.
    private static func rsa(_ reader: inout SSHReader) throws(CryptoError) -> PrivateKey {
        var numbers: [SecretBytes] = []
        for _ in 0..<6 {
            guard let number = reader.magnitude(), number.count <= RSAFormat.mostBytes else { throw .malformedKey }
            numbers.append(number)
        }
        let (n, e, d, inverse, p, q) = (numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5])
        let parts = [n, e, d, p, q, try remainder(d, p), try remainder(d, q), inverse]
        let content = SecretBuffer(capacity: 4096)
        content.append([2, 1, 0].span)
        for part in parts { content.append(derInteger: part) }
        let whole = SecretBuffer(capacity: 4096)
        whole.append(0x30)
        whole.append(derLength: content.count)
        content.withSpan { whole.append($0) }
        return try whole.withSpan { (bytes) throws(CryptoError) in try PrivateKey(external: bytes, type: .rsa) }
    }

    /// The exponent modulo one less than a prime.
    private static func remainder(_ exponent: SecretBytes, _ prime: SecretBytes) throws(CryptoError) -> SecretBytes {
        let d = try exponent.withSpan { (bytes) throws(CryptoError) in try BigNumber(bytes) }
        let p = try prime.withSpan { (bytes) throws(CryptoError) in try BigNumber(bytes) }
        guard p.bits > 1 else { throw .malformedKey }
        let arithmetic = try BigArithmetic()
        let result = try arithmetic.remainder(d, modulo: try arithmetic.predecessor(p))
        let bytes = SecretBytes(count: max(1, (result.bits + 7) / 8))
        try bytes.withMutableSpan { (span) throws(CryptoError) in
            try result.write(to: &span, at: 0, count: span.count)
        }
        return bytes
    }
}

/// Reads strings and numbers in order; nil for what is not there.
struct SSHReader {
    private let bytes: SecretBytes
    private var offset = 0

    init(_ bytes: SecretBytes) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    /// Whether the rest is 1, 2, 3 and so on, up to one block.
    var isPadding: Bool {
        bytes.count - offset < 256
            && bytes.withSpan { bytes in (offset..<bytes.count).allSatisfy { bytes[$0] == UInt8($0 - offset + 1) } }
    }

    mutating func skip(_ prefix: [UInt8]) -> Bool {
        guard prefix.count <= bytes.count - offset else { return false }
        defer { offset += prefix.count }
        return bytes.withSpan { bytes in prefix.indices.allSatisfy { bytes[offset + $0] == prefix[$0] } }
    }

    mutating func number() -> UInt32? {
        guard bytes.count - offset >= 4 else { return nil }
        defer { offset += 4 }
        return bytes.withSpan { $0.littleEndian(UInt32.self, at: offset).byteSwapped }
    }

    mutating func string() -> SecretBytes? {
        guard let length = number(), length <= bytes.count - offset else { return nil }
        defer { offset += Int(length) }
        return bytes.withSpan { SecretBytes(copying: $0.extracting(offset..<offset + Int(length))) }
    }

    mutating func text() -> String? { string().flatMap { $0.withSpan { $0.text(0, $0.count) } } }

    /// A number that is not negative, without leading zeros.
    mutating func magnitude() -> SecretBytes? {
        guard let number = string() else { return nil }
        return number.withSpan { bytes in
            guard bytes.count > 0, bytes[0] < 0x80 else { return nil }
            let first = bytes.indices.first { bytes[$0] != 0 } ?? bytes.count
            return SecretBytes(copying: bytes.extracting(first...))
        }
    }
}

extension SecretBuffer {
    /// A sequence of numbers that are not negative, in DER.
    static func sequence(of numbers: [SecretBytes]) -> SecretBytes {
        let (content, whole) = (SecretBuffer(capacity: 4096), SecretBuffer(capacity: 4096))
        for number in numbers { content.append(derInteger: number) }
        whole.append(0x30)
        whole.append(derLength: content.count)
        content.withSpan { whole.append($0) }
        return whole.finish()
    }

    /// Appends a number that is not negative, in DER.
    fileprivate func append(derInteger magnitude: SecretBytes) {
        magnitude.withSpan { bytes in
            let needsZero = bytes.count == 0 || bytes[0] >= 0x80
            append(2)
            append(derLength: bytes.count + (needsZero ? 1 : 0))
            if needsZero { append(0) }
            append(bytes)
        }
    }

    fileprivate func append(derLength length: Int) {
        switch length {
        case ..<0x80: append(UInt8(length))
        case ..<0x100: append([0x81, UInt8(length)].span)
        default: append([0x82, UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)].span)
        }
    }
}
