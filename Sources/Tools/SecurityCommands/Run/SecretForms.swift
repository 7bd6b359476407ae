import DER
import LinuxSystem

/// A text that must not be shown, and the name that stands in its place.
struct MaskedForm {
    let name: String
    let bytes: SecretBytes
    /// Whether programs put line ends anywhere into it, as they do into base64 and hexadecimal (RFC 2045 section 6.8).
    var isBroken = false
}

/// The forms in which a program may write a value without meaning to: as it is, line by line, in base64 at each of the
/// three offsets within a longer text, in hexadecimal, and escaped for a URL or for JSON.
enum SecretForms {
    /// A shorter value would be found in every other line by chance.
    static let fewestBytes = 6
    /// A line of a value says less than the value, and a short one stands in many texts.
    static let fewestLineBytes = 8
    /// Forms cost time with every byte of output.
    private static let mostLines = 256

    /// The forms of a value; empty for one that is too short.
    static func all(of value: SecretBytes, named name: String) -> [MaskedForm] {
        let value = withoutLineEnds(value)
        guard value.count >= fewestBytes else { return [] }
        var (forms, broken) = ([value], [SecretBytes]())
        value.withSpan { bytes in
            for offset in 0..<3 { broken += base64(bytes, at: offset) }
            broken += [hexadecimal(bytes, upper: false), hexadecimal(bytes, upper: true)]
            forms += [url(bytes), onTerminal(bytes)] + lines(of: bytes)
            if (try? UTF8Span(validating: bytes)) != nil {
                forms += [json(bytes, asciiOnly: false), json(bytes, asciiOnly: true)]
            }
        }
        return distinct(broken).map { MaskedForm(name: name, bytes: $0, isBroken: true) }
            + distinct(forms).map { MaskedForm(name: name, bytes: $0) }
    }

    /// The lines of a value that has several: a program may indent them, or write one alone.
    private static func lines(of bytes: Span<UInt8>) -> [SecretBytes] {
        var (lines, start) = ([SecretBytes](), 0)
        for end in 0...bytes.count where end == bytes.count || bytes[end] == 0x0A || bytes[end] == 0x0D {
            if end - start >= fewestLineBytes, end - start < bytes.count, lines.count < mostLines {
                lines.append(SecretBytes(copying: bytes.extracting(start..<end)))
            }
            start = end + 1
        }
        return lines
    }

    /// A program may write a value with another line end behind it, or with none.
    private static func withoutLineEnds(_ value: SecretBytes) -> SecretBytes {
        value.withSpan { bytes in
            var end = bytes.count
            while end > 0, bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D { end -= 1 }
            return end == bytes.count ? value : SecretBytes(copying: bytes.extracting(..<end))
        }
    }

    private static func distinct(_ forms: [SecretBytes]) -> [SecretBytes] {
        var kept: [SecretBytes] = []
        for form in forms where !kept.contains(where: { $0.isEqual(to: form) }) { kept.append(form) }
        return kept
    }

    /// The digits that are the same whatever stands before and behind the value (RFC 4648 sections 4 and 5).
    ///
    /// - Parameter offset: how many bytes of the last group of three stand before the value.
    private static func base64(_ bytes: Span<UInt8>, at offset: Int) -> [SecretBytes] {
        let (whole, digits) = (SecretBuffer(capacity: bytes.count + 2), SecretBuffer(capacity: bytes.count * 2))
        for _ in 0..<offset { whole.append(0) }
        whole.append(bytes)
        whole.withSpan { digits.append(base64: $0) }
        let range = (offset * 8 + 5) / 6..<(offset + bytes.count) * 8 / 6
        let standard = digits.withSpan { SecretBytes(copying: $0.extracting(range)) }
        return [standard, replacingDigits(standard)]
    }

    private static func replacingDigits(_ text: SecretBytes) -> SecretBytes {
        text.withSpan { bytes in
            let replaced = SecretBuffer(capacity: bytes.count)
            for index in bytes.indices {
                switch bytes[index] {
                case UInt8(ascii: "+"): replaced.append(UInt8(ascii: "-"))
                case UInt8(ascii: "/"): replaced.append(UInt8(ascii: "_"))
                default: replaced.append(bytes[index])
                }
            }
            return replaced.finish()
        }
    }

    private static func hexadecimal(_ bytes: Span<UInt8>, upper: Bool) -> SecretBytes {
        let digits = Array((upper ? "0123456789ABCDEF" : "0123456789abcdef").utf8)
        let text = SecretBuffer(capacity: bytes.count * 2)
        for index in bytes.indices {
            text.append(digits[Int(bytes[index] >> 4)])
            text.append(digits[Int(bytes[index] & 15)])
        }
        return text.finish()
    }

    private static func url(_ bytes: Span<UInt8>) -> SecretBytes {
        let text = SecretBuffer(capacity: bytes.count * 3)
        text.append(urlEscaped: bytes)
        return text.finish()
    }

    /// A terminal writes a line feed as a carriage return and a line feed.
    private static func onTerminal(_ bytes: Span<UInt8>) -> SecretBytes {
        let text = SecretBuffer(capacity: bytes.count + 16)
        for index in bytes.indices {
            if bytes[index] == 0x0A { text.append(0x0D) }
            text.append(bytes[index])
        }
        return text.finish()
    }

    private static func json(_ bytes: Span<UInt8>, asciiOnly: Bool) -> SecretBytes {
        let text = SecretBuffer(capacity: bytes.count * 2)
        text.append(jsonEscaped: bytes, asciiOnly: asciiOnly)
        return text.finish()
    }
}

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
