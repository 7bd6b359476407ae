package import KeychainModel
package import KeychainWire
import SyncFormat
package import SyncTransports

/// One round of a carrier: what the transport has goes to the daemon, then what the daemon has goes to the transport.
///
/// A round that was cut off anywhere has done no harm: a slot is created whole or not at all, the daemon takes a batch
/// a second time, and offers again what it has not seen committed.
package struct CarrierRound {
    private let daemon: any CircleDaemon
    private let transport: any SyncTransport

    /// The work of a round.
    package struct Outcome: Equatable, Sendable {
        /// Batches that the daemon was given, and how many of them it refused.
        package var taken = 0
        package var refused = 0
        /// Slots that were created.
        package var committed = 0
        /// Whether there was another round to go at once, which is left for later.
        package var hasMore = false

        package init() {}
    }

    /// Why a round did not come to its end.
    package enum Failure: Error, Equatable {
        case daemon(Refusal)
        case transport(TransportProblem)
    }

    /// The bytes of batches that are read in one call.
    private static let pageBytes = 4 << 20
    /// The slots that one round commits: a first snapshot has 256 parts.
    private static let mostCommits = 1024
    /// The looks of one round. A daemon that finds its slot occupied reads that log before it goes on.
    private static let mostLooks = 4

    package init(_ daemon: any CircleDaemon, _ transport: any SyncTransport) {
        (self.daemon, self.transport) = (daemon, transport)
    }

    /// Goes round once, and tells the daemon why it did not come to its end.
    ///
    /// - Throws: ``Failure``.
    package func run(_ positions: SyncPositions) throws(Failure) -> Outcome {
        do throws(Failure) { return try exchange(positions) } catch {
            var view = SyncView()
            switch error {
            case .transport(let problem):
                view.problem = problem.description.plain
                try say(view)
            // A store without room is a reason for the status. A daemon that is gone does not hear it.
            case .daemon(let refusal):
                view.problem = "\(refusal.problem) \(refusal.remedy)".plain
                try? say(view)
            }
            throw error
        }
    }

    private func exchange(_ first: SyncPositions) throws(Failure) -> Outcome {
        var (outcome, positions, wasOccupied) = (Outcome(), first, false)
        // First, because a removed machine may hinder what follows: a place that it has filled takes no batch.
        try? dismiss(first)
        for _ in 1...Self.mostLooks {
            let hasTakenParts = try look(positions, &outcome)
            let isOccupied = try publish(&outcome)
            let next = try asking { () throws(Refusal) in try daemon.positions() }
            guard let next, next.circle == first.circle else { return outcome }
            // A slot that stays taken, and in whose log a look has shown nothing new, waits for news of the transport.
            let isStuck = wasOccupied && next.heads == positions.heads
            // Parts that the transport has not are asked for again with the next round.
            let brings = next.wanted != positions.wanted && (positions.wanted.isEmpty || hasTakenParts)
            outcome.hasMore = isOccupied && !isStuck || brings
            (positions, wasOccupied) = (next, isOccupied)
            guard outcome.hasMore else { break }
        }
        try dismiss(positions)
        if !positions.discarding.isEmpty {
            try moving { () throws(TransportProblem) in try transport.discard(positions.discarding) }
            try asking { () throws(Refusal) in try daemon.discarded(positions.discarding) }
        }
        return outcome
    }

    /// The batch that removes a machine is there before its access goes: the daemon names no others. It names all that
    /// were removed, so that the next round ends what this one does not come to.
    private func dismiss(_ positions: SyncPositions) throws(Failure) {
        try moving { () throws(TransportProblem) in
            try transport.dismiss(positions.removed, cut: positions.cut, keeping: positions.members)
        }
    }
}

// MARK: - In

extension CarrierRound {
    /// - Returns: whether the daemon has taken a part of a snapshot.
    private func look(_ positions: SyncPositions, _ outcome: inout Outcome) throws(Failure) -> Bool {
        var (heads, view) = (positions.heads, SyncView())
        let hasTakenParts = try takeParts(positions.wanted, &outcome)
        while true {
            let changes = try moving { () throws(TransportProblem) in
                try transport.changes(after: heads, atMost: Self.pageBytes)
            }
            view.ends.merge(changes.ends, uniquingKeysWith: max)
            view.unreadable = changes.unreadable
            for (slot, bytes) in changes.batches {
                try take(bytes, in: slot, &outcome)
                // One that waits holds up no other log in this look; the next look asks for it again.
                heads[slot.device] = max(heads[slot.device] ?? 0, slot.seq)
            }
            if changes.isComplete || changes.batches.isEmpty { break }
        }
        try say(view)
        return hasTakenParts
    }

    private func say(_ view: SyncView) throws(Failure) {
        try asking { () throws(Refusal) in try daemon.saw(view) }
    }

    private func takeParts(_ wanted: [SyncSlot], _ outcome: inout Outcome) throws(Failure) -> Bool {
        var hasTaken = false
        for slot in wanted {
            let bytes = try moving { () throws(TransportProblem) in try transport.read(slot) }
            if let bytes, try take(bytes, in: slot, &outcome) != .refused { hasTaken = true }
        }
        return hasTaken
    }

    @discardableResult
    private func take(
        _ bytes: [UInt8], in slot: SyncSlot, _ outcome: inout Outcome
    ) throws(Failure) -> SyncVerdict {
        let verdict = try asking { () throws(Refusal) in try daemon.take(bytes, in: slot) }
        outcome.taken += 1
        if verdict == .refused { outcome.refused += 1 }
        return verdict
    }
}

// MARK: - Out

extension CarrierRound {
    /// Commits what the daemon has.
    ///
    /// - Returns: whether a slot was taken by something else, which the daemon has to read about first.
    private func publish(_ outcome: inout Outcome) throws(Failure) -> Bool {
        for _ in 1...Self.mostCommits {
            guard let out = try asking({ () throws(Refusal) in try daemon.next() }) else { return false }
            let commitment = try moving { () throws(TransportProblem) in
                try transport.commit(out.bytes, in: out.slot)
            }
            try asking { () throws(Refusal) in try daemon.ended(out.slot, commitment) }
            guard commitment == .done else { return true }
            outcome.committed += 1
        }
        return true
    }

    private func asking<Result>(_ body: () throws(Refusal) -> Result) throws(Failure) -> Result {
        do throws(Refusal) { return try body() } catch { throw .daemon(error) }
    }

    private func moving<Result>(_ body: () throws(TransportProblem) -> Result) throws(Failure) -> Result {
        do throws(TransportProblem) { return try body() } catch { throw .transport(error) }
    }
}
