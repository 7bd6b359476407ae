/// A text that a program or a module supplies, made harmless: it is one line, of bounded length, and can neither steer a
/// terminal nor turn the direction of what is written around it, so that no program can fake a line of ours.
enum ForeignText {
    /// Bytes; all of a description must fit into one line of Assuan (1000 bytes).
    static let reasonBytes = 360
    static let nameBytes = 120
    static let titleBytes = 60

    /// - Parameter keepingEnd: what is too long loses its beginning, as suits a path, rather than its end.
    static func clean(_ text: String, limit: Int, keepingEnd: Bool = false) -> String {
        var scalars = String.UnicodeScalarView()
        // Whatever is longer by far than anything that could be shown is not even looked at.
        let source = keepingEnd ? text.unicodeScalars.suffix(limit * 4) : text.unicodeScalars.prefix(limit * 4)
        for scalar in source {
            let shown = replacement(for: scalar)
            if shown == " ", scalars.isEmpty || scalars.last == " " { continue }
            scalars.append(shown)
        }
        if scalars.last == " " { scalars.removeLast() }
        return shorten(String(scalars), to: limit, keepingEnd: keepingEnd)
    }

    /// Control characters, line ends and spaces of any kind become a space; what is invisible or turns the direction of
    /// writing becomes a visible mark; our quotation marks become others, so that a quotation ends where we end it.
    private static func replacement(for scalar: Unicode.Scalar) -> Unicode.Scalar {
        let properties = scalar.properties
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: return " "
        case .format, .privateUse, .surrogate, .unassigned: return "\u{FFFD}"
        default: break
        }
        if properties.isDefaultIgnorableCodePoint { return "\u{FFFD}" }
        return scalar == "\"" || scalar == "“" || scalar == "”" ? "'" : scalar
    }

    private static func shorten(_ text: String, to limit: Int, keepingEnd: Bool) -> String {
        guard text.utf8.count > limit else { return text }
        let mark = "..."
        var (kept, size) = ([Character](), mark.utf8.count)
        let characters = keepingEnd ? Array(text.reversed()) : Array(text)
        for character in characters {
            size += character.utf8.count
            if size > limit { break }
            kept.append(character)
        }
        return keepingEnd ? mark + String(kept.reversed()) : String(kept) + mark
    }
}
