import LinuxSystem
import SyncFormat
import SyncTransports
import TestSupport
import Testing

@testable import PostgresTransport

/// Rows as no server gives them, the same in each run.
private struct RandomRows {
    private var dice: SplitMix64

    init(seed: UInt64) { dice = SplitMix64(seed: seed) }

    mutating func below(_ count: Int) -> Int { Int.random(in: 0..<count, using: &dice) }

    /// One of a few machines, mostly.
    private mutating func device() -> [UInt8] {
        below(8) == 0
            ? dice.bytes([0, 15, 16, 17].randomElement(using: &dice) ?? 0) : MemberID(number: UInt128(below(3))).bytes
    }

    /// A small number or an extreme one, mostly of eight bytes.
    private mutating func seq() -> [UInt8] {
        if below(8) == 0 { return dice.bytes([0, 7, 8, 9].randomElement(using: &dice) ?? 0) }
        let number: UInt64 = below(8) == 0 ? .max - UInt64(below(2)) : UInt64(below(12))
        return (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64(56 - 8 * $0)) }
    }

    private mutating func row() -> PostgresConnection.Row {
        let whole: PostgresConnection.Row = [device(), seq(), dice.bytes(below(40))]
        switch below(10) {
        case 0: return Array(whole.prefix(below(3)))
        case 1: return whole + [nil]
        case 2:
            var row = whole
            row[below(3)] = nil
            return row
        default: return whole
        }
    }

    mutating func rows() -> [PostgresConnection.Row] { (0..<below(12)).map { _ in row() } }

    mutating func heads() -> [MemberID: UInt64] {
        let devices = (0..<below(4)).map { _ in MemberID(number: UInt128(below(3))) }
        return Dictionary(devices.map { ($0, UInt64(below(8))) }, uniquingKeysWith: max)
    }
}

@Suite("Rows that a server answers with")
struct RandomAnswerTests {
    @Test(
        "Whatever rows say, batches are new, in order, and no more than were asked for, and an end is what a row says")
    func rows() {
        var (found, complete) = (0, 0)
        for seed in UInt64(1)...UInt64(full(200_000, gate: 5_000)) {
            var random = RandomRows(seed: seed)
            let (ends, rows, heads, most) = (random.rows(), random.rows(), random.heads(), random.below(100))
            let changes = TransportChanges(of: CircleID(number: 1), ends, rows, after: heads, atMost: most)
            let problem = problem(of: changes, ends, rows, heads, most)
            #expect(problem == nil, "seed \(seed)")
            found += changes.batches.count
            complete += changes.isComplete ? 1 : 0
        }
        #expect(found > 5_000 && complete > 100, "\(found) batches, \(complete) complete")
    }

    private func problem(
        of changes: TransportChanges, _ ends: [PostgresConnection.Row], _ rows: [PostgresConnection.Row],
        _ heads: [MemberID: UInt64], _ most: Int
    ) -> String? {
        var last = heads
        for (slot, bytes) in changes.batches {
            guard slot.seq > last[slot.device] ?? 0 else { return "\(slot) is not new, or not in order" }
            guard slot.circle == CircleID(number: 1), slot.part == nil else { return "\(slot) was not asked for" }
            guard rows.contains(where: { says($0, slot.device, slot.seq) && $0.count > 2 && $0[2] == bytes }) else {
                return "\(slot) is in no row"
            }
            last[slot.device] = slot.seq
        }
        let size = changes.batches.dropLast().map(\.bytes.count).reduce(0, +)
        guard size < max(most, 1) || changes.batches.count < 2 else { return "\(size) bytes" }
        for (device, seq) in changes.ends where !ends.contains(where: { says($0, device, seq) }) {
            return "the end of \(device) is in no row"
        }
        let isComplete = changes.ends.allSatisfy { last[$0.key] ?? 0 >= $0.value }
        return changes.isComplete == isComplete ? nil : "it is not as complete as it says"
    }

    private func says(_ row: PostgresConnection.Row, _ device: MemberID, _ seq: UInt64) -> Bool {
        row.count > 1 && row[0] == device.bytes
            && row[1] == (0..<8).map { UInt8(truncatingIfNeeded: seq >> (56 - 8 * $0)) }
    }
}
