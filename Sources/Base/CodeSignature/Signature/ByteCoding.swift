import KeychainModel
import LinuxSystem

/// Reads the parts of a note or a statement in order. Integers are little-endian.
struct ByteReader {
    private let bytes: [UInt8]
    private(set) var offset = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { offset == bytes.count }

    mutating func integer<Integer: FixedWidthInteger>(_: Integer.Type) throws(Refusal) -> Integer {
        let start = offset
        try skip(MemoryLayout<Integer>.size)
        return bytes.span.littleEndian(Integer.self, at: start)
    }

    mutating func array(_ count: Int) throws(Refusal) -> [UInt8] {
        let start = offset
        try skip(count)
        return Array(bytes[start..<start + count])
    }

    /// Reads bytes after their length, which has four bytes.
    mutating func run(atMost limit: Int) throws(Refusal) -> [UInt8] {
        let count = Int(try integer(UInt32.self))
        guard count <= limit else { throw .malformedCode("a part of the signature is too long") }
        return try array(count)
    }

    /// Reads a text after its length.
    mutating func text(atMost limit: Int) throws(Refusal) -> String {
        guard let text = String(validating: try run(atMost: limit), as: UTF8.self) else {
            throw .malformedCode("a text of the signature is not UTF-8")
        }
        return text
    }

    private mutating func skip(_ count: Int) throws(Refusal) {
        guard count <= bytes.count - offset else { throw .malformedCode("the signature is cut off") }
        offset += count
    }
}

extension [UInt8] {
    mutating func append<Integer: FixedWidthInteger>(littleEndian value: Integer) {
        for index in 0..<MemoryLayout<Integer>.size {
            append(UInt8(truncatingIfNeeded: value >> Integer(8 * index)))
        }
    }

    /// Appends the length of the bytes, then the bytes.
    mutating func append(run bytes: [UInt8]) {
        append(littleEndian: UInt32(truncatingIfNeeded: bytes.count))
        append(contentsOf: bytes)
    }
}
