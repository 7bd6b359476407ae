import LinuxSystem

/// Sixteen bytes that name something in a circle. Identifiers are ordered by their bytes.
package protocol SyncIdentifier: Hashable, Comparable, Sendable {
    /// The bytes as a number, the first byte most significant, so that the order is that of the bytes.
    var number: UInt128 { get }
    init(number: UInt128)
}

extension SyncIdentifier {
    /// The size of an identifier in bytes.
    package static var size: Int { 16 }
    /// The identifier of sixteen zeros, which names nothing.
    package static var none: Self { Self(number: 0) }

    package static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    /// The sixteen bytes.
    package var bytes: [UInt8] { unsafe withUnsafeBytes(of: number.bigEndian) { unsafe Array($0) } }

    /// The first sixteen of the bytes; zeros follow where there are fewer.
    package init(_ bytes: [UInt8]) {
        var number = UInt128(0)
        unsafe withUnsafeMutableBytes(of: &number) { unsafe $0.copyBytes(from: bytes.prefix(Self.size)) }
        self.init(number: UInt128(bigEndian: number))
    }

    init(in span: Span<UInt8>, at offset: Int) {
        self.init(number: span.littleEndian(UInt128.self, at: offset).byteSwapped)
    }

    /// Reads thirty-two hexadecimal digits; nil for anything else.
    package init?(text: String) {
        guard text.utf8.count == 2 * Self.size, text.utf8.allSatisfy({ $0 >= UInt8(ascii: "0") }),
            let number = UInt128(text, radix: 16)
        else { return nil }
        self.init(number: number)
    }

    /// Thirty-two lower-case hexadecimal digits.
    package var text: String { hexadecimal(number, digits: 32) }
}

/// Lower-case hexadecimal digits with zeros before them.
func hexadecimal(_ number: some BinaryInteger, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
}

/// A circle: the first bytes of SHA-256 of the genesis statement's body.
package struct CircleID: SyncIdentifier {
    package let number: UInt128
    package init(number: UInt128) { self.number = number }
}

/// A machine or a recovery key: the first bytes of SHA-256 of its signing key and its agreement key.
package struct MemberID: SyncIdentifier {
    package let number: UInt128
    package init(number: UInt128) { self.number = number }
}

/// A record: the first bytes of the HMAC of an item's class and primary key under the record key.
package struct RecordID: SyncIdentifier {
    package let number: UInt128
    package init(number: UInt128) { self.number = number }
}

/// A generation of keys: the first bytes of its commitment.
package struct GenerationID: SyncIdentifier {
    package let number: UInt128
    package init(number: UInt128) { self.number = number }
}

/// The hash of a batch: SHA-256 of what its signature covers. Positions have its first sixteen bytes.
package struct BatchHash: Hashable, Sendable {
    /// The size of a hash in bytes.
    package static let size = 32
    /// The hash that the first batch of a log names as the previous one.
    package static let none = BatchHash(high: 0, low: 0)

    private let high: UInt128
    private let low: UInt128

    private init(high: UInt128, low: UInt128) { (self.high, self.low) = (high, low) }

    /// The first thirty-two of the bytes; zeros follow where there are fewer.
    package init(_ bytes: [UInt8]) {
        self.init(high: GenerationID(bytes).number, low: GenerationID(Array(bytes.dropFirst(16))).number)
    }

    init(in span: Span<UInt8>, at offset: Int) {
        high = span.littleEndian(UInt128.self, at: offset).byteSwapped
        low = span.littleEndian(UInt128.self, at: offset + 16).byteSwapped
    }

    /// The thirty-two bytes.
    package var bytes: [UInt8] { GenerationID(number: high).bytes + GenerationID(number: low).bytes }

    /// The first sixteen bytes, as positions have them.
    package var short: UInt128 { high }
}

/// The order of versions: the larger number wins, and of equal numbers the larger device (sync.md, section 6).
package struct SyncStamp: Hashable, Comparable, Sendable {
    /// Microseconds since 1970 or more, smaller than ``SyncLimits/endOfTime``.
    package let hlc: UInt64
    package let device: MemberID

    package init(hlc: UInt64, device: MemberID) { (self.hlc, self.device) = (hlc, device) }

    package static func < (left: Self, right: Self) -> Bool {
        (left.hlc, left.device) < (right.hlc, right.device)
    }
}
