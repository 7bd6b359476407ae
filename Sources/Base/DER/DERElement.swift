/// The structure of one DER element (X.690 sections 8 and 10), checked as a whole when it is made.
///
/// It holds offsets, not bytes: the caller passes the parsed bytes again to read a value, so that a secret stays in one
/// place. Strings, times and the order within sets are not checked here. Many certificates in use have mistakes in
/// them, and their signatures cover the bytes as they are.
package struct DERElement: Sendable {
    package let tag: DERTag
    /// The whole element: tag, length and content.
    package let encoding: Range<Int>
    /// The bytes behind tag and length.
    package let content: Range<Int>
    /// The elements within; a primitive element has none.
    package let children: [DERElement]

    /// Parses bytes that must be exactly one element.
    ///
    /// - Throws: `DERError` for everything else; no input ends the process.
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

    /// The error for a structure that is not the expected one, at this element.
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

    /// Checks that nothing is left.
    ///
    /// - Throws: `DERError.unexpected` when an element is left.
    package func finish() throws(DERError) {
        if let first = rest.first { throw first.unexpected }
    }
}
