/// Scans DER bytes once and checks them on the way.
struct DERScanner {
    private(set) var position = 0
    private var elements = 0
    private let limits: DERLimits

    init(_ bytes: Span<UInt8>, limits: DERLimits) throws(DERError) {
        guard bytes.count <= limits.bytes else { throw .tooLarge }
        self.limits = limits
    }

    /// The element at the position, which must end before `end`.
    mutating func element(in bytes: Span<UInt8>, end: Int, depth: Int) throws(DERError) -> DERElement {
        elements += 1
        guard depth < limits.depth, elements <= limits.elements else { throw .tooLarge }
        let start = position
        let tag = try tag(in: bytes, end: end)
        let length = try length(in: bytes, end: end)
        guard length <= end - position else { throw .truncated(offset: start) }
        let content = position..<position + length
        var children: [DERElement] = []
        if tag.isConstructed {
            while position < content.upperBound {
                children.append(try element(in: bytes, end: content.upperBound, depth: depth + 1))
            }
        } else {
            try DERValueRules.check(tag, bytes.extracting(content), at: start)
            position = content.upperBound
        }
        return DERElement(tag: tag, encoding: start..<position, content: content, children: children)
    }

    private mutating func byte(in bytes: Span<UInt8>, end: Int) throws(DERError) -> UInt8 {
        guard position < end else { throw .truncated(offset: position) }
        defer { position += 1 }
        return bytes[position]
    }

    private mutating func tag(in bytes: Span<UInt8>, end: Int) throws(DERError) -> DERTag {
        let start = position
        let first = try byte(in: bytes, end: end)
        // Two bits have four values, and there are four kinds.
        guard let kind = DERTag.Kind(rawValue: first >> 6) else { throw .badTag(offset: start) }
        var number = UInt32(first & 0x1F)
        if number == 0x1F { number = try longTagNumber(in: bytes, end: end) }
        let tag = DERTag(kind, number, isConstructed: first & 0x20 != 0)
        guard tag.hasRightForm, tag != Self.endOfContents else { throw .badTag(offset: start) }
        return tag
    }

    private static let endOfContents = DERTag(.universal, 0)

    /// Seven bits a byte, most significant first, without leading zeros. The long form is valid only for a number that
    /// does not fit five bits.
    private mutating func longTagNumber(in bytes: Span<UInt8>, end: Int) throws(DERError) -> UInt32 {
        let start = position
        var number: UInt32 = 0
        while true {
            let next = try byte(in: bytes, end: end)
            guard number < 1 << 21, number != 0 || next != 0x80 else { throw .badTag(offset: start) }
            number = number << 7 | UInt32(next & 0x7F)
            if next & 0x80 == 0 { break }
        }
        guard number >= 0x1F else { throw .badTag(offset: start) }
        return number
    }

    private mutating func length(in bytes: Span<UInt8>, end: Int) throws(DERError) -> Int {
        let start = position
        let first = try byte(in: bytes, end: end)
        if first < 0x80 { return Int(first) }
        // Four bytes are more than the limits allow; 0x80 alone is the indefinite form of BER.
        guard (0x81...0x84).contains(first) else { throw .badLength(offset: start) }
        var length = 0
        for index in 0..<first & 0x7F {
            let next = try byte(in: bytes, end: end)
            guard index > 0 || next != 0 else { throw .badLength(offset: start) }
            length = length << 8 | Int(next)
        }
        guard length >= 0x80 else { throw .badLength(offset: start) }
        return length
    }
}

/// The rules of DER for the bytes of primitive types (X.690 sections 8.2 to 8.8, 8.19, 11.1, 11.2).
enum DERValueRules {
    static func check(_ tag: DERTag, _ bytes: Span<UInt8>, at offset: Int) throws(DERError) {
        guard tag.kind == .universal else { return }
        let holds =
            switch tag {
            case .boolean: bytes.count == 1 && (bytes[0] == 0 || bytes[0] == 0xFF)
            case .integer, .enumerated: isInteger(bytes)
            case .bitString: isBitString(bytes)
            case .null: bytes.isEmpty
            case .objectIdentifier: isObjectIdentifier(bytes)
            default: true
            }
        guard holds else { throw .badValue(offset: offset) }
    }

    /// Two's complement in the fewest bytes.
    private static func isInteger(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 1 else { return bytes.count == 1 }
        return bytes[0] == 0 ? bytes[1] >= 0x80 : bytes[0] != 0xFF || bytes[1] < 0x80
    }

    /// The number of unused bits, which must all be zero, then the bits.
    private static func isBitString(_ bytes: Span<UInt8>) -> Bool {
        guard bytes.count > 1 else { return bytes.count == 1 && bytes[0] == 0 }
        return bytes[0] < 8 && bytes[bytes.count - 1] & ((1 << bytes[0]) - 1) == 0
    }

    /// Arcs of seven bits a byte without leading zeros; the last arc must be complete.
    private static func isObjectIdentifier(_ bytes: Span<UInt8>) -> Bool {
        guard !bytes.isEmpty, bytes[bytes.count - 1] < 0x80 else { return false }
        var begins = true
        for index in bytes.indices {
            if begins, bytes[index] == 0x80 { return false }
            begins = bytes[index] < 0x80
        }
        return true
    }
}
