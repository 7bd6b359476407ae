package import KeychainEngine
package import KeychainModel
import KeychainStore
import LinuxSystem
package import SyncFormat
package import SyncMerging

/// A keychain in its circle. Each of its changes is one transaction of the store, which has the rows and what is known
/// of the circle; nothing is kept besides. A crash leaves both as they were before, or as they were after.
package struct CircleMember {
    private let engine: KeychainEngine
    private let keys: any CircleKeys
    /// Microseconds since 1970.
    private let clock: @Sendable () -> UInt64

    /// - Parameter keys: of this machine in the circle.
    package init(
        _ engine: KeychainEngine, _ keys: any CircleKeys,
        clock: @escaping @Sendable () -> UInt64 = { UInt64(max(0, Clock.realtimeNanoseconds / 1000)) }
    ) {
        (self.engine, self.keys, self.clock) = (engine, keys, clock)
    }

    /// The keychain belongs to a circle from now on, and marks its items for the other machines. It stays with what it
    /// knows already.
    package func enter(_ circle: CircleID, as me: MemberID) throws(Refusal) {
        try CircleRecords(engine).enter()
        try engine.withCircleItems { (items) throws(Refusal) in
            guard try items.entries(try items.tables.reader.circleState()).isEmpty else { return }
            for entry in Replica(circle: circle, me: me, rows: StoredRows(me: me)).saved {
                try items.tables.keep(try items.piece(entry))
            }
        }
    }

    /// Does something as a member of the circle, after what waited for an unlocked machine was merged.
    ///
    /// - Throws: `errSecNotAvailable` in a keychain of no circle; what the store says. Nothing is changed then.
    package func perform<Result>(
        _ body: (inout Replica<StoredRows>, _ now: UInt64) -> Result
    ) throws(Refusal) -> Result {
        var memory = CircleMemory()
        return try perform(keeping: &memory, body)
    }

    /// The same for a caller that keeps in memory what it can from one change to the next.
    ///
    /// - Parameter memory: what was kept of the change before.
    package func perform<Result>(
        keeping memory: inout CircleMemory, _ body: (inout Replica<StoredRows>, _ now: UInt64) -> Result
    ) throws(Refusal) -> Result {
        // Whatever fails from here on, all is read again but the batches that wait.
        let (known, waiting) = (memory.take(), memory.waiting)
        let (result, next) = try engine.withCircleItems { (items) throws(Refusal) in
            let next = try current(items, known, waiting)
            return (try perform(items, next, body), next)
        }
        memory = CircleMemory(next)
        return result
    }

    private func perform<Result>(
        _ items: CircleItems, _ known: KnownCircle, _ body: (inout Replica<StoredRows>, _ now: UInt64) -> Result
    ) throws(Refusal) -> Result {
        let now = clock()
        known.replica.unlock(now: now, keys)
        let result = body(&known.replica, now)
        // A failure of the keys must not look like something that the batches say.
        if let failure = keys.failure { throw failure }
        try known.keep(in: items)
        return result
    }

    /// The circle as the store has it now.
    private func current(
        _ items: CircleItems, _ known: KnownCircle?, _ waiting: WaitingBatches?
    ) throws(Refusal) -> KnownCircle {
        let (changed, moment) = try items.tables.recordsChanged(since: known?.moment)
        if let known, let changed {
            try known.replica.rows.begin(items, changed: changed, keys)
            known.moment = moment
            return known
        }
        let restored = try restored(items, at: moment)
        if let waiting { restored.replica.waitingForTheirTurn = waiting }
        return restored
    }

    /// Whether the store knows a circle: its name, and that of this machine; nil for none.
    package var entered: (circle: CircleID, me: MemberID)? {
        get throws(Refusal) {
            try engine.withCircleItems { (items) throws(Refusal) in
                let entries = try items.entries(try items.tables.reader.circleState())
                guard let me = StateEntry.machine(in: entries), let circle = StateEntry.circle(in: entries) else {
                    return nil
                }
                return (circle, me)
            }
        }
    }

    private func restored(_ items: CircleItems, at moment: RecordMoment) throws(Refusal) -> KnownCircle {
        let pieces = try items.tables.reader.circleState()
        let entries = try items.entries(pieces)
        guard let me = StateEntry.machine(in: entries) else { throw .noCircle }
        let rows = try StoredRows(items, me: me, keys)
        do throws(SyncMalformed) {
            return KnownCircle(try Replica(restoring: entries, rows: rows, keys), pieces, at: moment)
        } catch { throw .damagedCircle }
    }
}

extension Refusal {
    fileprivate static let noCircle = Refusal(
        .notAvailable, .notFound, "sync", "The keychain belongs to no circle of machines.",
        do: "Set synchronisation up first.")

    static let damagedCircle = Refusal(
        .notAvailable, .damaged, "sync", "What the keychain knows of its circle of machines is not what was written.",
        do: "Leave the circle and join it again; no item is lost.")
}
