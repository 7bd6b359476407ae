package import DER

/// An X.501 name (RFC 5280 section 4.1.2.4): sets of attributes, the most general first.
package struct DistinguishedName: Sendable {
    package struct Attribute: Sendable {
        package let type: DERObjectIdentifier
        /// The value, if it is a string.
        package let text: String?
    }

    /// The whole name as it is encoded.
    package let encoded: [UInt8]
    /// All attributes in the order of the name.
    package let attributes: [Attribute]
    /// The name in the form for comparison: ASCII letters in upper case, no blanks at the ends, single blanks between
    /// words. It is the content of the sequence without tag and length, as Apple's keychain stores it.
    package let normalized: [UInt8]

    /// Reads a name from a larger structure.
    ///
    /// - Throws: `DERError.unexpected` when the element is not a name.
    init(_ element: DERElement, in bytes: Span<UInt8>) throws(DERError) {
        encoded = try element.encodedBytes(in: bytes)
        var (names, found) = (try element.children(of: .sequence), [Attribute]())
        var writer = DERWriter()
        while !names.isAtEnd {
            var set = try names.next().children(of: .set)
            try writer.element(.set) { (writer) throws(DERError) in
                while !set.isAtEnd {
                    found.append(try Self.attribute(try set.next(), in: bytes, &writer))
                }
            }
        }
        attributes = found
        normalized = writer.bytes
    }

    /// Reads bytes that must be exactly one name.
    ///
    /// - Throws: `DERError`.
    package init(parsing bytes: Span<UInt8>) throws(DERError) {
        try self.init(try DERElement(parsing: bytes), in: bytes)
    }

    private static func attribute(
        _ element: DERElement, in bytes: Span<UInt8>, _ writer: inout DERWriter
    ) throws(DERError) -> Attribute {
        var parts = try element.children(of: .sequence)
        let (type, value) = (try parts.next(), try parts.next())
        try parts.finish()
        let attribute = Attribute(type: try type.objectIdentifier(in: bytes), text: value.text(in: bytes))
        try writer.element(.sequence) { (writer) throws(DERError) in
            writer.objectIdentifier(attribute.type)
            guard [.printableString, .utf8String, .ia5String].contains(value.tag) else {
                return writer.encoded(try value.encodedBytes(in: bytes))
            }
            writer.element(value.tag, Self.normalize(try value.contentBytes(in: bytes)))
        }
        return attribute
    }

    private static func normalize(_ text: [UInt8]) -> [UInt8] {
        let words = text.split(separator: UInt8(ascii: " "))
        let upper = words.map { $0.map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 } }
        return Array(upper.joined(separator: [UInt8(ascii: " ")]))
    }

    /// The texts of all attributes of a type, in the order of the name.
    package func texts(of type: DERObjectIdentifier) -> [String] {
        attributes.filter { $0.type == type }.compactMap(\.text)
    }

    /// The last common name, otherwise the last unit, organisation or address.
    package var knownName: String? {
        let types: [DERObjectIdentifier] = [.commonName, .organizationalUnit, .organization, .emailAddress]
        return types.lazy.compactMap { texts(of: $0).last }.first
    }

    /// The name for people: ``knownName``, otherwise the first text of any type.
    package var summary: String? { knownName ?? attributes.lazy.compactMap(\.text).first }
}

/// The attribute types for summaries and addresses (RFC 4519, RFC 2985).
extension DERObjectIdentifier {
    package static let commonName = Self(2, 5, 4, 3)
    package static let organization = Self(2, 5, 4, 10)
    package static let organizationalUnit = Self(2, 5, 4, 11)
    package static let emailAddress = Self(1, 2, 840, 113549, 1, 9, 1)
}
