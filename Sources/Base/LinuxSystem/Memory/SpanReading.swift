extension Span<UInt8> {
    /// The integer at `offset`, least significant byte first; the caller has checked that it is there.
    @inlinable
    package func littleEndian<Integer: FixedWidthInteger>(_: Integer.Type, at offset: Int) -> Integer {
        precondition(offset >= 0 && offset + MemoryLayout<Integer>.size <= count, "reads only what is there")
        return unsafe withUnsafeBytes {
            Integer(littleEndian: unsafe $0.loadUnaligned(fromByteOffset: offset, as: Integer.self))
        }
    }

    /// A copy of `length` bytes in ordinary memory; not for secrets.
    @inlinable
    package func array(_ offset: Int, _ length: Int) -> [UInt8] {
        let part = extracting(offset..<offset + length)
        return unsafe part.withUnsafeBufferPointer { unsafe Array($0) }
    }

    /// A copy of `length` bytes as text; nil when they are not UTF-8. Not for secrets.
    package func text(_ offset: Int, _ length: Int) -> String? {
        guard let text = try? UTF8Span(validating: extracting(offset..<offset + length)) else { return nil }
        return String(copying: text)
    }

    /// Whether two spans are equal, in constant time: it depends only on the lengths.
    @inlinable
    package func isEqual(to other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for index in indices { difference |= self[index] ^ other[index] }
        return difference == 0
    }
}

extension MutableSpan<UInt8> {
    /// Copies all of `source` to `offset`. The caller has checked that it fits.
    package mutating func copy(_ source: Span<UInt8>, to offset: Int = 0) {
        precondition(offset >= 0 && source.count <= count - offset, "copies only what fits")
        unsafe withUnsafeMutableBufferPointer { target in
            unsafe source.withUnsafeBufferPointer { source in
                guard let from = source.baseAddress, let start = target.baseAddress else { return }
                unsafe (start + offset).update(from: from, count: source.count)
            }
        }
    }

    /// Makes the first `count` bytes zero.
    package mutating func wipe(_ count: Int) {
        precondition(count >= 0 && count <= self.count, "wipes only what is there")
        unsafe withUnsafeMutableBufferPointer { target in
            unsafe target.baseAddress?.update(repeating: 0, count: count)
        }
    }
}
