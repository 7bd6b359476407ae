import LinuxSystem

/// How the values of attributes and passwords are shown (rule command.dump.cells).
///
/// Printable ASCII is quoted as it is, even with quotes inside. Anything else is hexadecimal, followed by the same in
/// quotes with octal escapes if any of it can be printed. Nothing is shown for nothing.
extension SecretBuffer {
    func append(cell bytes: Span<UInt8>) {
        guard bytes.count > 0 else { return }
        if bytes.indices.allSatisfy({ Self.isPlain(bytes[$0]) }) {
            append(UInt8(ascii: "\""))
            append(bytes)
            return append(UInt8(ascii: "\""))
        }
        append(utf8: "0x")
        for index in bytes.indices { append(hex: bytes[index], digits: Self.upperDigits) }
        append(UInt8(ascii: " "))
        if bytes.indices.contains(where: { Self.isPlain(bytes[$0]) }) { append(escaped: bytes) }
    }

    /// Appends bytes as lowercase hexadecimal digits.
    func append(hex bytes: Span<UInt8>) {
        for index in bytes.indices { append(hex: bytes[index], digits: Self.lowerDigits) }
    }

    private func append(escaped bytes: Span<UInt8>) {
        append(utf8: " \"")
        for index in bytes.indices {
            let byte = bytes[index]
            if Self.isPlain(byte) {
                append(byte)
            } else {
                append(UInt8(ascii: "\\"))
                for shift in [6, 3, 0] as [UInt8] { append(UInt8(ascii: "0") + (byte >> shift & 7)) }
            }
        }
        append(UInt8(ascii: "\""))
    }

    private func append(hex byte: UInt8, digits: [UInt8]) {
        append(digits[Int(byte >> 4)])
        append(digits[Int(byte & 15)])
    }

    private static func isPlain(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) && byte != UInt8(ascii: "\\") }

    private static let upperDigits = Array("0123456789ABCDEF".utf8)
    private static let lowerDigits = Array("0123456789abcdef".utf8)
}

extension [UInt8] {
    /// Upper-case hexadecimal digits.
    var upperHex: String {
        map { byte in
            let digits = String(byte, radix: 16, uppercase: true)
            return digits.utf8.count == 1 ? "0" + digits : digits
        }.joined()
    }
}
