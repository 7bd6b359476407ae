/// A quick answer to whether a secret may begin at a place; it may be wrong with yes, never with no.
struct FormBeginnings {
    private var isFirst = [Bool](repeating: false, count: 256)
    /// By the first two bytes.
    private var isPair = [Bool](repeating: false, count: 1 << 16)

    init(_ forms: [MaskedForm]) {
        for form in forms {
            let (first, second) = (form.alternatives(at: 0), form.alternatives(at: 1))
            for byte in first {
                add(byte, followers: Self.escapes + second)
                if byte == UInt8(ascii: " ") { add(UInt8(ascii: "+"), followers: Self.escapes + second) }
                // A byte beyond ASCII is also a part of a character that has a number.
                let digits = byte < 0x80 ? Self.digits(byte >> 4) : "0123456789abcdefABCDEF"
                for mark in "%=".utf8 { add(mark, followers: Array((digits + "2uU").utf8)) }
                add(UInt8(ascii: "\\"), followers: Self.behindBackslash(byte))
                add(UInt8(ascii: "&"), followers: Array("#aglq".utf8))
                add(UInt8(ascii: "$"), followers: [UInt8(ascii: "'")])
                if byte == UInt8(ascii: "'") { add(byte, followers: Array("'\\\"".utf8)) }
                if byte == UInt8(ascii: "\"") { add(byte, followers: [byte]) }
            }
        }
    }

    func mayBegin(_ bytes: Span<UInt8>, at offset: Int) -> Bool {
        guard isFirst[Int(bytes[offset])] else { return false }
        return bytes.count - offset < 2 || isPair[Int(bytes[offset]) << 8 | Int(bytes[offset + 1])]
    }

    private mutating func add(_ first: UInt8, followers: [UInt8]) {
        isFirst[Int(first)] = true
        for second in followers { isPair[Int(first) << 8 | Int(second)] = true }
    }

    /// The bytes with which an escape, or what stands between two bytes, begins.
    private static let escapes = Array("%=+\\&'\"$\r\n\0\u{1B} :".utf8)

    private static func behindBackslash(_ byte: UInt8) -> [UInt8] {
        let letters = WrittenByte.shortEscapes.filter { $0.value == byte }.map(\.key)
        return Array("\\xuU".utf8) + [UInt8(ascii: "0") + byte >> 6, byte] + letters
    }

    private static func digits(_ value: UInt8) -> String {
        let digit = String(value, radix: 16)
        return digit + digit.uppercased()
    }
}
