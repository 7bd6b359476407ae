package import SyncFormat

/// A machine that wants to be added to a circle, as one word that a person copies.
///
///     code = "kcm1-" base64url of: circle:16 signing:65 agreement:65 length:u8 name [hash:32] checksum:u32
///
/// The checksum is CRC-32 of the bytes before it, against mistakes alone. The hash is SHA-256 of the machine's token,
/// where the circle's place is a server. Nothing in a code is secret.
package struct MachineCode: Equatable {
    package let circle: CircleID
    package let keys: MemberKeys
    package let name: String
    /// Empty for a place that has no tokens.
    package let tokenHash: [UInt8]

    private static let mark = "kcm1-"
    private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let fixedSize = CircleID.size + 2 * MemberKeys.pointSize + 1

    private static let hashSize = 32

    /// - Parameters:
    ///   - name: at most 255 bytes.
    ///   - tokenHash: 32 bytes, or none.
    package init(circle: CircleID, keys: MemberKeys, name: String, tokenHash: [UInt8] = []) {
        (self.circle, self.keys, self.name, self.tokenHash) = (circle, keys, name, tokenHash)
    }

    /// The word.
    package var text: String {
        let head = circle.bytes + keys.bytes + [UInt8(truncatingIfNeeded: name.utf8.count)]
        let content = head + Array(name.utf8) + tokenHash
        return Self.mark + Self.encoded(content + Self.checksum(content))
    }

    /// Reads a word; nil for one that is not exactly a code.
    package init?(_ text: String) {
        guard text.hasPrefix(Self.mark), let bytes = Self.decoded(text.dropFirst(Self.mark.count)),
            bytes.count >= Self.fixedSize + 4
        else { return nil }
        let (content, sum) = (Array(bytes.dropLast(4)), Array(bytes.suffix(4)))
        let (points, size) = (content[CircleID.size...], MemberKeys.pointSize)
        keys = MemberKeys(signing: Array(points.prefix(size)), agreement: Array(points.dropFirst(size).prefix(size)))
        circle = CircleID(content)
        let spelling = content.dropFirst(Self.fixedSize).prefix(Int(content[Self.fixedSize - 1]))
        tokenHash = Array(content.dropFirst(Self.fixedSize + spelling.count))
        guard sum == Self.checksum(content), spelling.count == Int(content[Self.fixedSize - 1]),
            tokenHash.isEmpty || tokenHash.count == Self.hashSize,
            keys.signing[0] == 4, keys.agreement[0] == 4,
            let name = String(validating: spelling, as: UTF8.self)
        else { return nil }
        self.name = name
        guard self.text == text else { return nil }
    }

    private static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        let sum = bytes.reduce(UInt32.max) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte)) { rest, _ in rest >> 1 ^ (rest & 1 == 1 ? 0xEDB8_8320 : 0) }
        }
        return (0..<4).map { UInt8(truncatingIfNeeded: ~sum >> (8 * $0)) }
    }

    private static func encoded(_ bytes: [UInt8]) -> String {
        var (text, rest, count): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        for byte in bytes {
            (rest, count) = (rest << 8 | UInt32(byte), count + 8)
            while count >= 6 {
                count -= 6
                text.append(digits[Int(rest >> count & 63)])
            }
            rest &= (1 << count) - 1
        }
        if count > 0 { text.append(digits[Int(rest << (6 - count) & 63)]) }
        return String(decoding: text, as: UTF8.self)
    }

    private static func decoded(_ text: Substring) -> [UInt8]? {
        var (bytes, rest, count): ([UInt8], UInt32, UInt32) = ([], 0, 0)
        for digit in text.utf8 {
            guard let value = digits.firstIndex(of: digit) else { return nil }
            (rest, count) = (rest << 6 | UInt32(value), count + 6)
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: rest >> count))
            }
            rest &= (1 << count) - 1
        }
        return bytes
    }
}
