/// A text that somebody else supplied, such as the path of a program, made fit to be shown: in a prompt, by the
/// command, in a log.
///
/// What is shown is one line of bounded length. It steers no terminal, does not turn the direction of what is written
/// around it, hides nothing in itself, and covers nothing beside it: no program can fake a line of ours, or look like
/// another program.
package enum ForeignText {
    /// As long as the longest path: more than that is nothing that somebody reads.
    package static let lineBytes = 4096
    /// As many as any writing needs on one letter; a heap of them covers the lines above and below.
    private static let mostMarks = 4
    private static let gap = "[...]"

    /// A text as it is shown.
    ///
    /// - Parameters:
    ///   - limit: bytes. What is longer keeps its beginning and its end around a mark that something was left out: the beginning of a
    ///     path says in whose folder it is, and the end which file.
    ///   - inQuotes: whether it stands in quotation marks, which then are ours alone.
    package static func shown(_ text: String, limit: Int = lineBytes, inQuotes: Bool = false) -> String {
        if isPlain(text, inQuotes), text.utf8.count <= limit { return text }
        // Of what is longer by far than anything that could be shown, the middle is not even looked at.
        let scalars = text.unicodeScalars
        let most = limit * 4
        guard let gapStart = scalars.index(scalars.startIndex, offsetBy: most, limitedBy: scalars.endIndex),
            let gapEnd = scalars.index(scalars.endIndex, offsetBy: -most, limitedBy: gapStart)
        else { return shorten(clean(scalars[...], inQuotes), to: limit) }
        let (head, tail) = (clean(scalars[..<gapStart], inQuotes), clean(scalars[gapEnd...], inQuotes))
        return shorten(head + tail, to: limit)
    }

    /// Lines of ours that may have foreign text in them: what ``shown(_:limit:inQuotes:)`` makes of what is between
    /// line ends and tabs, however long it is.
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

    /// Whether a character is shown as it is, wherever it stands.
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
            // A mark at the beginning would be set on what stands before the text.
            marks = !scalar.isMark ? 0 : shown.isEmpty ? mostMarks + 1 : marks + 1
            if marks <= mostMarks {
                shown.append(replacement(for: scalar, inQuotes: inQuotes))
            } else if marks == mostMarks + 1 {
                shown.append("\u{FFFD}")
            }
        }
        return shown
    }

    /// Spaces of any kind become a space; what is invisible, ends a line, steers a terminal or turns the direction of
    /// writing becomes a visible mark.
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
        // A letter of Braille without a dot.
        return scalar == "\u{2800}" ? " " : scalar
    }

    /// Cuts the middle out of what is too long, and no letter from its marks.
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

    /// How many characters fit.
    private static func fitting(_ text: [Unicode.Scalar], in room: Int) -> Int {
        var size = 0
        return text.prefix { scalar in
            size += UTF8.width(scalar)
            return size <= room
        }.count
    }
}

extension Unicode.Scalar {
    /// Whether it is set on the letter before it.
    fileprivate var isMark: Bool {
        guard value >= 0x300 else { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark, .enclosingMark: return true
        default: return false
        }
    }
}
