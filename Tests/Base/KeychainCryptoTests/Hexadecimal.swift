import LinuxSystem

/// The bytes that hexadecimal digits stand for; spaces are for the reader.
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

/// A string of hexadecimal digits without the spaces a table has.
func compact(_ digits: String) -> String { digits.filter { $0 != " " } }
