import LinuxSystem

/// A line that a pinentry says (the Assuan protocol, as libassuan's manual has it).
enum AssuanLine {
    case ok
    /// The number of the error, without its source.
    case error(UInt32)
    /// Percent-encoding is undone.
    case data(SecretBytes)
    /// `S name ...`.
    case status(String)
    case comment

    /// The longest line; longer ones break the protocol.
    static let limit = 1000

    /// Reads a line without its end; nil when it breaks the protocol.
    init?(_ line: SecretBytes) {
        if line.count > Self.limit { return nil }
        switch line.withSpan({ Self.word($0) }) {
        case "OK": self = .ok
        case "ERR":
            guard let number = line.withSpan({ Self.number($0.extracting(min(4, $0.count)...)) }) else { return nil }
            self = .error(number & 0xffff)
        case "D":
            guard let data = line.withSpan({ Self.decoded($0.extracting(min(2, $0.count)...)) }) else { return nil }
            self = .data(data)
        case "S": self = .status(line.withSpan { Self.word($0.extracting(min(2, $0.count)...)) })
        default:
            guard line.count == 0 || line.withSpan({ $0[0] == UInt8(ascii: "#") }) else { return nil }
            self = .comment
        }
    }

    /// The first word of a line that is none of a secret.
    private static func word(_ line: Span<UInt8>) -> String {
        var word = ""
        for index in line.indices where word.utf8.count < 32 {
            let byte = line[index]
            guard byte > 0x20, byte < 0x7F else { break }
            word.unicodeScalars.append(Unicode.Scalar(byte))
        }
        return word
    }

    private static func number(_ text: Span<UInt8>) -> UInt32? {
        var number: UInt32?
        for index in text.indices {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[index]) else { break }
            let (product, isTooLarge) = (number ?? 0).multipliedReportingOverflow(by: 10)
            let (sum, isTooLargeToo) = product.addingReportingOverflow(UInt32(text[index] - UInt8(ascii: "0")))
            if isTooLarge || isTooLargeToo { return nil }
            number = sum
        }
        return number
    }

    private static func decoded(_ text: Span<UInt8>) -> SecretBytes? {
        let buffer = SecretBuffer(capacity: text.count)
        var index = 0
        while index < text.count {
            guard text[index] == UInt8(ascii: "%") else {
                buffer.append(text[index])
                index += 1
                continue
            }
            guard index + 2 < text.count, let high = nibble(text[index + 1]), let low = nibble(text[index + 2]) else {
                return nil
            }
            buffer.append(high << 4 | low)
            index += 3
        }
        return buffer.finish()
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        Character(Unicode.Scalar(digit)).hexDigitValue.map(UInt8.init)
    }

    /// A text as the argument of a command.
    static func encoded(_ text: String) -> [UInt8] {
        var line: [UInt8] = []
        for byte in text.utf8 {
            if byte >= 0x20, byte != UInt8(ascii: "%"), byte != 0x7F {
                line.append(byte)
            } else {
                line.append(UInt8(ascii: "%"))
                line += [byte >> 4, byte & 0xf].map { $0 < 10 ? UInt8(ascii: "0") + $0 : UInt8(ascii: "A") - 10 + $0 }
            }
        }
        return line
    }
}
