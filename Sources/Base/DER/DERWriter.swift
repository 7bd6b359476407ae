/// Writes DER into ordinary memory, so it must not write secrets.
package struct DERWriter {
    package private(set) var bytes: [UInt8] = []

    package init() {}

    /// Writes one element with the bytes of its content.
    package mutating func element(_ tag: DERTag, _ content: [UInt8]) {
        append(tag)
        append(length: content.count)
        bytes += content
    }

    /// Writes one element with other elements in it.
    package mutating func element<Failure: Error>(
        _ tag: DERTag, _ body: (inout DERWriter) throws(Failure) -> Void
    ) throws(Failure) {
        var inner = DERWriter()
        try body(&inner)
        element(tag, inner.bytes)
    }

    /// Appends elements that are already encoded.
    package mutating func encoded(_ elements: [UInt8]) { bytes += elements }

    /// Writes an object identifier.
    package mutating func objectIdentifier(_ identifier: DERObjectIdentifier) {
        element(.objectIdentifier, identifier.content)
    }

    private mutating func append(_ tag: DERTag) {
        let first = tag.kind.rawValue << 6 | (tag.isConstructed ? 0x20 : 0)
        guard tag.number >= 0x1F else { return bytes.append(first | UInt8(tag.number)) }
        bytes.append(first | 0x1F)
        let groups = stride(from: 28, through: 0, by: -7).map { UInt8(tag.number >> UInt32($0) & 0x7F) }.drop {
            $0 == 0
        }
        bytes += groups.dropLast().map { $0 | 0x80 } + groups.suffix(1)
    }

    private mutating func append(length: Int) {
        guard length >= 0x80 else { return bytes.append(UInt8(length)) }
        let digits = withBigEndianBytes(of: UInt64(length)).drop { $0 == 0 }
        bytes.append(0x80 | UInt8(digits.count))
        bytes += digits
    }

    private func withBigEndianBytes(of value: UInt64) -> [UInt8] {
        stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: value >> UInt64($0)) }
    }
}
