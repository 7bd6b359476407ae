/// Why bytes are not DER, or not the DER that was expected.
package enum DERError: Error, Equatable, Sendable {
    /// An element says that it is longer than what is left.
    case truncated(offset: Int)
    /// A length of indefinite form, or one that has a shorter form.
    case badLength(offset: Int)
    /// A tag that has a shorter form or no possible number, or a string in parts.
    case badTag(offset: Int)
    /// A value that the rules of its type do not allow.
    case badValue(offset: Int)
    /// Something follows the outermost element.
    case trailingBytes(offset: Int)
    /// There are more bytes, levels or elements than the limits allow.
    case tooLarge
    /// The structure is sound but not the one that was expected.
    case unexpected(offset: Int)
}

/// How much DER is read: what comes from outside must not cost more than it is worth.
package struct DERLimits: Sendable {
    package let bytes: Int
    package let depth: Int
    package let elements: Int

    /// Room for every certificate, key and name that is met: the largest certificates in use have some hundred
    /// kilobytes of names, and the deepest structure in X.509 some fifteen levels.
    package static let standard = DERLimits(bytes: 1 << 20, depth: 32, elements: 1 << 16)

    package init(bytes: Int, depth: Int, elements: Int) {
        (self.bytes, self.depth, self.elements) = (bytes, depth, elements)
    }
}
