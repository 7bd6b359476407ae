import TerminalText

/// A text in lines of so many columns at most, broken between words, or between characters of scripts without spaces. A
/// mark that closes does not begin a line.
struct Paragraph {
    private static let columns = 100
    private static let closing = Set("，。；：！？、）」』”’》")
    private let width = TextWidth()
    private(set) var lines = [""]
    private var used = 0

    init(_ text: String) {
        for (index, word) in text.split(separator: " ", omittingEmptySubsequences: false).enumerated() {
            var gap = index == 0 ? "" : " "
            for piece in pieces(of: word) {
                append(piece, after: gap)
                gap = ""
            }
        }
    }

    private mutating func append(_ piece: String, after gap: String) {
        let taken = width.columns(piece)
        if used > 0, used + gap.utf8.count + taken > Self.columns {
            lines.append(piece)
            used = taken
        } else {
            lines[lines.count - 1] += gap + piece
            used += gap.utf8.count + taken
        }
    }

    /// The parts of a word that stay together: a wide character is one by itself.
    private func pieces(of word: Substring) -> [String] {
        var (pieces, isOpen) = ([String](), false)
        for cluster in word {
            let isWide = width.columns(cluster) > 1
            if let last = pieces.indices.last, Self.closing.contains(cluster) || (isOpen && !isWide) {
                pieces[last].append(cluster)
            } else {
                pieces.append(String(cluster))
            }
            isOpen = !isWide
        }
        return pieces
    }
}
