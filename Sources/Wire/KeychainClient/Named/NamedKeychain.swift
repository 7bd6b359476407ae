package import KeychainModel
import LinuxSystem

/// A keychain of the user's, besides the one of the login.
package struct NamedKeychain: Hashable, Sendable {
    /// Names the folder of the store.
    package let identifier: Identifier
    /// The absolute path of the name file.
    package let path: String

    package init(_ identifier: Identifier, path: String) { (self.identifier, self.path) = (identifier, path) }

    package static func == (left: Self, right: Self) -> Bool {
        left.identifier == right.identifier && left.path.hasBytes(of: right.path)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(identifier) }
}

extension NamedKeychain {
    /// A random UUID (RFC 9562, version 4), written with small letters.
    package struct Identifier: Hashable, Sendable, CustomStringConvertible {
        package let description: String

        /// A new one.
        init() {
            var bytes = Randomness.bytes(16)
            bytes[6] = bytes[6] & 0x0F | 0x40
            bytes[8] = bytes[8] & 0x3F | 0x80
            let digits = bytes.flatMap { [$0 >> 4, $0 & 15] }.map { Character(String($0, radix: 16)) }
            let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
            description = groups.map { String(digits[$0]) }.joined(separator: "-")
        }

        /// Reads one; nil for anything that ``init()`` does not make.
        package init?(_ text: some StringProtocol) {
            let bytes = Array(text.utf8)
            guard bytes.count == 36, bytes[14] == UInt8(ascii: "4") else { return nil }
            for (index, byte) in bytes.enumerated() {
                let isDash = [8, 13, 18, 23].contains(index)
                let isDigit = (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
                guard isDash ? byte == UInt8(ascii: "-") : isDigit else { return nil }
            }
            description = String(text)
        }
    }
}

/// The keychain that a name stands for.
package enum ChosenKeychain: Hashable, Sendable {
    /// The one that there always is.
    case login
    case named(NamedKeychain)
    /// One of the lists whose name file is there, and does not lead to a store.
    case unusable(UnusableKeychain)
}

/// A name file that does not lead to a store, and why.
package struct UnusableKeychain: Hashable, Sendable {
    package let path: String
    package let refusal: Refusal

    package static func == (left: Self, right: Self) -> Bool {
        left.path.hasBytes(of: right.path) && left.refusal == right.refusal
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(refusal) }
}
