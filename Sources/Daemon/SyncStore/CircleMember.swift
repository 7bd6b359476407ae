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
            guard try items.state().isEmpty else { return }
            let rows = try StoredRows(items, me: me, keys)
            try items.keep(Replica(circle: circle, me: me, rows: rows).saved)
        }
    }

    /// Does something as a member of the circle, after what waited for an unlocked machine was merged.
    ///
    /// - Throws: `errSecNotAvailable` in a keychain of no circle; what the store says. Nothing is changed then.
    package func perform<Result>(
        _ body: (inout Replica<StoredRows>, _ now: UInt64) -> Result
    ) throws(Refusal) -> Result {
        var waiting: WaitingBatches?
        return try perform(keeping: &waiting, body)
    }

    /// The same for a caller that keeps the batches that wait for their turn.
    ///
    /// - Parameter waiting: those that waited after the change before; nil for none.
    package func perform<Result>(
        keeping waiting: inout WaitingBatches?,
        _ body: (inout Replica<StoredRows>, _ now: UInt64) -> Result
    ) throws(Refusal) -> Result {
        let (result, left) = try engine.withCircleItems { (items) throws(Refusal) in
            try perform(items, waiting, body)
        }
        waiting = left
        return result
    }

    private func perform<Result>(
        _ items: CircleItems, _ waiting: WaitingBatches?,
        _ body: (inout Replica<StoredRows>, _ now: UInt64) -> Result
    ) throws(Refusal) -> (Result, WaitingBatches) {
        var replica = try restored(items)
        if let waiting { replica.waitingForTheirTurn = waiting }
        let now = clock()
        replica.unlock(now: now, keys)
        let result = body(&replica, now)
        // A failure of the keys must not look like something that the batches say.
        if let failure = keys.failure { throw failure }
        try replica.rows.apply()
        try items.keep(replica.saved)
        try items.tables.raiseFloor(to: Int64(replica.stampFloor))
        return (result, replica.waitingForTheirTurn)
    }

    /// Whether the store knows a circle: its name, and that of this machine; nil for none.
    package var entered: (circle: CircleID, me: MemberID)? {
        get throws(Refusal) {
            try engine.withCircleItems { (items) throws(Refusal) in
                let entries = try items.state()
                guard let me = StateEntry.machine(in: entries), let circle = StateEntry.circle(in: entries) else {
                    return nil
                }
                return (circle, me)
            }
        }
    }

    private func restored(_ items: CircleItems) throws(Refusal) -> Replica<StoredRows> {
        let entries = try items.state()
        guard let me = StateEntry.machine(in: entries) else { throw .noCircle }
        let rows = try StoredRows(items, me: me, keys)
        do throws(SyncMalformed) { return try Replica(restoring: entries, rows: rows, keys) } catch {
            throw .damagedCircle
        }
    }
}

extension CircleItems {
    /// The pieces of the state.
    fileprivate func state() throws(Refusal) -> [StateEntry] {
        var entries: [StateEntry] = []
        for piece in try tables.reader.circleState() { entries.append(try entry(piece)) }
        return entries
    }

    private func entry(_ piece: StoredPiece) throws(Refusal) -> StateEntry {
        guard let entry = try? StateEntry(name: piece.name, value: piece.value, secret: nil) else {
            throw .damagedCircle
        }
        guard let sealed = piece.sealed else { return entry }
        return entry.with(try secret(sealed, of: entry))
    }
}

extension CircleItems {
    /// Keeps these as the pieces of the state.
    fileprivate func keep(_ entries: [StateEntry]) throws(Refusal) {
        var pieces: [StoredPiece] = []
        for entry in entries {
            var sealed: [UInt8]?
            if let secret = entry.secret {
                sealed = try sealSecret(secret.body, try accessibility(secret.protection), boundTo: entry.bound)
            }
            pieces.append(StoredPiece(name: entry.name, value: entry.value, sealed: sealed))
        }
        try tables.keepState(pieces)
    }

    private func accessibility(_ number: UInt8) throws(Refusal) -> Accessibility {
        guard let accessibility = Accessibility(rawValue: number) else { throw .damagedCircle }
        return accessibility
    }

    /// Opens a secret, whose protection class stands in the record's head.
    private func secret(_ sealed: [UInt8], of entry: StateEntry) throws(Refusal) -> StateEntry.Secret {
        guard let number = entry.protection else { throw .damagedCircle }
        guard let body = try openSecret(sealed, try accessibility(number), boundTo: entry.bound) else {
            throw .damagedCircle
        }
        return StateEntry.Secret(body, protection: number)
    }
}

extension StateEntry {
    /// The bytes that a piece's secret is bound to.
    ///
    ///     "sync" length:u32 name value
    fileprivate var bound: [UInt8] { Array("sync".utf8) + StateWriter.bytes { $0.add(run: name) } + value }
}

extension Refusal {
    fileprivate static let noCircle = Refusal(
        .notAvailable, .notFound, "sync", "The keychain belongs to no circle of machines.",
        do: "Set synchronisation up first.")

    fileprivate static let damagedCircle = Refusal(
        .notAvailable, .damaged, "sync", "What the keychain knows of its circle of machines is not what was written.",
        do: "Leave the circle and join it again; no item is lost.")
}
