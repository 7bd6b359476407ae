import KeychainCrypto
import LinuxSystem

/// A recovery code: 128 random bits, in groups that a person can copy from a sheet of paper.
///
///     code     = group *(`-` group)                        ; 6 groups of 5 characters
///     bits     = secret:128 check:22                       ; five bits a character, the first ones first
///     check    = the first 22 bits of SHA-256(`keychain recovery code` ‖ secret)
///
/// The characters are Crockford's: digits, and letters without I, L, O and U. Capitals and small letters are the same,
/// so are I, L and 1, and O and 0; spaces and dashes do not count. The check tells a slip from a code of another
/// keychain: one slip in four million goes unnoticed.
struct RecoveryCode: Sendable {
    /// The secret that the code encodes: 16 bytes.
    let secret: SecretBytes

    /// Why a text is no code.
    enum Mistake: Error { case characters, length, check }

    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)
    private static let secretBytes = 16
    private static let characters = 30
    private static let group = 5
    private static let checkBits = 22
    private static let checkPrefix = Array("keychain recovery code".utf8)

    /// Makes a code that nobody has had before.
    init() {
        let bytes = SecretBytes(count: Self.secretBytes)
        bytes.withMutableSpan { Randomness.fill(&$0) }
        secret = bytes
    }

    /// Reads what a person typed.
    init(_ text: SecretBytes) throws(Mistake) {
        let digits = SecretBuffer(capacity: Self.characters)
        try text.withSpan { (text) throws(Mistake) in
            for index in text.indices {
                if Self.isSeparator(text[index]) { continue }
                guard let digit = Self.digit(text[index]) else { throw .characters }
                guard digits.count < Self.characters else { throw .length }
                digits.append(digit)
            }
        }
        guard digits.count == Self.characters else { throw .length }
        let bytes = SecretBytes(count: Self.secretBytes)
        let check = digits.withSpan { Self.split($0, into: bytes) }
        guard let expected = try? Self.check(of: bytes), check == expected else { throw .check }
        secret = bytes
    }

    /// The code as it is shown.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    func text() throws(CryptoError) -> SecretBytes {
        let check = try Self.check(of: secret)
        let buffer = SecretBuffer(capacity: RecoveryCode.characters + 5)
        secret.withSpan { bytes in
            for index in 0..<Self.characters {
                if index > 0, index % Self.group == 0 { buffer.append(UInt8(ascii: "-")) }
                var digit = 0
                for bit in index * 5..<index * 5 + 5 { digit = digit << 1 | Self.bit(bit, bytes, check) }
                buffer.append(Self.alphabet[digit])
            }
        }
        return buffer.finish()
    }

    private static func bit(_ position: Int, _ bytes: Span<UInt8>, _ check: UInt32) -> Int {
        guard position >= secretBytes * 8 else { return Int(bytes[position / 8] >> (7 - UInt8(position % 8)) & 1) }
        return Int(check >> UInt32(checkBits - 1 - (position - secretBytes * 8)) & 1)
    }

    private static func split(_ digits: Span<UInt8>, into secret: SecretBytes) -> UInt32 {
        var check: UInt32 = 0
        secret.withMutableSpan { bytes in
            for position in 0..<characters * 5 {
                let bit = digits[position / 5] >> (4 - UInt8(position % 5)) & 1
                if position < secretBytes * 8 {
                    bytes[position / 8] |= bit << (7 - UInt8(position % 8))
                } else {
                    check = check << 1 | UInt32(bit)
                }
            }
        }
        return check
    }

    private static func check(of secret: SecretBytes) throws(CryptoError) -> UInt32 {
        let buffer = SecretBuffer(capacity: 64)
        buffer.append(checkPrefix.span)
        secret.withSpan { buffer.append($0) }
        let digest = try buffer.withSpan { (bytes) throws(CryptoError) in try Digest.sha256(bytes) }
        let first = UInt32(digest[0]) << 24 | UInt32(digest[1]) << 16 | UInt32(digest[2]) << 8
        return first >> UInt32(32 - checkBits)
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        [UInt8(ascii: "-"), 0x20, 0x09, 0x0A, 0x0D].contains(byte)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        let isSmall = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        let capital = isSmall ? byte - 32 : byte
        switch capital {
        case UInt8(ascii: "I"), UInt8(ascii: "L"): return 1
        case UInt8(ascii: "O"): return 0
        default: return alphabet.firstIndex(of: capital).map { UInt8($0) }
        }
    }
}
