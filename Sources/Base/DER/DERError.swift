/// Why bytes are not DER, or not the DER that was expected.
package enum DERError: Error, Equatable, Sendable {
    /// An element is longer than the remaining bytes.
    case truncated(offset: Int)
    /// A length of indefinite form, or one that has a shorter form.
    case badLength(offset: Int)
    /// A tag that has a shorter form or an impossible number, or a string in parts.
    case badTag(offset: Int)
    /// A value that the rules of its type do not allow.
    case badValue(offset: Int)
    /// Something follows the outermost element.
    case trailingBytes(offset: Int)
    /// There are more bytes, levels or elements than the limits allow.
    case tooLarge
    /// The structure is valid DER but not the expected one.
    case unexpected(offset: Int)

    /// The reason in words, with the offset in bytes.
    package var reason: String {
        switch self {
        case .truncated(let offset): "the element at byte \(offset) is longer than the data"
        case .badLength(let offset): "the length at byte \(offset) is indefinite, or has a shorter form"
        case .badTag(let offset): "the tag at byte \(offset) has a shorter form, or is none"
        case .badValue(let offset): "the value at byte \(offset) is not allowed for its type"
        case .trailingBytes(let offset): "something follows the outermost element at byte \(offset)"
        case .tooLarge: "it has more bytes, levels or elements than are read"
        case .unexpected(let offset): "the element at byte \(offset) is not the one that stands there in a certificate"
        }
    }
}

/// The limits of parsing. They bound the cost of input from outside.
package struct DERLimits: Sendable {
    package let bytes: Int
    package let depth: Int
    package let elements: Int

    /// Room for every certificate, key and name in use. The largest certificates have some hundred kilobytes of names,
    /// and the deepest structure in X.509 has some fifteen levels.
    package static let standard = DERLimits(bytes: 1 << 20, depth: 32, elements: 1 << 16)

    package init(bytes: Int, depth: Int, elements: Int) {
        (self.bytes, self.depth, self.elements) = (bytes, depth, elements)
    }
}
