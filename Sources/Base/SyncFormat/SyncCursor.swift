import LinuxSystem

/// A place in bytes that are read in order and never past their end.
struct SyncCursor {
    private(set) var offset: Int
    let end: Int

    init(_ range: Range<Int>) { (offset, end) = (range.lowerBound, range.upperBound) }

    var remaining: Int { end - offset }

    mutating func take(_ count: Int) throws(SyncMalformed) -> Range<Int> {
        guard count >= 0, count <= remaining else { throw .length }
        defer { offset += count }
        return offset..<offset + count
    }

    mutating func integer<Integer: FixedWidthInteger>(
        _: Integer.Type, in span: Span<UInt8>
    ) throws(SyncMalformed) -> Integer {
        span.littleEndian(Integer.self, at: try take(MemoryLayout<Integer>.size).lowerBound)
    }

    mutating func identifier<ID: SyncIdentifier>(_: ID.Type, in span: Span<UInt8>) throws(SyncMalformed) -> ID {
        ID(in: span, at: try take(ID.size).lowerBound)
    }

    mutating func hash(in span: Span<UInt8>) throws(SyncMalformed) -> BatchHash {
        BatchHash(in: span, at: try take(BatchHash.size).lowerBound)
    }

    mutating func array(_ count: Int, in span: Span<UInt8>) throws(SyncMalformed) -> [UInt8] {
        let range = try take(count)
        return span.array(range.lowerBound, range.count)
    }

    /// The range of bytes whose length stands before them in four bytes.
    mutating func run(atMost limit: Int, in span: Span<UInt8>) throws(SyncMalformed) -> Range<Int> {
        let length = Int(try integer(UInt32.self, in: span))
        guard length <= limit else { throw .length }
        return try take(length)
    }

    /// A number of things that follow.
    mutating func count(atMost limit: Int, in span: Span<UInt8>) throws(SyncMalformed) -> Int {
        let count = Int(try integer(UInt32.self, in: span))
        guard count <= limit else { throw .value }
        return count
    }

    /// A time or a floor.
    mutating func time(in span: Span<UInt8>) throws(SyncMalformed) -> UInt64 {
        let time = try integer(UInt64.self, in: span)
        guard time < SyncLimits.endOfTime else { throw .value }
        return time
    }

    /// The position of a batch: they are counted from one.
    mutating func sequence(in span: Span<UInt8>) throws(SyncMalformed) -> UInt64 {
        let number = try integer(UInt64.self, in: span)
        guard number > 0, number < SyncLimits.endOfTime else { throw .value }
        return number
    }

    /// Zeros, and nothing else, to the end.
    mutating func zeros(in span: Span<UInt8>) throws(SyncMalformed) {
        let range = try take(remaining)
        for place in range where span[place] != 0 { throw .padding }
    }

    func finish() throws(SyncMalformed) {
        guard remaining == 0 else { throw .length }
    }
}

extension [UInt8] {
    mutating func append<Integer: FixedWidthInteger>(littleEndian number: Integer) {
        for place in 0..<Integer.bitWidth / 8 { append(UInt8(truncatingIfNeeded: number >> Integer(8 * place))) }
    }

    mutating func append(run bytes: [UInt8]) {
        append(littleEndian: UInt32(truncatingIfNeeded: bytes.count))
        append(contentsOf: bytes)
    }
}
