import LinuxSystem

/// The names and values by which programs of the Secret Service find an item, with what else its protocol says of one:
/// the value of `kSecAttrLookupAttributes`.
///
///     list = version:u8 count:u16 *(name value) kind contentType       ; sorted by name's bytes; little-endian
///     name, kind, contentType = length:u16 bytes                       ; UTF-8
///     value = length:u32 bytes
package struct LookupAttributes: Hashable, Sendable {
    /// Names and values, which are the same only byte by byte.
    package typealias Pairs = [ExactText: ExactText]

    package var pairs: Pairs
    /// The item's type, which came before the attribute `xdg:schema`; empty for none.
    package var kind: String
    /// The media type of the value.
    package var contentType: String

    package init(pairs: Pairs, kind: String = "", contentType: String = "text/plain") {
        (self.pairs, self.kind, self.contentType) = (pairs, kind, contentType)
    }

    /// The class that has such attributes.
    package static let itemClass = ItemClass.genericPassword

    /// The most pairs of an item.
    package static let mostPairs = 64
    /// The longest name, kind or content type in bytes.
    package static let longestName = 1 << 10
    /// The most bytes of all pairs together.
    package static let mostBytes = 16 << 10

    /// Whether an item may have so much.
    package var isWithinLimits: Bool {
        let names = Array(pairs.keys) + [ExactText(kind), ExactText(contentType)]
        let size = pairs.reduce(0) { $0 + $1.key.size + $1.value.size }
        return pairs.count <= Self.mostPairs && size <= Self.mostBytes
            && names.allSatisfy { $0.size <= Self.longestName }
    }

    /// The attribute that says what kind of item it is.
    package static let schema: ExactText = "xdg:schema"
    /// The kind of an item that was stored without one.
    package static let generic = "org.freedesktop.Secret.Generic"

    /// The kind of the item: its schema, else its type, else the usual one.
    package var itemKind: String { pairs[Self.schema]?.text ?? (kind.isEmpty ? Self.generic : kind) }

    /// The pairs as a client is shown them: those that were stored, and the kind if one was given.
    package var shown: Pairs { kind.isEmpty ? pairs : all }

    /// All pairs that an item is found by, its kind among them.
    package var all: Pairs { pairs.merging([Self.schema: ExactText(itemKind)]) { stored, _ in stored } }

    /// Whether an item with the encoded list `stored` has all pairs of the list `asked`.
    package static func contains(_ stored: Span<UInt8>, _ asked: Span<UInt8>) -> Bool {
        guard let asked = LookupAttributes(asked.array(0, asked.count)),
            let all = LookupAttributes(stored.array(0, stored.count))?.all
        else { return false }
        return asked.pairs.allSatisfy { all[$0.key] == $0.value }
    }

    /// The encoded list.
    package var encoded: [UInt8] {
        var bytes: [UInt8] = [Self.version] + UInt16(clamping: pairs.count).littleEndianBytes
        for (name, value) in pairs.sorted(by: { $0.key < $1.key }) {
            Self.append(name.text, to: &bytes)
            bytes += UInt32(clamping: value.size).littleEndianBytes + Array(value.text.utf8)
        }
        Self.append(kind, to: &bytes)
        Self.append(contentType, to: &bytes)
        return bytes
    }

    /// Reads an encoded list; nil for anything that is none.
    package init?(_ bytes: [UInt8]) {
        var rest = bytes[...]
        guard rest.popFirst() == Self.version, let count = Self.number(2, from: &rest), count <= Self.mostPairs else {
            return nil
        }
        var pairs: Pairs = [:]
        for _ in 0..<count {
            guard let name = Self.text(2, from: &rest), let value = Self.text(4, from: &rest) else { return nil }
            pairs[ExactText(name)] = ExactText(value)
        }
        guard let kind = Self.text(2, from: &rest), let contentType = Self.text(2, from: &rest), rest.isEmpty,
            pairs.count == count
        else { return nil }
        self.init(pairs: pairs, kind: kind, contentType: contentType)
    }

    /// The list among an item's attributes, or those of a search; nil where there is none.
    package init?(in list: AttributeList) {
        guard let bytes = list[.lookupAttributes]?.bytes else { return nil }
        self.init(bytes)
    }

    private static let version: UInt8 = 1

    private static func append(_ text: String, to bytes: inout [UInt8]) {
        bytes += UInt16(clamping: text.utf8.count).littleEndianBytes + Array(text.utf8)
    }

    private static func number(_ size: Int, from bytes: inout ArraySlice<UInt8>) -> Int? {
        guard bytes.count >= size else { return nil }
        let number = bytes.prefix(size).reversed().reduce(0) { $0 << 8 | Int($1) }
        bytes.removeFirst(size)
        return number
    }

    private static func text(_ size: Int, from bytes: inout ArraySlice<UInt8>) -> String? {
        guard let count = number(size, from: &bytes), count <= bytes.count else { return nil }
        defer { bytes.removeFirst(count) }
        return String(validating: bytes.prefix(count), as: UTF8.self)
    }
}
