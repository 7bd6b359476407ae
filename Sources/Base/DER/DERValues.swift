import LinuxSystem

/// Values of elements. Each takes the bytes that the element was parsed from.
extension DERElement {
    /// A copy of the content, which must not be a secret.
    ///
    /// - Throws: `DERError.unexpected` when the bytes are shorter than those the element was parsed from.
    package func contentBytes(in bytes: Span<UInt8>) throws(DERError) -> [UInt8] { try copy(content, of: bytes) }

    /// A copy of the whole element, which must not be a secret.
    ///
    /// - Throws: as ``contentBytes(in:)``.
    package func encodedBytes(in bytes: Span<UInt8>) throws(DERError) -> [UInt8] { try copy(encoding, of: bytes) }

    /// A non-negative integer that fits `Int`.
    ///
    /// - Throws: `DERError.unexpected` for another type, a negative or a large number.
    package func smallInteger(in bytes: Span<UInt8>) throws(DERError) -> Int {
        let digits = try require(.integer, in: bytes)
        guard digits.count <= 8, let first = digits.first, first < 0x80 else { throw unexpected }
        return digits.reduce(0) { $0 << 8 | Int($1) }
    }

    /// A truth value.
    ///
    /// - Throws: `DERError.unexpected` for another type.
    package func boolean(in bytes: Span<UInt8>) throws(DERError) -> Bool { try require(.boolean, in: bytes) == [0xFF] }

    /// An object identifier.
    ///
    /// - Throws: `DERError.unexpected` for another type.
    package func objectIdentifier(in bytes: Span<UInt8>) throws(DERError) -> DERObjectIdentifier {
        DERObjectIdentifier(content: try require(.objectIdentifier, in: bytes))
    }

    /// The bytes of a bit string that has only whole bytes, such as a public key.
    ///
    /// - Throws: `DERError.unexpected` for another type, or bits that are not whole bytes.
    package func wholeBytes(in bytes: Span<UInt8>) throws(DERError) -> [UInt8] {
        let content = try require(.bitString, in: bytes)
        guard content.first == 0 else { throw unexpected }
        return Array(content.dropFirst())
    }

    /// The text of a string of any type; nil when the element is not a string, or its bytes do not fit its type.
    package func text(in bytes: Span<UInt8>) -> String? {
        guard let content = try? contentBytes(in: bytes) else { return nil }
        switch tag {
        case .utf8String: return String(validating: content, as: UTF8.self)
        case .printableString, .ia5String, .numericString, .visibleString:
            return content.allSatisfy { $0 < 0x80 } ? String(decoding: content, as: UTF8.self) : nil
        // The type is T.61 by name, but in practice everybody writes Latin-1.
        case .teletexString: return String(String.UnicodeScalarView(content.map { Unicode.Scalar($0) }))
        case .bmpString: return Self.text(content, unit: 2)
        case .universalString: return Self.text(content, unit: 4)
        default: return nil
        }
    }

    /// Big-endian units of two bytes (UTF-16) or four (UTF-32).
    private static func text(_ content: [UInt8], unit: Int) -> String? {
        guard content.count % unit == 0 else { return nil }
        let units = stride(from: 0, to: content.count, by: unit).map { start in
            content[start..<start + unit].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        return unit == 2
            ? String(validating: units.map { UInt16(truncatingIfNeeded: $0) }, as: UTF16.self)
            : String(validating: units, as: UTF32.self)
    }

    private func require(_ tag: DERTag, in bytes: Span<UInt8>) throws(DERError) -> [UInt8] {
        guard self.tag == tag else { throw unexpected }
        return try contentBytes(in: bytes)
    }

    private func copy(_ range: Range<Int>, of bytes: Span<UInt8>) throws(DERError) -> [UInt8] {
        guard range.upperBound <= bytes.count else { throw unexpected }
        return bytes.array(range.lowerBound, range.count)
    }
}

/// An object identifier, compared by its encoded arcs.
package struct DERObjectIdentifier: Hashable, Sendable {
    /// The arcs as they are encoded.
    package let content: [UInt8]

    package init(content: [UInt8]) { self.content = content }

    /// An identifier from constants: the first two arcs and those that follow them.
    package init(_ first: UInt64, _ second: UInt64, _ others: UInt64...) {
        content = ([first * 40 + second] + others).flatMap(Self.encode)
    }

    /// Reads at least two arcs with dots between them; nil for anything else.
    package init?(dotted: String) {
        let arcs = dotted.split(separator: ".", omittingEmptySubsequences: false).map { UInt64($0) }
        guard arcs.count >= 2, arcs.count <= 64, let first = arcs[0], let second = arcs[1], first <= 2,
            second < (first < 2 ? 40 : 1 << 32), !arcs.contains(nil)
        else { return nil }
        content = ([first * 40 + second] + arcs.dropFirst(2).compactMap { $0 }).flatMap(Self.encode)
    }

    /// Reads exactly one identifier in DER; nil for anything else.
    package init?(encoded bytes: Span<UInt8>) {
        guard let element = try? DERElement(parsing: bytes),
            let identifier = try? element.objectIdentifier(in: bytes)
        else { return nil }
        self = identifier
    }

    /// The identifier in DER.
    package var encoded: [UInt8] {
        var writer = DERWriter()
        writer.objectIdentifier(self)
        return writer.bytes
    }

    private static func encode(_ arc: UInt64) -> [UInt8] {
        var (rest, bytes) = (arc >> 7, [UInt8(arc & 0x7F)])
        while rest > 0 {
            bytes.append(UInt8(rest & 0x7F) | 0x80)
            rest >>= 7
        }
        return bytes.reversed()
    }
}
