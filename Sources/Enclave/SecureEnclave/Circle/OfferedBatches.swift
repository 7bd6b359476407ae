import KeychainCrypto
import KeychainModel
import SyncFormat

/// The batches that were offered to a machine without a circle, for a recovery key. None is believed.
struct OfferedBatches {
    /// The statements of all circles at a place: a circle of years has less.
    static let statingBytes = 8 << 20
    /// Whole batches of each log, to see when it last changed.
    static let lastOfEach = 4
    static let lastBytes = 16 << 20
    static let logs = 256

    /// Those that state something, without their sealed parts.
    private(set) var stating: [SyncBatch] = []
    /// The last ones of each log that have a sealed part.
    private(set) var last: [Log: [SyncBatch]] = [:]
    private var size = 0
    /// Those that came in parts of snapshots, each once.
    private var known: Set<[UInt8]> = []

    struct Log: Hashable {
        let circle: CircleID
        let device: MemberID
    }

    var circles: Set<CircleID> { Set(stating.map(\.header.circle)) }

    /// - Throws: `errSecDecode` (`circle.malformed`), `errSecParam` (`circle.full`).
    mutating func take(_ bytes: [UInt8]) throws(Refusal) {
        // A snapshot carries batches without their sealed parts.
        guard let batch = Self.whole(bytes) ?? (try? SyncBatch(carried: bytes)) else { throw .malformedBatch }
        let carried = batch.carried
        if !batch.statements.isEmpty, known.insert(carried).inserted {
            size += carried.count
            guard size <= Self.statingBytes else { throw .fullCircle }
            stating.append(batch.withoutSealed)
        }
        guard batch.sealed != nil else { return }
        if batch.header.generation != .none { keepLast(batch) }
    }

    private static func whole(_ bytes: [UInt8]) -> SyncBatch? {
        try? SyncBatch(decoding: bytes) { (try? BatchHash(sha256: $0.span)) ?? .none }
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
