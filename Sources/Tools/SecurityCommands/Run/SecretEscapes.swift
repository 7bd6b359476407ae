import DER
import LinuxSystem

extension SecretBuffer {
    /// Appends bytes percent-encoded, all but the unreserved ones (RFC 3986 section 2.3).
    func append(urlEscaped bytes: Span<UInt8>) {
        for index in bytes.indices {
            if URLText.isUnreserved(bytes[index]) {
                append(bytes[index])
            } else {
                append(utf8: "%" + URLText.digits(bytes[index]))
            }
        }
    }

    /// Appends well-formed UTF-8 as it stands within a JSON string, escaping what the grammar demands (RFC 8259
    /// section 7), or all that is not ASCII too.
    func append(jsonEscaped bytes: Span<UInt8>, asciiOnly: Bool) {
        bytes.visitCharacters { scalar, bytes in
            if let short = Self.shortEscapes[scalar] {
                append(utf8: short)
            } else if scalar.value >= 0x20, scalar.isASCII || !asciiOnly {
                append(bytes)
            } else {
                for unit in String(scalar).utf16 {
                    append(utf8: "\\u")
                    append(hex: [UInt8(unit >> 8), UInt8(truncatingIfNeeded: unit)].span)
                }
            }
            return true
        }
    }

    private static let shortEscapes: [Unicode.Scalar: String] = [
        "\"": "\\\"", "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\u{8}": "\\b", "\u{C}": "\\f",
    ]
}
