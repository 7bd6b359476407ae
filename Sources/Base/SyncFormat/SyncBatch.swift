import LinuxSystem

/// The beginning of a batch and of a snapshot's part.
///
///     header = mark:4 version:u16 least:u16 circle:16 device:16 seq:u64 previous:32 generation:16 salt:32
///              openLength:u32 sealedLength:u32
///
/// `least` is the smallest version a reader must know. `generation` is zero where nothing is sealed.
package struct SyncHeader: Equatable, Sendable {
    package static let size = 136
    /// The mark of a batch.
    package static let batch: [UInt8] = Array("KCB1".utf8)

    package let least: UInt16
    package let version: UInt16
    package let circle: CircleID
    package let device: MemberID
    package let seq: UInt64
    package let previous: BatchHash
    package let generation: GenerationID
    package let salt: BatchHash

    /// A header of this version. `salt` is random, for the key that the batch alone is sealed with.
    ///
    /// - Parameter least: the smallest version that a reader of what is sealed must know.
    package init(
        circle: CircleID, device: MemberID, seq: UInt64, previous: BatchHash, generation: GenerationID, salt: BatchHash,
        least: UInt16 = SyncLimits.firstVersion, version: UInt16 = SyncLimits.version
    ) {
        (self.least, self.version) = (least, version)
        (self.circle, self.device, self.seq, self.previous) = (circle, device, seq, previous)
        (self.generation, self.salt) = (generation, salt)
    }

    /// Reads the whole header of a batch or of a snapshot's part, as its sealed part is bound to it.
    ///
    /// - Returns: the header, and the size of the sealed part in bytes.
    /// - Throws: ``SyncMalformed`` when the bytes are not exactly a header.
    package static func sealing(
        _ bytes: [UInt8]
    ) throws(SyncMalformed) -> (header: SyncHeader, sealedSize: Int) {
        let span = bytes.span
        var cursor = SyncCursor(bytes.indices)
        let isPart = bytes.starts(with: SnapshotPart.mark)
        let header = try SyncHeader(&cursor, in: span, mark: isPart ? SnapshotPart.mark : batch)
        _ = try cursor.count(atMost: isPart ? SyncLimits.carriedBytes : SyncLimits.openBytes, in: span)
        let size = try cursor.count(atMost: SyncLimits.sealedBytes, in: span)
        try cursor.finish()
        guard size > 0, header.generation != .none else { throw .value }
        return (header, size)
    }

    init(_ cursor: inout SyncCursor, in span: Span<UInt8>, mark: [UInt8]) throws(SyncMalformed) {
        guard try cursor.array(4, in: span) == mark else { throw .mark }
        version = try cursor.integer(UInt16.self, in: span)
        least = try cursor.integer(UInt16.self, in: span)
        guard least > 0, least <= version else { throw .value }
        circle = try cursor.identifier(CircleID.self, in: span)
        device = try cursor.identifier(MemberID.self, in: span)
        seq = try cursor.sequence(in: span)
        previous = try cursor.hash(in: span)
        generation = try cursor.identifier(GenerationID.self, in: span)
        salt = try cursor.hash(in: span)
        guard (seq == 1) == (previous == .none) || mark != Self.batch else { throw .value }
    }

    func bytes(mark: [UInt8], open: Int, sealed: Int) -> [UInt8] {
        var bytes = mark
        bytes.append(littleEndian: version)
        bytes.append(littleEndian: least)
        bytes += circle.bytes + device.bytes
        bytes.append(littleEndian: seq)
        bytes += previous.bytes + generation.bytes + salt.bytes
        bytes.append(littleEndian: UInt32(truncatingIfNeeded: open))
        bytes.append(littleEndian: UInt32(truncatingIfNeeded: sealed))
        return bytes
    }
}

/// A batch of a machine's log, whole or without its sealed part.
///
///     batch   = header *statement sealed signature:64
///     carried = header *statement SHA-256(sealed):32 signature:64
///     signed  = "keychain sync 1: batch" header *statement SHA-256(sealed):32
///
/// The signature and the hash of a batch go over `signed`, so both forms have the same.
package struct SyncBatch: Equatable, Sendable {
    package static let signatureSize = 64
    /// The bytes before those that are signed, so that no other signature is one of a batch.
    package static let domain: [UInt8] = Array("keychain sync 1: batch".utf8)

    package let header: SyncHeader
    package let statements: [SyncStatement]
    /// The sealed part; nil in a carried batch.
    package let sealed: [UInt8]?
    package let sealedHash: BatchHash
    package let signature: [UInt8]
    private let head: [UInt8]

    /// The header as it is associated with the sealed part.
    package static func associated(_ header: SyncHeader, _ statements: [SyncStatement], sealedSize: Int) -> [UInt8] {
        let open = statements.flatMap(\.bytes)
        return header.bytes(mark: SyncHeader.batch, open: open.count, sealed: sealedSize)
    }

    /// Makes a batch of its parts.
    ///
    /// - Parameter sign: gives the signature of the bytes ``signed``.
    package init<Failure: Error>(
        _ header: SyncHeader, _ statements: [SyncStatement], sealed: [UInt8], sealedHash: BatchHash,
        sign: (_ signed: [UInt8]) throws(Failure) -> [UInt8]
    ) throws(Failure) {
        let open = statements.flatMap(\.bytes)
        head = header.bytes(mark: SyncHeader.batch, open: open.count, sealed: sealed.count) + open
        signature = try sign(Self.domain + head + sealedHash.bytes)
        (self.header, self.statements, self.sealed, self.sealedHash) = (header, statements, sealed, sealedHash)
    }

    /// Reads a whole batch.
    ///
    /// - Parameter hash: SHA-256.
    /// - Throws: ``SyncMalformed`` when the bytes are not exactly a batch.
    package init(decoding bytes: [UInt8], hash: ([UInt8]) -> BatchHash) throws(SyncMalformed) {
        let span = bytes.span
        var cursor = SyncCursor(0..<bytes.count)
        let (header, open, sealedSize) = try Self.begin(&cursor, in: span)
        let sealed = try cursor.array(sealedSize, in: span)
        signature = try cursor.array(Self.signatureSize, in: span)
        try cursor.finish()
        (self.header, self.sealed, sealedHash) = (header, sealed, hash(sealed))
        head = span.array(0, open.upperBound)
        statements = try SyncStatement.list(in: span, open)
    }

    /// Reads a batch that was carried without its sealed part.
    ///
    /// - Throws: ``SyncMalformed`` when the bytes are not exactly that.
    package init(carried bytes: [UInt8]) throws(SyncMalformed) {
        let span = bytes.span
        var cursor = SyncCursor(0..<bytes.count)
        let (header, open, _) = try Self.begin(&cursor, in: span)
        sealedHash = try cursor.hash(in: span)
        signature = try cursor.array(Self.signatureSize, in: span)
        try cursor.finish()
        (self.header, sealed) = (header, nil)
        head = span.array(0, open.upperBound)
        statements = try SyncStatement.list(in: span, open)
    }

    /// Reads what is to be signed: header and statements.
    ///
    /// - Throws: ``SyncMalformed`` when the bytes are not exactly that.
    package init(unsigned head: [UInt8], sealedHash: BatchHash) throws(SyncMalformed) {
        let unsigned = [UInt8](repeating: 0, count: Self.signatureSize)
        try self.init(carried: head + sealedHash.bytes + unsigned)
    }

    private init(copying other: SyncBatch) {
        (header, statements, sealed, sealedHash) = (other.header, other.statements, nil, other.sealedHash)
        (signature, head) = (other.signature, other.head)
    }

    private static func begin(
        _ cursor: inout SyncCursor, in span: Span<UInt8>
    ) throws(SyncMalformed) -> (SyncHeader, open: Range<Int>, sealedSize: Int) {
        let header = try SyncHeader(&cursor, in: span, mark: SyncHeader.batch)
        let open = try cursor.count(atMost: SyncLimits.openBytes, in: span)
        let sealed = try cursor.count(atMost: SyncLimits.sealedBytes, in: span)
        guard (sealed == 0) == (header.generation == .none) else { throw .value }
        return (header, try cursor.take(open), sealed)
    }

    /// The bytes that the signature covers and the hash is of.
    package var signed: [UInt8] { Self.domain + head + sealedHash.bytes }
    /// The header and the statements, which the sealed part is bound to.
    package var associated: [UInt8] { Array(head.prefix(SyncHeader.size)) }
    /// The bytes of a whole batch; nil for a carried one.
    package var bytes: [UInt8]? { sealed.map { head + $0 + signature } }
    /// The bytes without the sealed part.
    package var carried: [UInt8] { head + sealedHash.bytes + signature }
    /// The same batch without its sealed part.
    package var withoutSealed: SyncBatch { SyncBatch(copying: self) }
    /// Its slot.
    package var slot: SyncSlot { SyncSlot(circle: header.circle, device: header.device, seq: header.seq) }
}
