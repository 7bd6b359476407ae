import LinuxSystem

/// A file of variables: `NAME=VALUE` on each line, read without executing anything.
///
///     line    = [ "export " ] NAME "=" value [ comment ] | comment | ""
///     value   = plain | "'" any "'" | '"' any or escape '"'
///     escape  = "\" ( "\" | '"' | "n" | "t" )
///     comment = "#" any, at the beginning or behind a blank
///
/// Nothing is expanded, and no value has a zero byte. Of a name that stands twice the later value counts.
enum EnvironmentFile {
    struct Line {
        let number: Int
        let name: String
        let value: SecretBytes
    }

    /// Why a file cannot be read; the problem never contains its text.
    struct Malformed: Error {
        let line: Int
        let problem: String
    }

    /// - Throws: ``Malformed`` for the first line that is none of the above.
    static func parse(_ file: SecretBytes) throws(Malformed) -> [Line] {
        try file.withSpan { (bytes) throws(Malformed) in
            var (lines, number, start) = ([Line](), 0, 0)
            while start < bytes.count {
                var end = start
                while end < bytes.count, bytes[end] != lineFeed { end += 1 }
                number += 1
                if let line = try parse(line: bytes.extracting(trimmed(bytes, start..<end)), number) {
                    lines.append(line)
                }
                start = end + 1
            }
            return lines
        }
    }

    /// Longer than any name that a program looks for, and short enough to be read.
    static let longestName = 128

    /// Whether a text can be the name of a variable (POSIX.1-2017, XBD 3.235).
    static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return text.utf8.allSatisfy { byte in
            byte == UInt8(ascii: "_") || (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte)
        }
    }

    private static let lineFeed = UInt8(ascii: "\n")

    private static func parse(line: Span<UInt8>, _ number: Int) throws(Malformed) -> Line? {
        guard line.count > 0, line[0] != UInt8(ascii: "#") else { return nil }
        var start = 0
        let export = Array("export ".utf8)
        if line.count > export.count, export.indices.allSatisfy({ line[$0] == export[$0] }) { start = export.count }
        var equals = start
        while equals < line.count, line[equals] != UInt8(ascii: "=") { equals += 1 }
        guard equals < line.count, let name = line.text(start, equals - start), isName(name) else {
            throw Malformed(line: number, problem: "it is not NAME=VALUE")
        }
        guard name.utf8.count <= longestName else {
            throw Malformed(line: number, problem: "its name has more than \(longestName) bytes")
        }
        let value = try value(line.extracting((equals + 1)...), number)
        let hasZero = value.withSpan { bytes in bytes.indices.contains { bytes[$0] == 0 } }
        guard !hasZero else { throw Malformed(line: number, problem: "its value has a zero byte") }
        return Line(number: number, name: name, value: value)
    }

    private static func value(_ text: Span<UInt8>, _ number: Int) throws(Malformed) -> SecretBytes {
        let value = SecretBuffer(capacity: text.count)
        guard text.count > 0, text[0] == UInt8(ascii: "\"") || text[0] == UInt8(ascii: "'") else {
            return plain(text)
        }
        var offset = 1
        while offset < text.count, text[offset] != text[0] {
            if text[0] == UInt8(ascii: "\""), text[offset] == UInt8(ascii: "\\") {
                offset += 1
                guard offset < text.count, let byte = escapes[text[offset]] else {
                    throw Malformed(line: number, problem: "a backslash stands before none of \\ \" n t")
                }
                value.append(byte)
            } else {
                value.append(text[offset])
            }
            offset += 1
        }
        guard offset < text.count else { throw Malformed(line: number, problem: "its quotation mark is not closed") }
        let rest = trimmed(text, offset + 1..<text.count)
        guard rest.isEmpty || text[rest.lowerBound] == UInt8(ascii: "#") else {
            throw Malformed(line: number, problem: "something stands behind the closing quotation mark")
        }
        return value.finish()
    }

    /// A value without quotation marks ends before a comment.
    private static func plain(_ text: Span<UInt8>) -> SecretBytes {
        var end = 0
        while end < text.count {
            if text[end] == UInt8(ascii: "#"), end == 0 || isBlank(text[end - 1]) { break }
            end += 1
        }
        return SecretBytes(copying: text.extracting(trimmed(text, 0..<end)))
    }

    private static let escapes: [UInt8: UInt8] = [
        UInt8(ascii: "\\"): UInt8(ascii: "\\"), UInt8(ascii: "\""): UInt8(ascii: "\""),
        UInt8(ascii: "n"): lineFeed, UInt8(ascii: "t"): UInt8(ascii: "\t"),
    ]

    /// A range without the blanks at its ends.
    private static func trimmed(_ text: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
        var (start, end) = (range.lowerBound, range.upperBound)
        while start < end, isBlank(text[start]) { start += 1 }
        while end > start, isBlank(text[end - 1]) { end -= 1 }
        return start..<end
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }
}
