import LinuxSystem

/// The bytes of hexadecimal digits; spaces are ignored.
func bytes(_ digits: String) -> [UInt8] {
    let values = digits.compactMap(\.hexDigitValue)
    return stride(from: 0, to: values.count - values.count % 2, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
}

func hexadecimal(_ bytes: Span<UInt8>) -> String {
    var digits = ""
    for index in 0..<bytes.count {
        digits += String(bytes[index] >> 4, radix: 16) + String(bytes[index] & 15, radix: 16)
    }
    return digits
}

func hexadecimal(_ secret: SecretBytes) -> String { secret.withSpan { hexadecimal($0) } }

/// Hexadecimal digits without the spaces of a table.
func compact(_ digits: String) -> String { digits.filter { $0 != " " } }
