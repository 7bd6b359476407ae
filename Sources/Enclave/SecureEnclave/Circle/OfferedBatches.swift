import KeychainCrypto
import KeychainModel
import SyncFormat

/// The batches and the parts of snapshots that were offered to a machine without a circle, for a recovery key. None is
/// believed.
///
/// A place that leaves out a batch, with a removal in it, thereby leaves out all that its author wrote later. It cannot
/// look as new as it would be with it. Where logs are gone in part, a snapshot stands for the missing batches.
struct OfferedBatches {
    /// The statements of all circles at a place: a circle of years has less.
    static let statingBytes = 8 << 20
    /// Whole batches of logs, to see when each last changed.
    static let lastBytes = 16 << 20
    /// Whole batches that announce snapshots.
    static let announcingBytes = 16 << 20
    /// Batches of all logs.
    static let most = 1 << 18
    /// The room of a log's segment, and of a batch in a part, also where another part has it.
    private static let entryBytes = 256

    typealias Hash = @Sendable (_ bytes: [UInt8]) throws(CryptoError) -> BatchHash

    /// A batch by its hash, and by its signature: anybody can write one with another.
    private struct Signed: Hashable {
        let hash: BatchHash
        let signature: [UInt8]
    }

    private(set) var circles: [CircleID: OfferedCircle] = [:]
    /// Batches that state something, once for all logs and parts that show them, and those that were in a log.
    private var known: [Signed: SyncBatch] = [:]
    private var logged: Set<Signed> = []
    /// The keys of machines that somebody adds: a machine has its name from them.
    private var keys: [MemberID: MemberKeys] = [:]
    private var (count, size, lastSize, announcingSize) = (0, 0, 0, 0)
    private let hash: Hash

    /// - Parameter hash: SHA-256.
    init(hash: @escaping Hash = { (bytes) throws(CryptoError) in try BatchHash(sha256: bytes.span) }) {
        self.hash = hash
    }

    /// Takes a batch, or a part of a snapshot.
    ///
    /// - Throws: `errSecDecode` (`circle.malformed`), `errSecParam` (`circle.full`); what a hash fails with.
    mutating func take(_ bytes: [UInt8]) throws(Refusal) {
        if bytes.starts(with: SnapshotPart.mark) { return try take(part: bytes) }
        let batch = try whole(bytes)
        // Once an author's keys are known, nobody else takes room in its log.
        if let author = keys[batch.header.device], try !author.isAuthor(of: batch) { return }
        let hash = try hash(of: batch.signed)
        try noteKeys(in: batch, Signed(hash: hash, signature: batch.signature))
        let segment = try enter(batch.header, hash)
        if !batch.statements.isEmpty { try keepStating(batch, hash, in: segment) }
        if batch.header.generation != .none { try keepWhole(batch, hash, in: segment) }
    }

    /// - Returns: the segment of its log that a batch belongs to.
    private mutating func enter(_ header: SyncHeader, _ hash: BatchHash) throws(Refusal) -> Int {
        let (circle, device) = (header.circle, header.device)
        let isNew = circles[circle]?.logs[device]?.has(header, hash) != true
        // A batch may begin a segment.
        if isNew { try requireRoom(Self.entryBytes, batches: 1) }
        let segments = circles[circle]?.logs[device]?.segments.count ?? 0
        let segment = circles[circle, default: .init()].logs[device, default: .init()].enter(header, hash)
        if isNew { count += 1 }
        if segment == segments { size += Self.entryBytes }
        return segment
    }

    private mutating func keepStating(
        _ batch: SyncBatch, _ hash: BatchHash, in segment: Int
    ) throws(Refusal) {
        let signed = Signed(hash: hash, signature: batch.signature)
        guard !logged.contains(signed) else { return }
        let kept = try share(batch, signed)
        circles[batch.header.circle]?.logs[batch.header.device]?.keep(stating: kept, in: segment)
        logged.insert(signed)
    }

    private mutating func keepWhole(_ batch: SyncBatch, _ hash: BatchHash, in segment: Int) throws(Refusal) {
        let (circle, device, bytes) = (batch.header.circle, batch.header.device, batch.sealed?.count ?? 0)
        if circles[circle]?.snapshots.lacks(batch) == true {
            guard announcingSize + bytes <= Self.announcingBytes else { throw .fullCircle }
            announcingSize += bytes
            circles[circle]?.snapshots.keep(announcing: batch, hash)
        }
        lastSize += circles[circle]?.logs[device]?.keep(last: batch, in: segment) ?? 0
        guard lastSize > Self.lastBytes else { return }
        // The newest change is not shown.
        lastSize += circles[circle]?.logs[device]?.forgetLast(in: segment) ?? 0
    }

    private mutating func take(part bytes: [UInt8]) throws(Refusal) {
        guard let part = try? SnapshotPart(decoding: bytes) else { throw .malformedBatch }
        let hash = try hash(of: bytes)
        guard circles[part.header.circle]?.snapshots.parts[hash] == nil else { return }
        let room = (part.carried.count + 1) * Self.entryBytes
        try requireRoom(room)
        size += room
        var carried: [SyncBatch] = []
        for batch in part.carried {
            let signed = Signed(hash: try self.hash(of: batch.signed), signature: batch.signature)
            try noteKeys(in: batch, signed)
            carried.append(try share(batch, signed))
        }
        circles[part.header.circle, default: .init()].snapshots.keep(part: part.header, carried, hash)
    }

    private func whole(_ bytes: [UInt8]) throws(Refusal) -> SyncBatch {
        var failure: CryptoError?
        let batch = try? SyncBatch(decoding: bytes) { sealed in
            do throws(CryptoError) { return try hash(sealed) } catch {
                failure = error
                return .none
            }
        }
        if let failure { throw .crypto(failure) }
        guard let batch else { throw .malformedBatch }
        return batch
    }

    private func hash(of bytes: [UInt8]) throws(Refusal) -> BatchHash {
        do throws(CryptoError) { return try hash(bytes) } catch { throw .crypto(error) }
    }

    private mutating func share(_ batch: SyncBatch, _ signed: Signed) throws(Refusal) -> SyncBatch {
        if let known = known[signed] { return known }
        let bytes = batch.carried.count
        try requireRoom(bytes)
        size += bytes
        let kept = batch.withoutSealed
        known[signed] = kept
        return kept
    }

    private mutating func noteKeys(in batch: SyncBatch, _ signed: Signed) throws(Refusal) {
        guard known[signed] == nil else { return }
        try requireRoom(batch.carried.count)
        for added in batch.added { keys[MemberID(try hash(of: added.signing + added.agreement).bytes)] = added }
    }

    private func requireRoom(_ bytes: Int, batches: Int = 0) throws(Refusal) {
        guard size + bytes <= Self.statingBytes, count + batches <= Self.most else { throw .fullCircle }
    }
}

extension SyncBatch {
    /// The keys of machines that it adds.
    fileprivate var added: [MemberKeys] {
        statements.compactMap { statement in
            switch statement {
            case .genesis(let keys, _): keys
            case .add(let addition): addition.keys
            default: nil
            }
        }
    }
}
