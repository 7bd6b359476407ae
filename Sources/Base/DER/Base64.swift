package import LinuxSystem

/// Decodes base64 (RFC 4648 section 4) character by character. It ignores blanks between the characters.
package struct Base64Decoder {
    private let output = SecretBuffer(capacity: 2048)
    private var (bits, count, padding): (UInt32, Int, Int) = (0, 0, 0)

    package init() {}

    package mutating func add(_ character: UInt8) throws(PEM.Malformed) {
        switch character {
        case UInt8(ascii: " "), UInt8(ascii: "\t"): break
        case UInt8(ascii: "="): padding += 1
        case UInt8(ascii: ":"): throw .headers
        default:
            guard padding == 0, let value = Self.value(character) else { throw .notBase64 }
            bits = bits << 6 | UInt32(value)
            count += 1
            if count % 4 == 0 { flush(3) }
        }
    }

    /// The decoded bytes. The characters must have formed whole groups, with no bits left over.
    package mutating func finish() throws(PEM.Malformed) -> SecretBytes {
        let left = count % 4
        guard left != 1, padding == (4 - left) % 4 else { throw .notBase64 }
        if left > 0 {
            bits <<= UInt32(6 * (4 - left))
            guard bits & (left == 2 ? 0xFFFF : 0xFF) == 0 else { throw .notBase64 }
            flush(left - 1)
        }
        return output.finish()
    }

    private mutating func flush(_ bytes: Int) {
        for index in 0..<bytes { output.append(UInt8(truncatingIfNeeded: bits >> UInt32(16 - 8 * index))) }
        bits = 0
    }

    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}

extension SecretBuffer {
    /// Appends the bytes in base64, without line breaks.
    package func append(base64 bytes: Span<UInt8>) {
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let left = min(3, bytes.count - start)
            var group: UInt32 = 0
            for index in 0..<3 { group = group << 8 | (index < left ? UInt32(bytes[start + index]) : 0) }
            for index in 0..<4 {
                append(
                    index <= left ? Self.base64Digits[Int(group >> UInt32(18 - 6 * index) & 63)] : UInt8(ascii: "="))
            }
        }
    }

    private static let base64Digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
