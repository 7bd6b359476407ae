import LinuxSystem

/// Bech32 (BIP 173), in which age writes its keys: a name, `1`, the bytes in groups of five bits, and six groups of a
/// checksum. All letters are small, or all are capitals.
enum Bech32 {
    private static let letters = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
    private static let checkGroups = 6
    private static let separator = UInt8(ascii: "1")

    /// Reads the bytes of a text.
    ///
    /// - Parameter name: in small letters.
    /// - Returns: nil for another name, a wrong checksum, or a text that no writer makes.
    static func decode(_ text: Span<UInt8>, name: String) -> SecretBytes? {
        let (name, start) = (Array(name.utf8), name.utf8.count + 1)
        guard text.count >= start + checkGroups, isOneCase(text), text[name.count] == separator else { return nil }
        for place in name.indices where small(text[place]) != name[place] { return nil }
        var (checksum, bits) = (Checksum(name), BitGroups())
        for place in start..<text.count {
            guard let group = letters.firstIndex(of: small(text[place])) else { return nil }
            checksum.add(UInt32(group))
            if place < text.count - checkGroups { bits.add(UInt32(group), width: 5, to: 8) }
        }
        guard checksum.isRight, bits.isPadding else { return nil }
        return bits.groups.finish()
    }

    /// Writes bytes as a text in small letters.
    static func encode(_ bytes: Span<UInt8>, name: String) -> SecretBytes {
        var (checksum, bits) = (Checksum(Array(name.utf8)), BitGroups())
        for place in bytes.indices { bits.add(UInt32(bytes[place]), width: 8, to: 5) }
        bits.pad(to: 5)
        let text = SecretBuffer(capacity: 128)
        for byte in name.utf8 { text.append(byte) }
        text.append(separator)
        bits.groups.withSpan { groups in
            for place in groups.indices {
                checksum.add(UInt32(groups[place]))
                text.append(letters[Int(groups[place])])
            }
        }
        for group in checksum.groups { text.append(letters[Int(group)]) }
        return text.finish()
    }

    private static func isOneCase(_ text: Span<UInt8>) -> Bool {
        var (hasSmall, hasCapital) = (false, false)
        for place in text.indices {
            hasSmall = hasSmall || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(text[place])
            hasCapital = hasCapital || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(text[place])
        }
        return !(hasSmall && hasCapital)
    }

    private static func small(_ letter: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(letter) ? letter | 0x20 : letter
    }

    /// The code over name and groups.
    private struct Checksum {
        private static let generators: [UInt32] = [0x3b6a_57b2, 0x2650_8e6d, 0x1ea1_19fa, 0x3d42_33dd, 0x2a14_62b3]
        private var state: UInt32 = 1

        init(_ name: [UInt8]) {
            for byte in name { add(UInt32(byte >> 5)) }
            add(0)
            for byte in name { add(UInt32(byte & 31)) }
        }

        var isRight: Bool { state == 1 }

        /// The groups that make it right.
        var groups: [UInt32] {
            var rest = self
            for _ in 0..<checkGroups { rest.add(0) }
            return (0..<checkGroups).map { (rest.state ^ 1) >> (5 * UInt32(checkGroups - 1 - $0)) & 31 }
        }

        mutating func add(_ group: UInt32) {
            let top = state >> 25
            state = (state & 0x1ff_ffff) << 5 ^ group
            for (bit, generator) in Self.generators.enumerated() where top >> UInt32(bit) & 1 != 0 {
                state ^= generator
            }
        }
    }

    /// Bits of groups of one width, taken as groups of another.
    private struct BitGroups {
        let groups = SecretBuffer(capacity: 128)
        private var (rest, count): (UInt32, UInt32) = (0, 0)

        /// Whether the bits that are left over are what a writer adds: fewer than a group, all zero.
        var isPadding: Bool { count < 5 && rest == 0 }

        mutating func add(_ group: UInt32, width: UInt32, to other: UInt32) {
            (rest, count) = (rest << width | group, count + width)
            while count >= other {
                count -= other
                groups.append(UInt8(rest >> count))
                rest &= 1 << count - 1
            }
        }

        mutating func pad(to width: UInt32) {
            if count > 0 { groups.append(UInt8(rest << (width - count))) }
        }
    }
}
