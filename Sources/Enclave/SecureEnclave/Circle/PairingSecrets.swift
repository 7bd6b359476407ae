import KeychainCrypto
import LinuxSystem
import SyncFormat

/// The secrets of a pairing: the digits, and what both sides make of them (docs/formats/sync.md, section 11).
///
///     w input         = HKDF-SHA256(digits, salt session, "keychain sync 1: digits", 40 bytes)
///     associated data = "keychain sync 1: pair" ‖ session ‖ the member's versions ‖ the newcomer's
///
/// The digits are not stretched: all messages together test no guess, and digits serve for ten minutes.
enum PairingSecrets {
    private static let count = 8
    private static let bound: UInt64 = 100_000_000
    private static let names = SPAKE2.Names(first: "member", second: "newcomer")

    /// New digits, as text.
    static func newDigits() -> SecretBytes {
        // Numbers above the last multiple would make some digits likelier than others.
        var number = UInt64.max
        while number >= UInt64.max - UInt64.max % bound {
            number = Randomness.bytes(8).span.littleEndian(UInt64.self, at: 0)
        }
        let digits = SecretBytes(count: count)
        digits.withMutableSpan { span in
            for place in span.indices.reversed() {
                span[place] = 0x30 + UInt8(number % 10)
                number /= 10
            }
        }
        return digits
    }

    /// The digits for people: in two groups.
    static func shown(_ digits: SecretBytes) -> String {
        let text = digits.withSpan { $0.text(0, $0.count) } ?? ""
        return "\(text.prefix(4)) \(text.dropFirst(4))"
    }

    /// The digits that a user has entered; nil when they are not eight. Spaces and hyphens between them do not matter.
    static func digits(in entered: SecretBytes) -> SecretBytes? {
        let buffer = SecretBuffer(capacity: count)
        let isPlain = entered.withSpan { entered in
            for index in entered.indices where entered[index] != 0x20 && entered[index] != 0x2D {
                guard (0x30...0x39).contains(entered[index]), buffer.count < count else { return false }
                buffer.append(entered[index])
            }
            return buffer.count == count
        }
        return isPlain ? buffer.finish() : nil
    }

    /// One side of a pairing.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    static func side(
        _ side: SPAKE2.Side, _ digits: SecretBytes, in session: PairingID
    ) throws(CryptoError) -> SPAKE2 {
        try SPAKE2(side, password: password(digits, in: session))
    }

    static func password(_ digits: SecretBytes, in session: PairingID) throws(CryptoError) -> SecretBytes {
        let (salt, info) = (session.bytes, Array("keychain sync 1: digits".utf8))
        return try digits.withSpan { (digits) throws(CryptoError) in
            try HKDF.derive(from: digits, salt: salt.span, info: info.span, count: 40)
        }
    }

    /// The keys of a pairing.
    ///
    /// - Throws: `CryptoError.malformedKey` for a share that is none; `.libraryFailure`.
    static func keys(
        _ side: SPAKE2, with share: [UInt8], in slot: PairingSlot, member: PairingVersions, newcomer: PairingVersions
    ) throws(CryptoError) -> SPAKE2.Keys {
        let associated =
            Array("keychain sync 1: pair".utf8) + slot.session.bytes + member.bytes + newcomer.bytes
        return try side.keys(with: share.span, names, associatedData: associated.span)
    }

    /// Seals for the other side.
    static func sealed(
        _ content: SecretBytes, in slot: PairingSlot, _ versions: PairingVersions, under key: SecretBytes
    ) throws(CryptoError) -> [UInt8] {
        let place = PairingMessage(slot, versions).head
        return try CircleCipher.seal(content, .pair, under: key, salt: slot.session.bytes, place: place)
    }

    /// Opens what the other side has sealed.
    ///
    /// - Throws: `CryptoError.authenticationFailed`, `.boxTooShort`, `.libraryFailure`.
    static func open(_ message: PairingMessage, under key: SecretBytes) throws(CryptoError) -> SecretBytes {
        let salt = message.slot.session.bytes
        return try CircleCipher.open(message.box.span, .pair, under: key, salt: salt, place: message.head)
    }
}
