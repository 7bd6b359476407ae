import LinuxSystem

/// One way to read the bytes of a text at a place: as a byte itself, or as an escape of one, or of one character.
///
///     URL                  %XX, %uXXXX, + for a blank; %25XX for a URL in a URL; quoted-printable =XX
///     JSON, C, Python, JS  \c for a mark, \n and its kin, \xXX, \NNN octal, \uXXXX, \UXXXXXXXX, \u{X}, \x{X}, each
///                          with up to eight backslashes, for a string within a string
///     HTML, XML            &amp; and its kin, &#N; &#xX;, each with up to three &amp; for its mark
///     shells, SQL, CSV     '\'' and '"'"' for ', '' and "" for one of them, $'\n' and its kin
///
/// A number of two digits is a byte, or a character beyond ASCII.
struct WrittenByte {
    /// The bytes, the first one lowest.
    private let bytes: UInt32
    /// How many they are; a character beyond ASCII has up to four in UTF-8.
    let count: Int
    /// How many bytes of the text it takes.
    let length: Int

    init(_ byte: UInt8, length: Int) { (bytes, count, self.length) = (UInt32(byte), 1, length) }

    init(_ character: Unicode.Scalar, length: Int) {
        bytes = String(character).utf8.enumerated().reduce(0) { $0 | UInt32($1.element) << UInt32($1.offset * 8) }
        (count, self.length) = (UTF8.width(character), length)
    }

    private init(bytes: UInt32, count: Int, length: Int) {
        (self.bytes, self.count, self.length) = (bytes, count, length)
    }

    /// The same with so many bytes more of the text.
    func lengthened(by more: Int) -> WrittenByte { WrittenByte(bytes: bytes, count: count, length: length + more) }

    func byte(at index: Int) -> UInt8 { UInt8(truncatingIfNeeded: bytes >> UInt32(index * 8)) }

    private static let mostBackslashes = 8

    /// All readings of a place, and whether more bytes could make another one.
    static func readings(_ text: Span<UInt8>, at place: Int) -> (found: [WrittenByte], isCut: Bool) {
        let (rest, byte) = (text.extracting(place...), text[place])
        var reader = EscapeReader()
        reader.found.append(WrittenByte(byte, length: 1))
        switch byte {
        case UInt8(ascii: "%"): reader.readPercent(rest)
        case UInt8(ascii: "="): reader.readHex(rest, at: 1)
        case UInt8(ascii: "$"): reader.readShellEscape(rest)
        case UInt8(ascii: "+"): reader.found.append(WrittenByte(UInt8(ascii: " "), length: 1))
        case UInt8(ascii: "\\"): reader.readBackslashes(rest, upTo: mostBackslashes)
        case UInt8(ascii: "&"): reader.readEntity(rest)
        case UInt8(ascii: "'"):
            for quoted in ["''", "'\\''", "'\"'\"'"] { reader.read(quoted, as: UInt8(ascii: "'"), rest) }
        case UInt8(ascii: "\""): reader.read("\"\"", as: UInt8(ascii: "\""), rest)
        default: break
        }
        return (reader.found, reader.isCut)
    }

    /// More in a row would hold back a stream.
    static let mostGaps = 16

    /// The bytes that may stand between two units without being a part of either. They are a terminal's sequence, the
    /// zero byte of UTF-16, a shell's quotation mark, and the end of a line. Between the bytes of a dump a blank or a
    /// colon stands.
    ///
    /// - Returns: their lengths, how many of ``mostGaps`` each counts for, and whether more bytes could make another.
    static func gaps(
        _ text: Span<UInt8>, at place: Int, in alphabet: MaskedForm.Alphabet
    ) -> (lengths: [Int], weight: Int32, isCut: Bool) {
        let (rest, byte, breaksLines) = (text.extracting(place...), text[place], alphabet != .bytes)
        var reader = EscapeReader()
        switch byte {
        case 0, 0x0D: return ([1], 8, false)
        case 0x0A where breaksLines:
            let end = reader.lineEnd(rest)
            return (end.lengths, 8, end.isCut)
        case UInt8(ascii: " "), UInt8(ascii: ":"): return (alphabet == .hexadecimal ? [1] : [], 8, false)
        case 0x1B:
            let sequence = reader.controlSequence(rest)
            return (sequence.lengths, 1, sequence.isCut)
        case UInt8(ascii: "'"), UInt8(ascii: "\""): return (breaksLines ? [] : [1], 4, false)
        case UInt8(ascii: "$") where !breaksLines: reader.read("$'", as: 0, rest)
        case UInt8(ascii: "="): for end in ["=\n", "=\r\n"] { reader.read(end, as: 0x0A, rest) }
        case UInt8(ascii: "\\") where breaksLines: for end in ["\\n", "\\r"] { reader.read(end, as: 0x0A, rest) }
        default: return ([], 0, false)
        }
        return (reader.found.map(\.length), 4, reader.isCut)
    }

    static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    /// A digit of base64 or of base64url (RFC 4648 sections 4 and 5).
    static func base64Digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }

    static let shortEscapes: [UInt8: UInt8] = [
        UInt8(ascii: "n"): 0x0A, UInt8(ascii: "r"): 0x0D, UInt8(ascii: "t"): 0x09, UInt8(ascii: "b"): 0x08,
        UInt8(ascii: "f"): 0x0C, UInt8(ascii: "v"): 0x0B, UInt8(ascii: "a"): 0x07, UInt8(ascii: "e"): 0x1B,
        UInt8(ascii: "E"): 0x1B,
    ]
    static let entities: [(name: String, byte: UInt8)] = [
        ("amp;", UInt8(ascii: "&")), ("lt;", UInt8(ascii: "<")), ("gt;", UInt8(ascii: ">")),
        ("quot;", UInt8(ascii: "\"")), ("apos;", UInt8(ascii: "'")),
    ]
}
