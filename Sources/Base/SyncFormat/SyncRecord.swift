import KeychainModel
package import LinuxSystem

/// One version of a record.
///
///     record = length:u32 kind:u8 class:u8 pdmn:u8 flags:u8 rid:16 hlc:u64 [device:16 seq:u64] body
///
/// `length` counts what follows it. Bit 0 of `flags` says that device and seq are there: who wrote the version, and in
/// which batch. Without them it is the batch's own. Bit 1 says that the body is a box of its own.
package struct SyncRecord: Sendable {
    /// The kinds of records; merging skips others. A tombstone is that of an item or of a shelf.
    package enum Kind {
        package static let item: UInt8 = 1
        package static let tombstone: UInt8 = 2
        package static let manifest: UInt8 = 3
        package static let shelf: UInt8 = 4
    }

    private enum Flag {
        static let origin: UInt8 = 1
        static let boxed: UInt8 = 2
    }

    /// The batch that a version was first in, as the author of this record says.
    package struct Origin: Hashable, Sendable {
        package let device: MemberID
        package let seq: UInt64
        package init(device: MemberID, seq: UInt64) { (self.device, self.seq) = (device, seq) }
    }

    /// From kind to hlc.
    private static let fixedSize = 4 + 16 + 8

    package let kind: UInt8
    package let itemClass: UInt8
    package let protection: UInt8
    package let isBoxed: Bool
    package let rid: RecordID
    package let hlc: UInt64
    package let origin: Origin?
    private let storage: SecretBytes
    private let range: Range<Int>

    package init(
        kind: UInt8, itemClass: UInt8 = 0, protection: UInt8 = 0, isBoxed: Bool = false, rid: RecordID = .none,
        hlc: UInt64, origin: Origin? = nil, body: SecretBytes
    ) {
        (self.kind, self.itemClass, self.protection, self.isBoxed) = (kind, itemClass, protection, isBoxed)
        (self.rid, self.hlc, self.origin) = (rid, hlc, origin)
        (storage, range) = (body, 0..<body.count)
    }

    private init(
        _ cursor: inout SyncCursor, in storage: SecretBytes, _ span: Span<UInt8>
    ) throws(SyncMalformed) {
        kind = try cursor.integer(UInt8.self, in: span)
        itemClass = try cursor.integer(UInt8.self, in: span)
        protection = try cursor.integer(UInt8.self, in: span)
        let flags = try cursor.integer(UInt8.self, in: span)
        guard kind > 0, flags & ~(Flag.origin | Flag.boxed) == 0 else { throw .value }
        isBoxed = flags & Flag.boxed != 0
        rid = try cursor.identifier(RecordID.self, in: span)
        hlc = try cursor.time(in: span)
        origin = flags & Flag.origin == 0 ? nil : try Origin(&cursor, in: span)
        self.storage = storage
        range = try cursor.take(cursor.remaining)
    }

    /// Whether the body is in a box of its own while it travels: that of an item that only an unlocked machine reads,
    /// and each shelf's, whose key no daemon sees.
    package var needsBox: Bool { protection == Accessibility.whenUnlocked.rawValue || kind == Kind.shelf }

    /// Lends the body.
    package func withBody<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withSpan { (span) throws(Failure) in try body(span.extracting(range)) }
    }

    /// The same version as part of a snapshot, or passed on for its removed author.
    package func with(origin: Origin?) -> SyncRecord {
        SyncRecord(copying: self, origin)
    }

    private init(copying other: SyncRecord, _ origin: Origin?, hlc: UInt64? = nil, rid: RecordID? = nil) {
        (kind, itemClass, protection, isBoxed) = (other.kind, other.itemClass, other.protection, other.isBoxed)
        (self.rid, self.hlc, self.origin) = (rid ?? other.rid, hlc ?? other.hlc, origin)
        (storage, range) = (other.storage, other.range)
    }

    /// The same version under another stamp or another identifier.
    package func with(hlc: UInt64? = nil, rid: RecordID? = nil) -> SyncRecord {
        SyncRecord(copying: self, origin, hlc: hlc, rid: rid)
    }

    /// The same version with its body in a box of its own, or out of it.
    package func with(body: SecretBytes, isBoxed: Bool) -> SyncRecord {
        SyncRecord(
            kind: kind, itemClass: itemClass, protection: protection, isBoxed: isBoxed, rid: rid, hlc: hlc,
            origin: origin, body: body)
    }

    /// The record as it stands in a content.
    var bytes: [UInt8] {
        let buffer = SecretBuffer(capacity: encodedSize)
        append(to: buffer)
        return buffer.withSpan { $0.array(0, $0.count) }
    }

    /// Reads what follows the length of a record.
    ///
    /// - Throws: ``SyncMalformed`` when the bytes are not exactly a record.
    init(decoding bytes: [UInt8]) throws(SyncMalformed) {
        let storage = SecretBytes(copying: bytes.span)
        var cursor = SyncCursor(0..<bytes.count)
        self = try storage.withSpan { span throws(SyncMalformed) in try SyncRecord(&cursor, in: storage, span) }
    }

    /// Whether the body was left in the store: that of an item is never empty.
    package var isBare: Bool { range.isEmpty }

    /// How many bytes the record takes.
    package var encodedSize: Int { 4 + Self.fixedSize + (origin == nil ? 0 : 24) + range.count }

    static func list(
        _ cursor: inout SyncCursor, in storage: SecretBytes, _ span: Span<UInt8>
    ) throws(SyncMalformed) -> [SyncRecord] {
        var found: [SyncRecord] = []
        while cursor.remaining >= 4, span.littleEndian(UInt32.self, at: cursor.offset) != 0 {
            guard found.count < SyncLimits.records else { throw .value }
            var record = SyncCursor(try cursor.run(atMost: SyncLimits.sealedBytes, in: span))
            found.append(try SyncRecord(&record, in: storage, span))
        }
        let used = cursor.offset
        try cursor.zeros(in: span)
        guard cursor.end == PaddedLength.of(used) else { throw .padding }
        return found
    }

    static func append(_ records: [SyncRecord], to buffer: SecretBuffer) {
        for record in records { record.append(to: buffer) }
        buffer.append(count: PaddedLength.of(buffer.count) - buffer.count) { _ in }
    }

    private func append(to buffer: SecretBuffer) {
        buffer.append(littleEndian: UInt32(truncatingIfNeeded: encodedSize - 4))
        let flags = (origin == nil ? 0 : Flag.origin) | (isBoxed ? Flag.boxed : 0)
        buffer.append([kind, itemClass, protection, flags].span)
        buffer.append(rid.bytes.span)
        buffer.append(littleEndian: hlc)
        origin?.append(to: buffer)
        withBody { buffer.append($0) }
    }
}

extension SyncRecord.Origin {
    init(_ cursor: inout SyncCursor, in span: Span<UInt8>) throws(SyncMalformed) {
        device = try cursor.identifier(MemberID.self, in: span)
        seq = try cursor.sequence(in: span)
    }

    func append(to buffer: SecretBuffer) {
        buffer.append(device.bytes.span)
        buffer.append(littleEndian: seq)
    }
}
