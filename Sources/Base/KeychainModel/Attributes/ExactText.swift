/// A text that is another one only if both have the same bytes.
///
/// Two `String`s are equal where Unicode calls them equivalent: in a dictionary of theirs one name would take the place
/// of the other.
package struct ExactText: Hashable, Comparable, Sendable, ExpressibleByStringLiteral {
    package let text: String

    package init(_ text: String) { self.text = text }

    package init(stringLiteral text: String) { self.text = text }

    package var isEmpty: Bool { text.isEmpty }
    package var size: Int { text.utf8.count }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    package static func < (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(size)
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension Sequence<String> {
    /// Whether a text is among these, by its bytes: to a group, a program or a file another spelling is another name.
    package func containsExactly(_ text: String) -> Bool {
        contains { $0.utf8.count == text.utf8.count && $0.utf8.elementsEqual(text.utf8) }
    }
}
