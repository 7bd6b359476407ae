/// The structure of one DER element (X.690 sections 8 and 10), checked as a whole when it is made.
///
/// It holds places, not bytes: whoever asks it for a value lends the bytes it was made of, so that a secret stays where
/// it is. Strings, times and the order within sets are not judged here: certificates with slips in them are in use
/// everywhere, and their bytes are signed as they are.
package struct DERElement: Sendable {
    package let tag: DERTag
    /// The whole element: tag, length and content.
    package let encoding: Range<Int>
    /// What is behind tag and length.
    package let content: Range<Int>
    /// The elements within; none in a primitive element.
    package let children: [DERElement]

    /// Parses bytes that must be exactly one element.
    ///
    /// - Throws: `DERError`: no byte sequence does more.
    package init(parsing bytes: Span<UInt8>, limits: DERLimits = .standard) throws(DERError) {
        var scanner = try DERScanner(bytes, limits: limits)
        self = try scanner.element(in: bytes, end: bytes.count, depth: 0)
        guard scanner.position == bytes.count else { throw .trailingBytes(offset: scanner.position) }
    }

    init(tag: DERTag, encoding: Range<Int>, content: Range<Int>, children: [DERElement]) {
        self.tag = tag
        self.encoding = encoding
        self.content = content
        self.children = children
    }

    /// The element's own refusal, for a structure that is not the expected one.
    package var unexpected: DERError { .unexpected(offset: encoding.lowerBound) }

    /// The elements within, if the element has this tag.
    ///
    /// - Throws: `DERError.unexpected`.
    package func children(of tag: DERTag) throws(DERError) -> DERSequence {
        guard self.tag == tag else { throw unexpected }
        return DERSequence(self)
    }
}

/// The elements within a constructed one, taken one after the other.
package struct DERSequence: Sendable {
    private var rest: ArraySlice<DERElement>
    private let end: Int

    init(_ element: DERElement) {
        rest = element.children[...]
        end = element.content.upperBound
    }

    package var isAtEnd: Bool { rest.isEmpty }

    /// The next element, whatever it is.
    ///
    /// - Throws: `DERError.unexpected` when there is none.
    package mutating func next() throws(DERError) -> DERElement {
        guard let first = rest.popFirst() else { throw .unexpected(offset: end) }
        return first
    }

    /// The next element, which must have this tag.
    ///
    /// - Throws: `DERError.unexpected` when it has not, or there is none.
    package mutating func next(_ tag: DERTag) throws(DERError) -> DERElement {
        let element = try next()
        guard element.tag == tag else { throw element.unexpected }
        return element
    }

    /// The next element if it has this tag; otherwise nil, and it stays.
    package mutating func optional(_ tag: DERTag) -> DERElement? {
        guard let first = rest.first, first.tag == tag else { return nil }
        rest.removeFirst()
        return first
    }

    /// Nothing may be left.
    ///
    /// - Throws: `DERError.unexpected` when something is.
    package func finish() throws(DERError) {
        if let first = rest.first { throw first.unexpected }
    }
}
