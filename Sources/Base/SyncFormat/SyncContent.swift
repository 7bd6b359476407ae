package import LinuxSystem

/// A batch that somebody has read, by the first bytes of its hash.
package struct SyncPosition: Hashable, Sendable {
    package let device: MemberID
    package let seq: UInt64
    package let hash: UInt128

    package init(device: MemberID, seq: UInt64, hash: UInt128) {
        (self.device, self.seq, self.hash) = (device, seq, hash)
    }

    init(_ cursor: inout SyncCursor, in span: Span<UInt8>) throws(SyncMalformed) {
        device = try cursor.identifier(MemberID.self, in: span)
        seq = try cursor.sequence(in: span)
        hash = try cursor.identifier(GenerationID.self, in: span).number
    }

    var bytes: [UInt8] {
        var bytes = device.bytes
        bytes.append(littleEndian: seq)
        return bytes + GenerationID(number: hash).bytes
    }

    static func list(_ cursor: inout SyncCursor, in span: Span<UInt8>) throws(SyncMalformed) -> [SyncPosition] {
        var found: [SyncPosition] = []
        for _ in 0..<(try cursor.count(atMost: SyncLimits.members, in: span)) {
            found.append(try SyncPosition(&cursor, in: span))
        }
        try requireAscending(found.map(\.device))
        return found
    }

    /// The bytes of the longest list.
    package static let mostBytes = 4 + 40 * SyncLimits.members

    /// A list by itself: count:u32 *position.
    package static func encoded(_ list: [SyncPosition]) -> [UInt8] {
        let buffer = SecretBuffer(capacity: 256)
        append(list, to: buffer)
        return buffer.withSpan { $0.array(0, $0.count) }
    }

    /// - Throws: ``SyncMalformed`` when the bytes are not exactly a list.
    package static func list(decoding bytes: [UInt8]) throws(SyncMalformed) -> [SyncPosition] {
        var cursor = SyncCursor(bytes.indices)
        let found = try list(&cursor, in: bytes.span)
        try cursor.finish()
        return found
    }

    static func append(_ list: [SyncPosition], to buffer: SecretBuffer) {
        buffer.append(littleEndian: UInt32(truncatingIfNeeded: list.count))
        for position in list { buffer.append(position.bytes.span) }
    }
}

/// The sealed content of a batch.
///
///     content = count:u32 *(device:16 seq:u64 hash:16) floor:u64 *record zeros       ; as long as PaddedLength says
///
/// Positions stand in the order of their devices. The length of a record is never zero, so zeros end them.
package struct SyncContent: Sendable {
    /// The batches that the author has read since its last one; all of it in a batch with a manifest.
    package let positions: [SyncPosition]
    /// Later records of the author have larger stamps.
    package let floor: UInt64
    package let records: [SyncRecord]

    package init(positions: [SyncPosition], floor: UInt64, records: [SyncRecord]) {
        (self.positions, self.floor, self.records) = (positions, floor, records)
    }

    /// - Throws: ``SyncMalformed`` when the bytes are not exactly a content with its padding.
    package init(decoding storage: SecretBytes) throws(SyncMalformed) {
        var cursor = SyncCursor(0..<storage.count)
        (positions, floor, records) = try storage.withSpan { span throws(SyncMalformed) in
            let positions = try SyncPosition.list(&cursor, in: span)
            let floor = try cursor.time(in: span)
            return (positions, floor, try SyncRecord.list(&cursor, in: storage, span))
        }
    }

    /// The content with its padding.
    package func encoded() -> SecretBytes {
        let buffer = SecretBuffer(capacity: PaddedLength.least)
        SyncPosition.append(positions, to: buffer)
        buffer.append(littleEndian: floor)
        SyncRecord.append(records, to: buffer)
        return buffer.finish()
    }
}
