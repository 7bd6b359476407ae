import LinuxSystem

/// The random name of a file's content: 16 bytes. Every write of a file makes another one.
package struct FileID: Hashable, Sendable {
    /// The number of bytes.
    package static let size = 16
    package let bytes: [UInt8]

    /// Makes a new one.
    package init() { bytes = Randomness.bytes(Self.size) }

    /// - Returns: nil unless there are 16 bytes.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes.array(0, Self.size)
    }
}

/// The name of a shelf, whose keys wrap the keys of files: 16 bytes. The enclave that makes the keys computes it from
/// them.
package struct ShelfID: Hashable, Sendable {
    /// The number of bytes.
    package static let size = 16
    /// The number of the class of shelves, behind those of items.
    package static let classNumber: UInt8 = 6
    /// Before all others; no shelf has it.
    package static let zero = ShelfID(bytes: [UInt8](repeating: 0, count: size))
    package let bytes: [UInt8]

    /// A random one, which no keys have.
    package init() { self.init(bytes: Randomness.bytes(Self.size)) }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    /// - Returns: nil unless there are 16 bytes.
    package init?(_ bytes: Span<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = bytes.array(0, Self.size)
    }
}

extension ShelfID {
    private static let digits = Array("0123456789abcdef")

    /// Its bytes in hexadecimal.
    package var text: String { String(bytes.flatMap { [Self.digits[Int($0 >> 4)], Self.digits[Int($0 & 15)]] }) }

    /// Reads an identifier; nil for another number of digits.
    package init?(text: String) {
        let values = text.compactMap(\.hexDigitValue)
        guard values.count == text.utf8.count, values.count == 2 * Self.size else { return nil }
        let bytes = stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
        self.init(bytes.span)
    }
}
