import KeychainCrypto
package import KeychainModel
import LinuxSystem

/// The name of a team: 20 characters derived from its first key. Nobody can claim it without that key.
///
///     text = base32(first 100 bits of SHA-256("swift-keychain team v1" 00 ‖ algorithm:u8 ‖ public key))
///                                                                                          ; RFC 4648, A–Z 2–7
package struct TeamID: Hashable, Sendable {
    package let text: String

    static let size = 20
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)
    private static let domain = Array("swift-keychain team v1".utf8) + [0]

    /// The team whose first key this is.
    ///
    /// - Throws: `errSecInternalComponent`.
    package init(of key: TeamPublicKey) throws(Refusal) {
        let message = Self.domain + [key.algorithm.rawValue] + key.bytes
        let digest = try computing { () throws(CryptoError) in try Digest.of(message.span, .sha256) }
        let characters = (0..<Self.size).map { index in Self.alphabet[Self.bits(of: digest, at: 5 * index)] }
        text = String(decoding: characters, as: UTF8.self)
    }

    /// Reads a Team ID; nil when the text is not one.
    package init?(text: String) {
        guard text.utf8.count == Self.size, text.utf8.allSatisfy(Self.alphabet.contains) else { return nil }
        self.text = text
    }

    /// The prefix of the team's groups.
    package var prefix: String { text + "." }

    /// The team that an access group belongs to; nil for a group without one.
    package init?(ofGroup group: String) {
        guard let end = group.firstIndex(of: "."), group.index(after: end) < group.endIndex else { return nil }
        self.init(text: String(group[..<end]))
    }

    /// Five bits, the most significant first.
    private static func bits(of bytes: [UInt8], at bit: Int) -> Int {
        let pair = Int(bytes[bit / 8]) << 8 | Int(bytes[bit / 8 + 1])
        return pair >> (11 - bit % 8) & 31
    }
}
