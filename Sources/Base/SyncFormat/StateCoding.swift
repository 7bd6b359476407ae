import LinuxSystem

/// Writes the fields of a ``StateEntry``.
package struct StateWriter {
    private var bytes: [UInt8] = []

    package static func bytes(_ body: (inout StateWriter) -> Void) -> [UInt8] {
        var writer = StateWriter()
        body(&writer)
        return writer.bytes
    }

    package mutating func add(flag: Bool) { bytes.append(flag ? 1 : 0) }
    package mutating func add(number: some FixedWidthInteger) { bytes.append(littleEndian: number) }
    package mutating func add(id: some SyncIdentifier) { bytes += id.bytes }
    package mutating func add(hash: BatchHash) { bytes += hash.bytes }
    package mutating func add(position: SyncPosition) { bytes += position.bytes }
    package mutating func add(statement: SyncStatement) { bytes += statement.bytes }

    /// How many things follow.
    package mutating func add(count: Int) { bytes.append(littleEndian: UInt32(truncatingIfNeeded: count)) }
    /// A number in a list, the most significant byte first, so that names are in the list's order.
    package mutating func add(index: Int) {
        for shift in [24, 16, 8, 0] { bytes.append(UInt8(truncatingIfNeeded: index >> shift)) }
    }
    package mutating func add(run: [UInt8]) { bytes.append(run: run) }
    package mutating func add(rest: [UInt8]) { bytes += rest }

    package mutating func add(place: SyncRecord.Origin) {
        add(id: place.device)
        add(number: place.seq)
    }

    /// A header without what it heads. The header of a part has another mark.
    package mutating func add(header: SyncHeader) {
        bytes += header.bytes(mark: header.isOfBatch ? SyncHeader.batch : SnapshotPart.mark, open: 0, sealed: 0)
    }

    package mutating func add(manifest: SnapshotManifest) {
        manifest.encoded().withSpan { bytes.append(run: $0.array(0, $0.count)) }
    }

    package mutating func add(record: SyncRecord) { bytes += record.bytes }
}

/// Reads what ``StateWriter`` writes. All functions throw ``SyncMalformed`` when it is not there.
package struct StateReader {
    private let bytes: [UInt8]
    private var cursor: SyncCursor

    package init(_ bytes: [UInt8]) { (self.bytes, cursor) = (bytes, SyncCursor(0..<bytes.count)) }

    // The cursor must not change while it reads from this value, so each function copies what it reads from.

    package mutating func integer<Integer: FixedWidthInteger>(
        _ type: Integer.Type = Integer.self
    ) throws(SyncMalformed) -> Integer {
        let bytes = bytes
        return try cursor.integer(type, in: bytes.span)
    }

    package mutating func identifier<ID: SyncIdentifier>(_ type: ID.Type = ID.self) throws(SyncMalformed) -> ID {
        let bytes = bytes
        return try cursor.identifier(type, in: bytes.span)
    }

    package mutating func hash() throws(SyncMalformed) -> BatchHash {
        let bytes = bytes
        return try cursor.hash(in: bytes.span)
    }

    package mutating func time() throws(SyncMalformed) -> UInt64 {
        let bytes = bytes
        return try cursor.time(in: bytes.span)
    }

    package mutating func position() throws(SyncMalformed) -> SyncPosition {
        let bytes = bytes
        return try SyncPosition(&cursor, in: bytes.span)
    }

    package mutating func place() throws(SyncMalformed) -> SyncRecord.Origin {
        let bytes = bytes
        return try SyncRecord.Origin(&cursor, in: bytes.span)
    }

    /// How many things follow, each of which has a byte at least.
    package mutating func count() throws(SyncMalformed) -> Int {
        let bytes = bytes
        return try cursor.count(atMost: cursor.remaining, in: bytes.span)
    }

    package mutating func run() throws(SyncMalformed) -> [UInt8] {
        let bytes = bytes
        let range = try cursor.run(atMost: cursor.remaining, in: bytes.span)
        return bytes.span.array(range.lowerBound, range.count)
    }

    package mutating func statement() throws(SyncMalformed) -> SyncStatement {
        let bytes = bytes
        let found = try SyncStatement.list(in: bytes.span, try cursor.take(cursor.remaining))
        guard found.count == 1 else { throw .value }
        return found[0]
    }

    package mutating func header() throws(SyncMalformed) -> SyncHeader {
        let (bytes, start) = (bytes, cursor.offset)
        let isOfBatch = bytes[start...].starts(with: SyncHeader.batch)
        let header = try SyncHeader(
            &cursor, in: bytes.span, mark: isOfBatch ? SyncHeader.batch : SnapshotPart.mark)
        guard try integer(UInt64.self) == 0 else { throw .value }
        return header
    }

    package mutating func manifest() throws(SyncMalformed) -> SnapshotManifest {
        let manifest = try run()
        return try SnapshotManifest(decoding: manifest.span)
    }

    package mutating func record() throws(SyncMalformed) -> SyncRecord { try SyncRecord(decoding: try run()) }

    /// Nothing follows.
    package func finish() throws(SyncMalformed) { try cursor.finish() }
}

extension SyncHeader {
    /// A part of a snapshot names no batch before it; a batch does, unless it is the first.
    fileprivate var isOfBatch: Bool { (seq == 1) == (previous == .none) }
}
