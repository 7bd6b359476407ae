import KeychainModel
import KeychainWire
import SyncFormat
import SyncMerging
import SyncStore

/// Batches that a snapshot has made superfluous.
extension OwnCircle {
    /// The place has slots no more.
    func discarded(_ slots: [SyncSlot]) throws(Refusal) {
        try change { file in
            for slot in slots {
                if let part = slot.part {
                    if file.snapshots[slot.seq] == Int(part) + 1 { file.snapshots[slot.seq] = nil }
                } else {
                    file.discarded[slot.device] = max(file.discarded[slot.device] ?? 0, slot.seq)
                }
            }
        }
    }
}

extension Replica {
    /// The slots that the place is to discard next: those of a snapshot that all have endorsed, of this machine's log
    /// and of removed members. A machine that sends nothing discards nothing either.
    func discarding(_ file: CircleNotes) -> [SyncSlot] {
        guard !file.isPaused, !file.isDoubled, !isRemoved, rolledBack.isEmpty else { return [] }
        let ends = discardable
        var slots = ownParts(file, upTo: ends[me] ?? 0)
        for (device, end) in ends.sorted(by: { $0.key < $1.key }) where device == me || file.mayDiscardOthers {
            let first = (file.discarded[device] ?? 0) + 1
            let count = UInt64(SyncView.mostSlots - min(slots.count, SyncView.mostSlots))
            guard first <= end, count > 0 else { continue }
            let last = min(end, first + count - 1)
            slots += (first...last).map { SyncSlot(circle: circle, device: device, seq: $0) }
        }
        return slots
    }

    /// The parts of older snapshots of this machine's.
    private func ownParts(_ file: CircleNotes, upTo end: UInt64) -> [SyncSlot] {
        let old = file.snapshots.filter { $0.key <= end }.sorted { $0.key < $1.key }
        return old.flatMap { seq, count in
            (0..<UInt32(count)).map { SyncSlot(circle: circle, device: me, seq: seq, part: $0) }
        }.prefix(SyncView.mostSlots).map { $0 }
    }
}

extension CircleNotes {
    /// A server keeps the batches of a removed member for a month, and takes no discard of them before.
    fileprivate var mayDiscardOthers: Bool { if case .server? = SyncPlace(place) { false } else { true } }
}
