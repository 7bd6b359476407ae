import LinuxSystem

/// Reads the escapes that may begin at a place of a text.
///
/// The text of its functions begins at that place.
struct EscapeReader {
    var found: [WrittenByte] = []
    /// Whether more bytes could make another reading.
    private(set) var isCut = false

    private static let longestSequence = 32

    /// Takes a text that stands for a byte.
    mutating func read(_ escape: String, as byte: UInt8, _ text: Span<UInt8>) {
        for (index, expected) in escape.utf8.enumerated() {
            guard index < text.count else { return isCut = true }
            guard text[index] == expected else { return }
        }
        found.append(WrittenByte(byte, length: escape.utf8.count))
    }

    /// Takes hexadecimal digits that stand for a byte.
    mutating func readHex(_ text: Span<UInt8>, at start: Int) {
        guard let number = hex(text, start, 2) else { return }
        found.append(WrittenByte(UInt8(truncatingIfNeeded: number), length: start + 2))
    }

    /// Takes what backslashes stand for, with those that escape themselves.
    mutating func readBackslashes(_ text: Span<UInt8>, upTo most: Int) {
        var count = 1
        while count < most, count < text.count, text[count] == UInt8(ascii: "\\") { count += 1 }
        for length in 2..<max(count + 1, 2) {
            found.append(WrittenByte(UInt8(ascii: "\\"), length: length))
        }
        guard count < text.count else { return isCut = true }
        let letter = text[count]
        switch letter {
        case UInt8(ascii: "x"): readHex(text, at: count + 1)
        case UInt8(ascii: "u"): readUnit(text, count)
        case UInt8(ascii: "U"): readScalar(text, count + 1)
        case UInt8(ascii: "0")...UInt8(ascii: "3"): readOctal(text, count)
        default:
            if let byte = WrittenByte.shortEscapes[letter] {
                found.append(WrittenByte(byte, length: count + 1))
            } else if letter < 0x80, !Self.isAlphanumeric(letter) {
                found.append(WrittenByte(letter, length: count + 1))
            }
        }
    }

    /// Takes an entity of HTML.
    mutating func readEntity(_ text: Span<UInt8>) {
        for (name, byte) in WrittenByte.entities { read(name, as: byte, text) }
        guard text.count > 1 else { return isCut = true }
        guard text[1] == UInt8(ascii: "#") else { return }
        guard text.count > 2 else { return isCut = true }
        let isHex = text[2] | 0x20 == UInt8(ascii: "x")
        var (place, number) = (isHex ? 3 : 2, UInt32(0))
        let end = place + 8
        while place < text.count, place < end, let digit = WrittenByte.hexDigit(text[place]), isHex || digit < 10 {
            number = number &* (isHex ? 16 : 10) &+ UInt32(digit)
            place += 1
        }
        guard place < text.count else { return isCut = true }
        if text[place] == UInt8(ascii: ";") { take(number, place + 1) }
    }

    /// A control sequence of a terminal (ECMA-48 section 5.4).
    func controlSequence(_ text: Span<UInt8>) -> (lengths: [Int], isCut: Bool) {
        guard text.count > 1 else { return ([], true) }
        guard text[1] == UInt8(ascii: "[") else { return ([], false) }
        for place in 2..<Self.longestSequence {
            guard place < text.count else { return ([], true) }
            if (0x40...0x7E).contains(text[place]) { return ([place + 1], false) }
            guard (0x20...0x3F).contains(text[place]) else { break }
        }
        return ([], false)
    }

    /// A unit of UTF-16, with its second half where it has one, or a number in braces.
    ///
    /// - Parameter backslashes: as many stand before each half.
    private mutating func readUnit(_ text: Span<UInt8>, _ backslashes: Int) {
        let start = backslashes + 1
        if start < text.count, text[start] == UInt8(ascii: "{") { return readBraces(text, start + 1) }
        guard let unit = hex(text, start, 4) else { return }
        guard 0xD800..<0xDC00 ~= unit else { return take(unit, start + 4) }
        let next = start + 4
        for index in 0..<backslashes {
            guard next + index < text.count else { return isCut = true }
            guard text[next + index] == UInt8(ascii: "\\") else { return }
        }
        guard next + backslashes < text.count else { return isCut = true }
        guard text[next + backslashes] == UInt8(ascii: "u"), let low = hex(text, next + start, 4),
            0xDC00..<0xE000 ~= low
        else { return }
        take(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00), next + start + 4)
    }

    private mutating func readBraces(_ text: Span<UInt8>, _ start: Int) {
        var (place, number) = (start, UInt32(0))
        while place < text.count, place < start + 8, let digit = WrittenByte.hexDigit(text[place]) {
            number = number << 4 | UInt32(digit)
            place += 1
        }
        guard place < text.count else { return isCut = true }
        if text[place] == UInt8(ascii: "}") { take(number, place + 1) }
    }

    private mutating func readScalar(_ text: Span<UInt8>, _ start: Int) {
        guard let number = hex(text, start, 8) else { return }
        take(number, start + 8)
    }

    private mutating func readOctal(_ text: Span<UInt8>, _ start: Int) {
        var number = 0
        for index in start..<start + 3 {
            guard index < text.count else { return isCut = true }
            guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(text[index]) else { return }
            number = number * 8 + Int(text[index] - UInt8(ascii: "0"))
        }
        found.append(WrittenByte(UInt8(truncatingIfNeeded: number), length: start + 3))
    }

    /// So many digits; nil where others stand or too few.
    private mutating func hex(_ text: Span<UInt8>, _ start: Int, _ digits: Int) -> UInt32? {
        var number: UInt32 = 0
        for index in start..<start + digits {
            guard index < text.count else {
                isCut = true
                return nil
            }
            guard let digit = WrittenByte.hexDigit(text[index]) else { return nil }
            number = number << 4 | UInt32(digit)
        }
        return number
    }

    private mutating func take(_ number: UInt32, _ length: Int) {
        guard let scalar = Unicode.Scalar(number) else { return }
        found.append(WrittenByte(scalar, length: length))
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        WrittenByte.base64Digit(byte) ?? 62 < 62
    }
}
