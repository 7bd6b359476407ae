import LinuxSystem

/// Reads the escapes that may begin at a place of a text.
///
/// The text of its functions begins at that place.
struct EscapeReader {
    var found: [WrittenByte] = []
    /// Whether more bytes could make another reading.
    private(set) var isCut = false

    private static let longestSequence = 32
    /// A URL in a URL, three times.
    private static let mostNested = 3

    /// Takes a text that stands for a byte.
    ///
    /// - Parameter length: that of a mark before it.
    mutating func read(_ escape: String, as byte: UInt8, _ text: Span<UInt8>, behind length: Int = 0) {
        for (index, expected) in escape.utf8.enumerated() {
            guard index < text.count else { return isCut = true }
            guard text[index] == expected else { return }
        }
        found.append(WrittenByte(byte, length: length + escape.utf8.count))
    }

    /// Takes hexadecimal digits that stand for a byte, or for the character of this number.
    mutating func readHex(_ text: Span<UInt8>, at start: Int) {
        guard let number = hex(text, start, 2) else { return }
        found.append(WrittenByte(UInt8(truncatingIfNeeded: number), length: start + 2))
        if number >= 0x80 { take(number, start + 2) }
    }

    /// Takes an escape of a URL, or of a URL within another one, in which the mark is escaped as well.
    mutating func readPercent(_ text: Span<UInt8>) {
        readHex(text, at: 1)
        if text.count > 1, text[1] | 0x20 == UInt8(ascii: "u") { readPercentUnit(text) }
        for count in 1...Self.mostNested {
            let start = count * 2 + 1
            for (index, digit) in "25".utf8.enumerated() {
                guard start - 2 + index < text.count else { return isCut = true }
                guard text[start - 2 + index] == digit else { return }
            }
            readHex(text, at: start)
        }
    }

    /// Takes a unit of UTF-16 as JavaScript's `escape` writes it, with its second half where it has one.
    private mutating func readPercentUnit(_ text: Span<UInt8>) {
        guard let unit = hex(text, 2, 4) else { return }
        guard 0xD800..<0xDC00 ~= unit else { return take(unit, 6) }
        guard text.count > 6 else { return isCut = true }
        guard text[6] == UInt8(ascii: "%") else { return }
        guard text.count > 7 else { return isCut = true }
        guard text[7] | 0x20 == UInt8(ascii: "u"), let low = hex(text, 8, 4), 0xDC00..<0xE000 ~= low else { return }
        take(Self.scalar(unit, low), 12)
    }

    /// The number of a character whose two units of UTF-16 these are.
    private static func scalar(_ high: UInt32, _ low: UInt32) -> UInt32 {
        0x10000 + (high - 0xD800) << 10 + (low - 0xDC00)
    }

    /// Takes one escape of a shell's word in `$'...'`.
    mutating func readShellEscape(_ text: Span<UInt8>) {
        guard text.count > 2 else { return isCut = isCut || text.count == 1 || text[1] == UInt8(ascii: "'") }
        guard text[1] == UInt8(ascii: "'"), text[2] == UInt8(ascii: "\\") else { return }
        var inner = EscapeReader()
        inner.readBackslashes(text.extracting(2...), upTo: 2)
        isCut = isCut || inner.isCut
        for reading in inner.found {
            guard reading.length + 2 < text.count else {
                isCut = true
                continue
            }
            if text[reading.length + 2] == UInt8(ascii: "'") { found.append(reading.lengthened(by: 3)) }
        }
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
        case UInt8(ascii: "x"): readNumber(text, count + 1)
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

    /// Takes an entity of HTML, whose mark may be an entity itself.
    mutating func readEntity(_ text: Span<UInt8>) {
        var name = 1
        readEntity(text, named: name)
        for _ in 1...Self.mostNested {
            for (index, letter) in "amp;".utf8.enumerated() {
                guard name + index < text.count else { return isCut = true }
                guard text[name + index] == letter else { return }
            }
            name += 4
            readEntity(text, named: name)
        }
    }

    private mutating func readEntity(_ text: Span<UInt8>, named start: Int) {
        let name = text.extracting(start...)
        for (entity, byte) in WrittenByte.entities { read(entity, as: byte, name, behind: start) }
        guard name.count > 0 else { return isCut = true }
        guard name[0] == UInt8(ascii: "#") else { return }
        guard name.count > 1 else { return isCut = true }
        let isHex = name[1] | 0x20 == UInt8(ascii: "x")
        var (place, number) = (start + (isHex ? 2 : 1), UInt32(0))
        let end = place + 8
        while place < text.count, place < end, let digit = WrittenByte.hexDigit(text[place]), isHex || digit < 10 {
            number = number &* (isHex ? 16 : 10) &+ UInt32(digit)
            place += 1
        }
        guard place < text.count else { return isCut = true }
        if text[place] == UInt8(ascii: ";") { take(number, place + 1) }
    }

    /// An escape sequence of a terminal (ECMA-35 section 13.2), such as the choice of letters `ESC ( B`; a control
    /// sequence (ECMA-48 section 5.4), such as a colour.
    func controlSequence(_ text: Span<UInt8>) -> (lengths: [Int], isCut: Bool) {
        guard text.count > 1 else { return ([], true) }
        let isControl = text[1] == UInt8(ascii: "[")
        // These begin a text of the terminal's own.
        if "]PX^_".utf8.contains(text[1]) { return ([], false) }
        let (within, ends) = isControl ? (UInt8(0x20)...0x3F, UInt8(0x40)...0x7E) : (0x20...0x2F, 0x30...0x7E)
        for place in (isControl ? 2 : 1)..<Self.longestSequence {
            guard place < text.count else { return ([], true) }
            if ends.contains(text[place]) { return ([place + 1], false) }
            guard within.contains(text[place]) else { break }
        }
        return ([], false)
    }

    /// The end of a line with the blanks that indent the next one.
    func lineEnd(_ text: Span<UInt8>) -> (lengths: [Int], isCut: Bool) {
        var end = 1
        while end < Self.longestSequence, end < text.count, text[end] == 0x20 || text[end] == 0x09 { end += 1 }
        return ([end], end == text.count && end < Self.longestSequence)
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
        take(Self.scalar(unit, low), next + start + 4)
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

    /// Two digits, or a number in braces.
    private mutating func readNumber(_ text: Span<UInt8>, _ start: Int) {
        guard start < text.count else { return isCut = true }
        if text[start] == UInt8(ascii: "{") { readBraces(text, start + 1) } else { readHex(text, at: start) }
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
