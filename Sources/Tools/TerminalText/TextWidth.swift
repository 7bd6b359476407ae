/// The columns that a text takes on a terminal, by clusters of characters (UAX #29) and their East Asian
/// width (UAX #11).
///
/// The table is this project's own, because the C library's depends on the locale. The text has no control characters.
package struct TextWidth: Sendable {
    /// The columns of a character whose width depends on the font: 1 or 2.
    package let ambiguous: Int

    /// - Parameter ambiguous: 2 for a terminal with a font for East Asia; every other number means 1.
    package init(ambiguous: Int = 1) { self.ambiguous = ambiguous == 2 ? 2 : 1 }

    /// The columns of a text.
    package func columns(_ text: String) -> Int {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text.utf8.count }
        return text.reduce(0) { $0 + columns($1) }
    }

    /// The columns of one cluster. An emoji has two, however many characters it is made of.
    package func columns(_ cluster: Character) -> Int {
        let scalars = cluster.unicodeScalars
        guard let first = scalars.first, scalars.count > 1 else { return scalars.first.map(columns) ?? 0 }
        if first.properties.isEmoji, scalars.contains(where: \.isEmojiForm) { return 2 }
        return scalars.reduce(0) { $0 + columns($1) }
    }

    /// The columns of one character by itself.
    private func columns(_ scalar: Unicode.Scalar) -> Int {
        if (0x20..<0x7F).contains(scalar.value) { return 1 }
        if Self.contains(WidthTable.zero, scalar.value) { return 0 }
        if Self.contains(WidthTable.wide, scalar.value) { return 2 }
        return Self.contains(WidthTable.ambiguous, scalar.value) ? ambiguous : 1
    }

    /// Whether one of the ranges contains the number.
    private static func contains(_ ranges: [UInt32], _ number: UInt32) -> Bool {
        var (low, high) = (0, ranges.count / 2)
        while low < high {
            let middle = (low + high) / 2
            if number > ranges[2 * middle + 1] { low = middle + 1 } else { high = middle }
        }
        return low < ranges.count / 2 && ranges[2 * low] <= number
    }
}

extension TextWidth {
    /// The mark of a text that was cut.
    private static let mark = "…"

    /// The text in at most so many columns. A longer one loses its end, at the border of a cluster, and gets a mark.
    package func cut(_ text: String, to limit: Int) -> String {
        guard columns(text) > limit else { return text }
        let room = limit - columns(Self.mark)
        guard room >= 0 else { return "" }
        var (kept, used) = ("", 0)
        for cluster in text {
            used += columns(cluster)
            if used > room { break }
            kept.append(cluster)
        }
        return kept + Self.mark
    }

    /// The text with blanks behind it, so that it takes exactly so many columns; a longer one is cut.
    package func fit(_ text: String, to width: Int) -> String {
        let short = cut(text, to: width)
        return short + String(repeating: " ", count: max(0, width - columns(short)))
    }
}

extension Unicode.Scalar {
    /// Whether the character makes an emoji of the one before it: the selector of its coloured form, the joiner, a tone
    /// of skin, or the second letter of a flag.
    fileprivate var isEmojiForm: Bool {
        value == 0xFE0F || value == 0x200D || properties.isEmojiModifier || (0x1F1E6...0x1F1FF).contains(value)
    }
}
