/// Makes a text from outside, such as the path of a program, safe to show: in a prompt, by the command, in a log.
///
/// The result is one line of bounded length. It cannot control a terminal, change the direction of the text around it,
/// hide a part of itself, or cover other text. No program can use it to fake a line of this project, or to look like
/// another program.
package enum ForeignText {
    /// The length of the longest path; nobody reads a longer line.
    package static let lineBytes = 4096
    /// More combining marks than any script needs on one letter. A pile of them would cover the lines above and below.
    private static let mostMarks = 4
    private static let gap = "[...]"

    /// The text in the form in which it is shown.
    ///
    /// - Parameters:
    ///   - limit: in bytes. A longer text keeps its beginning and its end around a mark. The beginning of a path says
    ///     in whose folder it is, and the end says which file.
    ///   - inQuotes: whether it stands in quotation marks; it then cannot contain any itself.
    package static func shown(_ text: String, limit: Int = lineBytes, inQuotes: Bool = false) -> String {
        if isPlain(text, inQuotes), text.utf8.count <= limit { return text }
        // The middle of a much longer text is not even read.
        let scalars = text.unicodeScalars
        let most = limit * 4
        guard let gapStart = scalars.index(scalars.startIndex, offsetBy: most, limitedBy: scalars.endIndex),
            let gapEnd = scalars.index(scalars.endIndex, offsetBy: -most, limitedBy: gapStart)
        else { return shorten(clean(scalars[...], inQuotes), to: limit) }
        let (head, tail) = (clean(scalars[..<gapStart], inQuotes), clean(scalars[gapEnd...], inQuotes))
        return shorten(head + tail, to: limit)
    }

    /// Lines of this project that may contain text from outside. It applies ``shown(_:limit:inQuotes:)`` to the text
    /// between line ends and tabs, of any length.
    package static func lines(_ text: String) -> String {
        if text.utf8.allSatisfy({ isPlain($0) || $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\t") }) { return text }
        let parts = text.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\t" }
        var shown = String.UnicodeScalarView()
        for part in parts {
            shown.append(contentsOf: clean(part, false))
            if part.endIndex < text.endIndex { shown.append(text.unicodeScalars[part.endIndex]) }
        }
        return String(shown)
    }

    /// Whether a character is shown unchanged in every place.
    package static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        replacement(for: scalar, inQuotes: false) == scalar
    }

    private static func isPlain(_ text: String, _ inQuotes: Bool) -> Bool {
        text.utf8.allSatisfy { isPlain($0) && !(inQuotes && $0 == UInt8(ascii: "\"")) }
    }

    private static func isPlain(_ byte: UInt8) -> Bool { (0x20..<0x7F).contains(byte) }

    private static func clean(_ text: Substring.UnicodeScalarView, _ inQuotes: Bool) -> [Unicode.Scalar] {
        var (shown, marks) = ([Unicode.Scalar](), 0)
        for scalar in text {
            // A combining mark at the beginning would modify the character before the text.
            marks = !scalar.isMark ? 0 : shown.isEmpty ? mostMarks + 1 : marks + 1
            if marks <= mostMarks {
                shown.append(replacement(for: scalar, inQuotes: inQuotes))
            } else if marks == mostMarks + 1 {
                shown.append("\u{FFFD}")
            }
        }
        return shown
    }

    /// The replacement of a character. Spaces of any kind become a space. Characters that are invisible, end a line,
    /// control a terminal or change the direction of writing become a visible mark.
    private static func replacement(for scalar: Unicode.Scalar, inQuotes: Bool) -> Unicode.Scalar {
        if inQuotes, "\"\u{201C}\u{201D}\u{201E}\u{201F}\u{FF02}".unicodeScalars.contains(scalar) { return "'" }
        if (0x20..<0x7F).contains(scalar.value) { return scalar }
        let properties = scalar.properties
        switch properties.generalCategory {
        case .spaceSeparator: return " "
        case .control, .lineSeparator, .paragraphSeparator, .format, .privateUse, .surrogate, .unassigned:
            return "\u{FFFD}"
        default: break
        }
        if properties.isDefaultIgnorableCodePoint { return "\u{FFFD}" }
        // This is a letter of Braille without a dot.
        return scalar == "\u{2800}" ? " " : scalar
    }

    /// Cuts out the middle of a text that is too long, without separating a letter from its marks.
    private static func shorten(_ text: [Unicode.Scalar], to limit: Int) -> String {
        let size = text.reduce(0) { $0 + UTF8.width($1) }
        guard size > limit else { return String(String.UnicodeScalarView(text)) }
        let room = max(0, limit - gap.utf8.count)
        var head = text.prefix(fitting(text, in: room * 2 / 3))
        var tail = text.suffix(fitting(text.reversed(), in: room - room * 2 / 3))
        if let next = text.dropFirst(head.count).first, next.isMark {
            while let last = head.popLast(), last.isMark {}
        }
        tail = tail.drop { $0.isMark }
        return String(String.UnicodeScalarView(head)) + gap + String(String.UnicodeScalarView(tail))
    }

    /// The number of characters that fit.
    private static func fitting(_ text: [Unicode.Scalar], in room: Int) -> Int {
        var size = 0
        return text.prefix { scalar in
            size += UTF8.width(scalar)
            return size <= room
        }.count
    }
}

extension Unicode.Scalar {
    /// Whether it combines with the letter before it.
    fileprivate var isMark: Bool {
        guard value >= 0x300 else { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }
}
