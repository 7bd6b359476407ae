import LinuxSystem

/// Text in a value: UTF-8 without control characters other than tabs and line ends. Such a value can be
/// shown on a terminal without doing anything to it.
extension SecretBytes {
    var isText: Bool {
        withSpan { bytes in
            guard (try? UTF8Span(validating: bytes)) != nil else { return false }
            for index in bytes.indices where Self.isControl(bytes, index) { return false }
            return true
        }
    }

    /// Whether macOS's command writes it as it is.
    var isPrintableASCII: Bool {
        withSpan { bytes in
            for index in bytes.indices where !(0x20...0x7E).contains(bytes[index]) { return false }
            return true
        }
    }

    /// Whether it looks on a terminal as it is.
    var isShown: Bool {
        guard isText else { return false }
        var isShown = true
        withSpan { bytes in
            bytes.visitCharacters { scalar, _ in
                isShown = ForeignText.isShown(scalar) || scalar.isASCII
                return isShown
            }
        }
        return isShown
    }

    private static func isControl(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
        switch bytes[index] {
        case 0x09, 0x0A, 0x0D: false
        case 0..<0x20, 0x7F: true
        // U+0080 to U+009F: control characters that terminals obey.
        case 0x80...0x9F: index > 0 && bytes[index - 1] == 0xC2
        default: false
        }
    }
}

/// How a value that was piped into the command is told from what the pipe added.
///
/// It undoes what `find-generic-password -w` does: text goes out with a line end behind it, everything else as it is.
/// So a text loses one line end, and nothing else loses anything.
enum PipedSecret {
    static func unwrap(_ bytes: SecretBytes) -> SecretBytes {
        bytes.withSpan { span in
            guard bytes.isText, span.count > 0, span[span.count - 1] == lineFeed else { return bytes }
            let line = span.extracting(..<(span.count - 1))
            return SecretBytes(copying: isRepeated(line) ? line.extracting(..<(line.count / 2)) : line)
        }
    }

    /// Whether there are two equal lines: programs written for macOS answer its two prompts, the second of which says
    /// retype.
    private static func isRepeated(_ text: Span<UInt8>) -> Bool {
        let half = text.count / 2
        guard half > 0, text.count % 2 == 1, text[half] == lineFeed else { return false }
        return text.extracting(..<half).isEqual(to: text.extracting((half + 1)...))
    }

    private static let lineFeed = UInt8(ascii: "\n")
}
