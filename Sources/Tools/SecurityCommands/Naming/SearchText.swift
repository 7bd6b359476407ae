@_spi(_Unicode) import Swift

/// Text as people search for it: without the difference of capitals and small letters, and of full-width forms. A part
/// of it is found without the accents of its letters too.
///
/// Folded are case (Unicode's small letters, which leave ß as it is; ς is σ, and İ is i), the full-width forms U+FF01
/// to U+FF5E and the ideographic space. Characters that are canonically equivalent are equal. Other compatibility
/// forms, such as ligatures and half-width katakana, stay apart. It is an object, so that a search through many items
/// counts one reference and not one for each part.
final class SearchText: Sendable {
    /// The folded text in UTF-8 (normal form C), by which lists are searched and sorted.
    let bytes: [UInt8]
    /// The same without accents, by which parts are found.
    private let plain: [UInt8]

    init(_ text: String) { (bytes, plain) = (Self.folded(text), Self.plain(text)) }

    /// Whether both are the same text.
    func isEqual(to other: SearchText) -> Bool { bytes == other.bytes }

    /// Whether a part of this text is the other one, accents apart.
    func contains(_ other: SearchText) -> Bool { other.isPart(of: plain, plain.indices) }

    /// Whether the text is a part of bytes, which have no accents and are folded but for ASCII capitals.
    func isPart(of text: [UInt8], _ range: Range<Int>) -> Bool { Self.isPart(plain, of: text, range) }

    /// Whether the text is all of bytes, which are folded but for ASCII capitals.
    func isWhole(_ text: [UInt8], _ range: Range<Int>) -> Bool {
        bytes.count == range.count && Self.isPart(bytes, of: text, range)
    }

    private static func isPart(_ bytes: [UInt8], of text: [UInt8], _ range: Range<Int>) -> Bool {
        guard let first = bytes.first else { return true }
        guard bytes.count <= range.count else { return false }
        for start in range.lowerBound...(range.upperBound - bytes.count) where text[start].folded == first {
            if bytes.indices.allSatisfy({ text[start + $0].folded == bytes[$0] }) { return true }
        }
        return false
    }
}

/// Folding.
extension SearchText {
    /// The folded text in UTF-8. The standard library has the normal form for its own comparisons, and gives it out
    /// under this name alone; a library such as ICU would bring the same tables a second time.
    static func folded(_ text: String) -> [UInt8] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.map(\.folded) }
        return String(withOneForm(narrow(text).lowercased()))._nfcCodeUnits
    }

    /// The folded text without the marks of U+0300 to U+036F, which Latin, Greek and Cyrillic letters have. Those of
    /// other scripts are letters to their readers, and stay.
    static func plain(_ text: String) -> [UInt8] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.map(\.folded) }
        var letters = String.UnicodeScalarView()
        for scalar in String(decoding: folded(text), as: UTF8.self)._nfd where !(0x300...0x36F).contains(scalar.value) {
            letters.append(scalar)
        }
        return String(letters)._nfcCodeUnits
    }

    private static func narrow(_ text: String) -> String {
        var narrow = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0xFF01...0xFF5E: narrow.append(Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar)
            case 0x3000: narrow.append(" ")
            default: narrow.append(scalar)
            }
        }
        return String(narrow)
    }

    /// The letters that have two small forms have one: σ, at the end of a word too, and i, that of İ with its dot too.
    private static func withOneForm(_ text: String) -> String.UnicodeScalarView {
        var folded = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "ς": folded.append("σ")
            case "\u{307}" where folded.last == "i": break
            default: folded.append(scalar)
            }
        }
        return folded
    }
}

extension UInt8 {
    /// The small letter of an ASCII capital; everything else as it is.
    @inline(__always) var folded: UInt8 { 0x41 <= self && self <= 0x5A ? self | 0x20 : self }
}
