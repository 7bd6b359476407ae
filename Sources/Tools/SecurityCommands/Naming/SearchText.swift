/// Text as people search for it: without the difference of capitals and small letters, and of full-width forms.
///
/// Folded are case (Unicode's small letters, which leave ß as it is), the full-width forms U+FF01 to U+FF5E and the
/// ideographic space. Characters that are canonically equivalent are equal. Other compatibility forms, such as
/// ligatures and half-width katakana, stay apart.
struct SearchText {
    private let folded: String
    private let isASCII: Bool

    init(_ text: String) {
        let narrow = text.utf8.allSatisfy { $0 < 0x80 } ? text : Self.narrow(text)
        folded = narrow.lowercased()
        isASCII = folded.utf8.allSatisfy { $0 < 0x80 }
    }

    /// Whether both are the same text.
    func isEqual(to other: SearchText) -> Bool { folded == other.folded }

    /// Whether a part of this text is the other one.
    func contains(_ other: SearchText) -> Bool {
        if other.folded.isEmpty { return true }
        if isASCII { return other.isASCII && Self.contains(Array(folded.utf8), Array(other.folded.utf8)) }
        return folded.contains(other.folded)
    }

    /// Whether this text comes first in a sorted list.
    static func < (left: SearchText, right: SearchText) -> Bool { left.folded < right.folded }

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

    private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        guard part.count <= text.count else { return false }
        return (0...(text.count - part.count)).contains { start in
            part.indices.allSatisfy { text[start + $0] == part[$0] }
        }
    }
}
