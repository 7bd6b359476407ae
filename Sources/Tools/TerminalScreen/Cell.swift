/// How a cell looks beyond its character. Nothing is said by it alone.
package struct CellStyle: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let bold = CellStyle(rawValue: 1)
    package static let underlined = CellStyle(rawValue: 2)
    package static let reversed = CellStyle(rawValue: 4)
}

/// One place of a screen.
package struct Cell: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        case character(Character)
        /// The second column of the wide character on its left.
        case covered
        /// A character of a secret. The grid never has the secret itself.
        case secret
    }

    package var content: Content
    package var style: CellStyle

    package init(_ content: Content, _ style: CellStyle = []) { (self.content, self.style) = (content, style) }

    package static let blank = Cell(.character(" "))
}
