import LinuxSystem

/// The forms in which a program may write a value without meaning to: byte for byte, each as it is or escaped, in
/// UTF-8, UTF-16 and Latin-1; line by line; in base64 at each of the three offsets in a longer text; in hexadecimal.
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
        return value.withSpan { bytes in
            (0..<3).map { base64(bytes, at: $0, name) } + [hexadecimal(bytes, name)]
                + ([value] + lines(of: bytes) + encodings(of: bytes)).map {
                    MaskedForm(name: name, alphabet: .bytes, units: $0)
                }
        }
    }

    /// A value beyond ASCII in Latin-1, and in UTF-16 of either order. Other values have the same bytes there, with
    /// zero bytes between them.
    private static func encodings(of bytes: Span<UInt8>) -> [SecretBytes] {
        guard bytes.indices.contains(where: { bytes[$0] >= 0x80 }), (try? UTF8Span(validating: bytes)) != nil else {
            return []
        }
        let (latin, little, big) = (SecretBuffer(), SecretBuffer(), SecretBuffer())
        var isLatin = true
        bytes.visitCharacters { scalar, _ in
            if let byte = UInt8(exactly: scalar.value) { latin.append(byte) } else { isLatin = false }
            for unit in String(scalar).utf16 {
                little.append(littleEndian: unit)
                big.append(littleEndian: unit.byteSwapped)
            }
            return true
        }
        return (isLatin ? [latin] : []).map { $0.finish() } + [little.finish(), big.finish()]
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

    /// The digits that have bits of the value (RFC 4648 sections 4 and 5). Bytes before and behind the value decide the
    /// other bits of the first and of the last one.
    ///
    /// - Parameter offset: how many bytes of the last group of three stand before the value.
    private static func base64(_ bytes: Span<UInt8>, at offset: Int, _ name: String) -> MaskedForm {
        let (first, end) = (offset * 8, (offset + bytes.count) * 8)
        let units = SecretBuffer(capacity: bytes.count * 2)
        for digit in first / 6..<(end + 5) / 6 {
            var unit: UInt8 = 0
            for bit in digit * 6..<digit * 6 + 6 {
                let isSet = bit >= first && bit < end && bytes[bit / 8 - offset] >> UInt8(7 - bit % 8) & 1 == 1
                unit = unit << 1 | (isSet ? 1 : 0)
            }
            units.append(unit)
        }
        var form = MaskedForm(name: name, alphabet: .base64, units: units.finish())
        form.firstBits = 0x3F >> UInt8(first % 6)
        form.lastBits = 0x3F << UInt8((6 - end % 6) % 6) & 0x3F
        return form
    }

    private static func hexadecimal(_ bytes: Span<UInt8>, _ name: String) -> MaskedForm {
        let units = SecretBuffer(capacity: bytes.count * 2)
        for index in bytes.indices {
            units.append(bytes[index] >> 4)
            units.append(bytes[index] & 15)
        }
        return MaskedForm(name: name, alphabet: .hexadecimal, units: units.finish())
    }
}
