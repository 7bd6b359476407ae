import LinuxSystem
import SyncFormat

/// One look at the logs in a folder.
struct FolderReading {
    private(set) var changes = TransportChanges()
    private let heads: [MemberID: UInt64]
    private var budget: ByteBudget

    init(after heads: [MemberID: UInt64], atMost most: Int) {
        (self.heads, budget) = (heads, ByteBudget(atMost: most))
    }

    /// Takes what a log has behind its head, and other copies of its batches.
    mutating func read(_ log: SyncSlot, in folder: HeldFolder, _ witnesses: borrowing Lock<SeenWitnesses>) {
        guard let names = try? folder.names(atMost: TransportLimits.names) else {
            changes.unreadable.append(log)
            return
        }
        let files = names.compactMap { name in FolderName(name, in: log).map { (name, $0) } }
        for (name, file) in files where !file.isWitness { take(log.batch(file.seq), from: folder, name) }
        let others = files.filter { $0.1.isWitness }.prefix(TransportLimits.witnesses)
        for (name, file) in others { give(log.batch(file.seq), from: folder, name, witnesses) }
    }

    private mutating func take(_ slot: SyncSlot, from folder: HeldFolder, _ name: String) {
        changes.ends[slot.device] = max(changes.ends[slot.device] ?? 0, slot.seq)
        guard slot.seq > heads[slot.device] ?? 0 else { return }
        guard budget.hasRoom else {
            changes.isComplete = false
            return
        }
        let bytes = (try? folder.content(of: name, limit: TransportLimits.slotBytes)) ?? nil
        if let bytes { append(slot, bytes) } else { changes.unreadable.append(slot) }
    }

    /// Gives another copy once: its reader keeps it as a proof.
    private mutating func give(
        _ slot: SyncSlot, from folder: HeldFolder, _ name: String, _ witnesses: borrowing Lock<SeenWitnesses>
    ) {
        guard budget.hasRoom else {
            changes.isComplete = false
            return
        }
        guard let bytes = (try? folder.content(of: name, limit: TransportLimits.slotBytes)) ?? nil else { return }
        if witnesses.withLock({ $0.isNew(slot, bytes) }) { append(slot, bytes) }
    }

    private mutating func append(_ slot: SyncSlot, _ bytes: [UInt8]) {
        changes.batches.append((slot, bytes))
        budget.take(bytes)
    }
}

/// The other copies of batches that were given already. They are told apart by hashes with a key of this process.
struct SeenWitnesses {
    private var hashes: Set<Int> = []

    mutating func isNew(_ slot: SyncSlot, _ bytes: [UInt8]) -> Bool {
        var hasher = Hasher()
        hasher.combine(slot)
        hasher.combine(bytes)
        return hashes.insert(hasher.finalize()).inserted
    }
}

extension SyncSlot {
    /// The slot of a batch in the same log.
    fileprivate func batch(_ seq: UInt64) -> SyncSlot { SyncSlot(circle: circle, device: device, seq: seq) }
}
