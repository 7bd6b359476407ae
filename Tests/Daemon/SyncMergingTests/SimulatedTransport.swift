import SyncFormat
import SyncMerging

/// A transport that keeps slots, hides the ends of logs, shows old states, and damages what it delivers. It never
/// forges: it has no keys.
final class SimulatedTransport {
    private(set) var logs: [MemberID: [UInt64: [UInt8]]] = [:]
    private var parts: [SyncSlot: [UInt8]] = [:]
    /// How far logs have been discarded.
    private(set) var discarded: [MemberID: UInt64] = [:]
    /// The other batches of an equivocator, and who is shown them.
    private var other: [SyncSlot: (bytes: [UInt8], readers: Set<MemberID>)] = [:]
    /// The last batch of a log that a reader is shown.
    private var shown: [Pair: UInt64] = [:]
    private var showsBranches = false
    /// Where logs end for everybody.
    private var ends: [MemberID: UInt64] = [:]
    private let random: Dice
    let circle: CircleID

    private struct Pair: Hashable {
        let reader: MemberID
        let log: MemberID
    }

    init(_ circle: CircleID, _ random: Dice) { (self.circle, self.random) = (circle, random) }

    /// - Returns: whether the slot has these bytes now.
    func commit(_ batch: SyncBatch) -> Bool {
        guard let bytes = batch.bytes else { return false }
        let there = logs[batch.header.device]?[batch.header.seq]
        if there == nil { logs[batch.header.device, default: [:]][batch.header.seq] = bytes }
        return there == nil || there == bytes
    }

    func commit(_ part: [UInt8], in slot: SyncSlot) { parts[slot] = parts[slot] ?? part }

    /// Discards the beginning of a log, which its author or, when that one is removed, any member may do.
    func discard(_ log: MemberID, upTo seq: UInt64) {
        logs[log] = logs[log]?.filter { $0.key > seq }
        discarded[log] = max(discarded[log] ?? 0, seq)
    }

    /// The parts of a snapshot that are there, in their order.
    func parts(of device: MemberID, _ seq: UInt64) -> [[UInt8]] {
        (0..<UInt32(SyncLimits.parts)).lazy
            .map { self.parts[SyncSlot(circle: self.circle, device: device, seq: seq, part: $0)] }
            .prefix { $0 != nil }.compactMap { $0 }
    }

    /// The same parts on a bad day: one is missing, cut, or has a flipped bit.
    func damaged(_ parts: [[UInt8]]) -> [[UInt8]] {
        var parts = parts
        guard let last = parts.popLast(), random.chance(70) else { return parts }
        let other = damaged((SyncSlot(circle: circle, device: .none, seq: 1), last)).1
        return parts + [other == last ? [] : other]
    }

    /// The batches that have parts, as a reader is shown them.
    func announcements(for reader: MemberID) -> [(bytes: [UInt8], parts: [[UInt8]])] {
        let places = Set(parts.keys.map { SyncRecord.Origin(device: $0.device, seq: $0.seq) })
        return places.sorted { ($0.device, $0.seq) < ($1.device, $1.seq) }.compactMap { place in
            guard place.seq <= shown[Pair(reader: reader, log: place.device)] ?? .max,
                let bytes = logs[place.device]?[place.seq]
            else { return nil }
            return (bytes, parts(of: place.device, place.seq))
        }
    }

    /// Keeps a second batch for a slot, and shows it to some.
    func fork(_ batch: SyncBatch, for readers: Set<MemberID>) {
        if let bytes = batch.bytes { other[batch.slot] = (bytes, readers) }
    }

    /// The slots for which there are two batches.
    var forks: [SyncSlot] {
        other.keys.filter { slot in logs[slot.device]?[slot.seq].map { $0 != other[slot]?.bytes } ?? false }
    }

    func hide(_ log: MemberID, from reader: MemberID, after seq: UInt64) {
        shown[Pair(reader: reader, log: log)] = seq
    }

    /// Nobody reads further in a log from now on.
    func cutOff(_ log: MemberID, after seq: UInt64?) { ends[log] = seq ?? 0 }

    /// The last batch of a log.
    func last(of log: MemberID) -> (slot: SyncSlot, bytes: [UInt8]) {
        let (seq, bytes) = logs[log]?.max { $0.key < $1.key } ?? (0, [])
        return (SyncSlot(circle: circle, device: log, seq: seq), bytes)
    }

    func showAll() { shown = [:] }

    /// From now on everybody sees both branches of an equivocator's log, at each delivery.
    func showBranches() { showsBranches = true }

    /// The last batch of each log that a reader is shown.
    func ends(for reader: MemberID) -> [MemberID: UInt64] {
        var ends: [MemberID: UInt64] = [:]
        for (device, log) in logs {
            let last = shown[Pair(reader: reader, log: device)] ?? .max
            ends[device] = log.keys.filter { $0 <= last }.max()
        }
        return ends
    }

    /// Everything that a reader is shown now, in any order.
    func deliveries(to reader: MemberID, after heads: [MemberID: LogHead]) -> [(SyncSlot, [UInt8])] {
        var found: [(SyncSlot, [UInt8])] = []
        for device in logs.keys.sorted() {
            let from = heads[device]?.seq ?? 0
            for (seq, bytes) in (logs[device] ?? [:]).sorted(by: { $0.key < $1.key }) {
                guard seq <= ends[device] ?? .max else { break }
                let slot = SyncSlot(circle: circle, device: device, seq: seq)
                let isSplit = showsBranches && other[slot] != nil
                let isOld = seq <= from && !isSplit && !random.chance(3)
                if isOld || seq > shown[Pair(reader: reader, log: device)] ?? .max { continue }
                let fork = other[slot].flatMap { $0.readers.contains(reader) ? $0.bytes : nil }
                found.append((slot, fork ?? bytes))
                if showsBranches, let branch = other[slot]?.bytes { found += [(slot, branch), (slot, bytes)] }
                if random.chance(2) { found.append((slot, fork ?? bytes)) }
            }
        }
        return random.chance(50) ? found : random.shuffled(found)
    }

    /// A damaged form of a delivery: cut, with a flipped bit, or in another slot.
    func damaged(_ delivery: (SyncSlot, [UInt8])) -> (SyncSlot, [UInt8]) {
        var (slot, bytes) = delivery
        switch random.below(3) {
        case 0: bytes.removeLast(1 + random.below(bytes.count - 1))
        case 1: bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
        default: slot = SyncSlot(circle: circle, device: slot.device, seq: slot.seq + 1)
        }
        return (slot, bytes)
    }
}
