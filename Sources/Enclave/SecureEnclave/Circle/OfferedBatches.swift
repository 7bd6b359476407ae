import KeychainCrypto
import KeychainModel
import SyncFormat

/// The batches that were offered to a machine without a circle, for a recovery key. None is believed.
///
/// Of a log those are kept that follow one another from the first. A place that leaves one out, with a removal in it,
/// thereby leaves out all that came later, and cannot look as new as it would be with it.
struct OfferedBatches {
    /// The statements of all circles at a place: a circle of years has less.
    static let statingBytes = 8 << 20
    /// Whole batches of each log, to see when it last changed.
    static let lastOfEach = 4
    static let lastBytes = 16 << 20
    static let logs = 256
    /// A log takes room, also where it states nothing.
    private static let logBytes = 256

    /// Those that state something, without their sealed parts.
    private(set) var stating: [SyncBatch] = []
    /// The last ones of each log that have a sealed part.
    private(set) var last: [Log: [SyncBatch]] = [:]
    private var size = 0
    private var ends: [Log: End] = [:]

    struct Log: Hashable {
        let circle: CircleID
        let device: MemberID
    }

    /// How far a log goes, by the hashes of what is in its last slot: real ones are not told from others here.
    private struct End {
        /// A place shows as many copies of a batch.
        static let most = 17

        var seq: UInt64 = 0
        var last: Set<BatchHash> = [.none]
        var before: Set<BatchHash> = []

        /// - Returns: false for a batch that is not the next one, nor another one in the last slot.
        mutating func extend(by hash: BatchHash, _ header: SyncHeader) -> Bool {
            if header.seq == seq + 1, last.contains(header.previous) {
                (seq, before, last) = (header.seq, last, [hash])
                return true
            }
            guard header.seq == seq, before.contains(header.previous) else { return false }
            return last.contains(hash) || last.count < Self.most && last.insert(hash).inserted
        }
    }

    /// - Throws: `errSecDecode` (`circle.malformed`), `errSecParam` (`circle.full`).
    mutating func take(_ bytes: [UInt8]) throws(Refusal) {
        let batch: SyncBatch
        do { batch = try SyncBatch(decoding: bytes) { (try? BatchHash(sha256: $0.span)) ?? .none } } catch {
            throw .malformedBatch
        }
        guard try follows(batch) else { return }
        if !batch.statements.isEmpty {
            try takeRoom(batch.carried.count)
            stating.append(batch.withoutSealed)
        }
        if batch.header.generation != .none { keepLast(batch) }
    }

    /// Whether a batch goes on where its log has ended.
    private mutating func follows(_ batch: SyncBatch) throws(Refusal) -> Bool {
        let log = Log(circle: batch.header.circle, device: batch.header.device)
        var end = ends[log] ?? End()
        guard end.extend(by: try hash(of: batch), batch.header) else { return false }
        if ends[log] == nil { try takeRoom(Self.logBytes) }
        ends[log] = end
        return true
    }

    private func hash(of batch: SyncBatch) throws(Refusal) -> BatchHash {
        let signed = batch.signed
        do throws(CryptoError) { return try BatchHash(sha256: signed.span) } catch { throw .crypto(error) }
    }

    private mutating func takeRoom(_ bytes: Int) throws(Refusal) {
        size += bytes
        guard size <= Self.statingBytes else { throw .fullCircle }
    }

    /// Keeps a batch in place of the oldest of its log. Where there is no room, the newest change is not shown.
    private mutating func keepLast(_ batch: SyncBatch) {
        let log = Log(circle: batch.header.circle, device: batch.header.device)
        guard last[log] != nil || last.count < Self.logs else { return }
        last[log] = (last[log, default: []] + [batch]).suffix(Self.lastOfEach)
        let whole = last.values.joined().reduce(0) { $0 + ($1.sealed?.count ?? 0) }
        if whole > Self.lastBytes { last[log] = [] }
    }
}
