package import LinuxSystem

/// The body of a snapshot's manifest, which is a record of a batch in its author's log.
///
///     manifest = count:u32 *log parts:u32 *(length:u32 hash:32)
///     log      = device:16 seq:u64 hash:32 floor:u64 count:u32 *(device:16 seq:u64)
package struct SnapshotManifest: Equatable, Sendable {
    /// A part by its length and its SHA-256.
    package struct Part: Equatable, Sendable {
        package let size: UInt32
        package let hash: BatchHash
        package init(size: UInt32, hash: BatchHash) { (self.size, self.hash) = (size, hash) }
    }

    /// A log as far as the snapshot covers it, and what its author had said by then.
    package struct Log: Hashable, Sendable {
        package let device: MemberID
        /// The last batch that is covered; 0 when the author has written none.
        package let seq: UInt64
        /// The hash of that batch; zeros when there is none.
        package let hash: BatchHash
        package let floor: UInt64
        /// The batches that the author had read, in the order of their devices.
        package let said: [SyncRecord.Origin]

        package init(device: MemberID, seq: UInt64, hash: BatchHash, floor: UInt64, said: [SyncRecord.Origin]) {
            (self.device, self.seq, self.hash, self.floor, self.said) = (device, seq, hash, floor, said)
        }
    }

    /// The logs that the snapshot covers, in the order of their devices.
    package let logs: [Log]
    package let parts: [Part]

    package init(logs: [Log], parts: [Part]) { (self.logs, self.parts) = (logs, parts) }

    /// - Throws: ``SyncMalformed`` when the bytes are not exactly a manifest.
    package init(decoding span: Span<UInt8>) throws(SyncMalformed) {
        var cursor = SyncCursor(0..<span.count)
        var (logs, parts): ([Log], [Part]) = ([], [])
        for _ in 0..<(try cursor.count(atMost: SyncLimits.members, in: span)) {
            logs.append(try Log(&cursor, in: span))
        }
        try requireAscending(logs.map(\.device))
        for _ in 0..<(try cursor.count(atMost: SyncLimits.parts, in: span)) {
            let size = try cursor.count(atMost: SyncLimits.partBytes, in: span)
            parts.append(Part(size: UInt32(size), hash: try cursor.hash(in: span)))
        }
        guard Self.fit(parts) else { throw .value }
        try cursor.finish()
        (self.logs, self.parts) = (logs, parts)
    }

    /// Whether a reader has room for all parts.
    package static func fit(_ parts: [Part]) -> Bool {
        parts.reduce(0) { $0 + Int($1.size) } <= SyncLimits.snapshotBytes
    }

    /// The body.
    package func encoded() -> SecretBytes {
        let buffer = SecretBuffer(capacity: 512)
        buffer.append(littleEndian: UInt32(truncatingIfNeeded: logs.count))
        for log in logs { log.append(to: buffer) }
        buffer.append(littleEndian: UInt32(truncatingIfNeeded: parts.count))
        for part in parts {
            buffer.append(littleEndian: part.size)
            buffer.append(part.hash.bytes.span)
        }
        return buffer.finish()
    }
}

extension SnapshotManifest.Log {
    init(_ cursor: inout SyncCursor, in span: Span<UInt8>) throws(SyncMalformed) {
        device = try cursor.identifier(MemberID.self, in: span)
        // An empty log has the position 0, and the same bound as a time.
        (seq, hash) = (try cursor.time(in: span), try cursor.hash(in: span))
        guard (seq == 0) == (hash == .none) else { throw .value }
        floor = try cursor.time(in: span)
        var said: [SyncRecord.Origin] = []
        for _ in 0..<(try cursor.count(atMost: SyncLimits.saidLogs + 1, in: span)) {
            said.append(try SyncRecord.Origin(&cursor, in: span))
        }
        try requireAscending(said.map(\.device))
        self.said = said
    }

    func append(to buffer: SecretBuffer) {
        buffer.append(device.bytes.span)
        buffer.append(littleEndian: seq)
        buffer.append(hash.bytes.span)
        buffer.append(littleEndian: floor)
        buffer.append(littleEndian: UInt32(truncatingIfNeeded: said.count))
        for place in said { place.append(to: buffer) }
    }
}

/// A part of a snapshot. Its manifest has its hash, so it has no signature.
///
///     part    = header *(length:u32 carried) sealed                       ; the mark of the header is KCP1
///     content = *record zeros
package struct SnapshotPart: Equatable, Sendable {
    /// The mark of a part.
    package static let mark: [UInt8] = Array("KCP1".utf8)

    package let header: SyncHeader
    /// Batches without their sealed parts, for what they state.
    package let carried: [SyncBatch]
    package let sealed: [UInt8]

    package init(_ header: SyncHeader, carried: [SyncBatch], sealed: [UInt8]) {
        (self.header, self.carried, self.sealed) = (header, carried, sealed)
    }

    /// The header as it is associated with a sealed part of this size.
    package static func associated(_ header: SyncHeader, _ carried: [SyncBatch], sealedSize: Int) -> [UInt8] {
        header.bytes(mark: mark, open: open(carried).count, sealed: sealedSize)
    }

    private static func open(_ carried: [SyncBatch]) -> [UInt8] {
        carried.reduce(into: []) { $0.append(run: $1.carried) }
    }

    /// - Throws: ``SyncMalformed`` when the bytes are not exactly a part.
    package init(decoding bytes: [UInt8]) throws(SyncMalformed) {
        let span = bytes.span
        var cursor = SyncCursor(0..<bytes.count)
        header = try SyncHeader(&cursor, in: span, mark: Self.mark)
        let open = try cursor.count(atMost: SyncLimits.carriedBytes, in: span)
        let sealedSize = try cursor.count(atMost: SyncLimits.sealedBytes, in: span)
        guard (sealedSize == 0) == (header.generation == .none) else { throw .value }
        carried = try Self.batches(try cursor.take(open), in: span)
        sealed = try cursor.array(sealedSize, in: span)
        try cursor.finish()
    }

    private static func batches(_ range: Range<Int>, in span: Span<UInt8>) throws(SyncMalformed) -> [SyncBatch] {
        var cursor = SyncCursor(range)
        var found: [SyncBatch] = []
        while cursor.remaining > 0 {
            guard found.count < SyncLimits.carriedBatches else { throw .value }
            let one = try cursor.run(atMost: SyncLimits.carriedBytes, in: span)
            found.append(try SyncBatch(carried: span.array(one.lowerBound, one.count)))
        }
        return found
    }

    /// The bytes of the part.
    package var bytes: [UInt8] {
        let open = Self.open(carried)
        return header.bytes(mark: Self.mark, open: open.count, sealed: sealed.count) + open + sealed
    }

    /// The header, which the sealed part is bound to.
    package var associated: [UInt8] { Self.associated(header, carried, sealedSize: sealed.count) }

    /// The slot of the part with this number.
    package func slot(_ number: Int) -> SyncSlot {
        SyncSlot(
            circle: header.circle, device: header.device, seq: header.seq, part: UInt32(truncatingIfNeeded: number))
    }

    /// Reads the records of an opened part.
    ///
    /// - Throws: ``SyncMalformed`` when the bytes are not exactly records with their padding.
    package static func records(decoding storage: SecretBytes) throws(SyncMalformed) -> [SyncRecord] {
        var cursor = SyncCursor(0..<storage.count)
        return try storage.withSpan { span throws(SyncMalformed) in
            try SyncRecord.list(&cursor, in: storage, span)
        }
    }

    /// The records of a part with their padding.
    package static func content(_ records: [SyncRecord]) -> SecretBytes {
        let buffer = SecretBuffer(capacity: PaddedLength.least)
        SyncRecord.append(records, to: buffer)
        return buffer.finish()
    }
}
