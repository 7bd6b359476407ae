package import SyncFormat

extension Replica {
    /// Takes what the transport has in a slot.
    ///
    /// - Parameter now: microseconds since 1970.
    package mutating func receive(
        _ bytes: [UInt8], in slot: SyncSlot, now: UInt64, _ keys: any CircleKeys
    ) -> Verdict {
        guard let batch = try? SyncBatch(decoding: bytes, hash: keys.hash), batch.slot == slot,
            batch.header.circle == circle
        else { return .refused }
        let (device, seq) = (batch.header.device, batch.header.seq)
        let head = logs[device]?.seq ?? 0
        if seq <= head { return recall(batch, keys) }
        guard keep(batch, bytes.count, keys) else {
            if keepApart(batch.withoutSealed, keys) { drain(now: now, keys) }
            return .waits
        }
        drain(now: now, keys)
        if later.contains(device) { return .needsLaterVersion }
        return (logs[device]?.seq ?? 0) >= seq ? .read : .waits
    }

    /// A batch for a place that was read: the same again, or evidence.
    private mutating func recall(_ batch: SyncBatch, _ keys: any CircleKeys) -> Verdict {
        let (device, seq) = (batch.header.device, batch.header.seq)
        guard let known = logs[device]?.marks[seq]?.hash, known != keys.hash(batch.signed) else { return .read }
        guard let author = membership.members[device]?.keys.signing,
            keys.isSignature(batch.signature, of: batch.signed, by: author)
        else { return .refused }
        notice(ForkEvidence(device: device, seq: seq, witness: device))
        return .refused
    }

    mutating func notice(_ fork: ForkEvidence) {
        guard fork.device != me, fork.witness == fork.device || !membership.removed.contains(fork.witness),
            forks.insert(fork).inserted
        else { return }
        if membership.removed.contains(fork.device) { mustPublish = true }
        doubt(fork.device, isStated: false)
    }

    /// Keeps a batch until its turn, two for each place, because only one of them may be real.
    ///
    /// The next batch of a known author always has room, so that reading goes on. Anybody can write the others, and as
    /// many logs as they like: those of unknown authors are brought again.
    private mutating func keep(_ batch: SyncBatch, _ size: Int, _ keys: any CircleKeys) -> Bool {
        let (device, seq) = (batch.header.device, batch.header.seq)
        let there = waiting[device]?[seq] ?? []
        guard !there.contains(batch) else { return true }
        let ahead = seq - (logs[device]?.seq ?? 0)
        let hasPlace = waiting[device] != nil || waiting.count < SyncLimits.members
        // Of a log that is gone in part a newcomer sees the end alone.
        let isNear = ahead <= Self.waitingBatches || mayStart && waiting[device]?.count ?? 0 < Self.waitingBatches
        let hasRoom = hasPlace && isNear && waitingSize + size <= Self.waitingBytes
        guard there.count < 2, hasRoom || ahead == 1 && author(of: batch, keys) != nil else { return false }
        waiting[device, default: [:]][seq] = there + [batch]
        for id in keysForMe(batch) { sought[id, default: []].append(batch.withoutSealed) }
        noteIntroductions(batch, keys)
        waitingSize += size
        return true
    }

    /// Reads what waits, as long as something can be read.
    mutating func drain(now: UInt64, _ keys: any CircleKeys) {
        clock = now
        var moves = !keepsBack
        while moves {
            moves = false
            if !readInTurn(now: now, keys, &moves) { return }
            // An author is read further when its records no longer wait.
            let before = heldSize
            releaseFuture(now: now, keys)
            releaseHeld(now: now, keys)
            if heldSize != before { moves = true }
        }
    }

    /// Reads the logs one after the other, first those that the transaction before has noted.
    ///
    /// - Returns: false when something was noted for the next transaction. Nothing else is read before: the author of
    ///   another log may be among those who are removed.
    private mutating func readInTurn(now: UInt64, _ keys: any CircleKeys, _ moves: inout Bool) -> Bool {
        let noted = notes
        for device in noted.keys.sorted() + waiting.keys.sorted() {
            while readNext(of: device, now: now, keys) { moves = true }
            if notes.contains(where: { noted[$0.key] != $0.value }) { return false }
        }
        return true
    }

    /// Reads the next batch of a log, if it is there and counts.
    private mutating func readNext(of device: MemberID, now: UInt64, _ keys: any CircleKeys) -> Bool {
        let head = logs[device] ?? LogHead()
        guard let candidates = waiting[device]?[head.seq + 1] else { return false }
        for batch in candidates {
            guard let author = author(of: batch, keys) else { continue }
            guard keys.isSignature(batch.signature, of: batch.signed, by: author.signing) else {
                drop(batch, keys)
                continue
            }
            guard batch.header.previous == head.hash else {
                notice(ForkEvidence(device: device, seq: batch.header.seq, witness: device))
                continue
            }
            if contradictsNote(batch, keys) { continue }
            if read(batch, now: now, keys) { return true }
        }
        return false
    }

    /// Whether a batch, which its author has signed, is another one for the place of the one that was noted. It is
    /// evidence then, and not read: the keys may have counted the other.
    private mutating func contradictsNote(_ batch: SyncBatch, _ keys: any CircleKeys) -> Bool {
        let (device, seq) = (batch.header.device, batch.header.seq)
        guard claims[device]?[me]?.seq == seq, !isNoted(batch, keys) else { return false }
        notice(ForkEvidence(device: device, seq: seq, witness: device))
        return true
    }

    private mutating func read(_ batch: SyncBatch, now: UInt64, _ keys: any CircleKeys) -> Bool {
        let device = batch.header.device
        guard isReadable(batch), counts(batch, keys) else { return false }
        if !rules.statementsFollowKeys { take(batch, .next, keys) }
        var content: SyncContent?
        if let sealed = batch.sealed, batch.header.generation != .none {
            guard hasKeys(of: batch, keys) else { return false }
            // A content that its author has sealed wrongly is wrong for every reader: the position moves.
            content = keys.open(sealed, batch.header, associated: batch.associated)
                .flatMap { try? SyncContent(decoding: $0) }
            if content == nil { quarantined[device, default: 0] += 1 }
            guard knowsOrigins(of: batch, content) else { return false }
        }
        guard keysMayTake(batch, keys) else { return false }
        guard !rules.statementsFollowKeys || take(batch, .next, keys) else {
            waitForRoom(batch)
            return false
        }
        forget(device, upTo: batch.header.seq, keys)
        count(batch, content, isOwn: false, now: now, keys)
        return true
    }

    /// Whether the keys of a batch are there, which it may itself bring. Nothing else of it counts before: a member in
    /// wrong hands can invent a generation, and what its batch states would hold for the keys alone.
    private mutating func hasKeys(of batch: SyncBatch, _ keys: any CircleKeys) -> Bool {
        let generation = batch.header.generation
        if keys.holds(generation) { return true }
        if keysForMe(batch).contains(generation) { keys.take(batch.withoutSealed, .sought) }
        return keys.holds(generation) || seek(generation, keys)
    }

    /// Whether all whose versions a batch passes on are removed here too. Its author had read of that: so must readers.
    private func knowsOrigins(of batch: SyncBatch, _ content: SyncContent?) -> Bool {
        guard rules.passingFollowsRemoval, let content else { return true }
        let removed = batch.statements.reduce(into: membership.removed) { found, statement in
            if case .remove(let target, _, _) = statement { found.insert(target) }
        }
        return content.records.allSatisfy { record in
            record.kind == SyncRecord.Kind.tombstone || record.origin.map { removed.contains($0.device) } ?? true
        }
    }

    private mutating func isReadable(_ batch: SyncBatch) -> Bool {
        let isLater = batch.header.least > SyncLimits.version || batch.statements.contains(where: \.isUnknown)
        if isLater { later.insert(batch.header.device) }
        return !isLater
    }

    mutating func forget(_ device: MemberID, upTo seq: UInt64, _ keys: any CircleKeys) {
        for batch in (waiting[device] ?? [:]).filter({ $0.key <= seq }).values.joined() { drop(batch, keys) }
        if waiting[device]?.isEmpty == true { waiting[device] = nil }
        for batch in apart[device] ?? [] where batch.header.seq <= seq { drop(batch, keys) }
        apart[device]?.removeAll { $0.header.seq <= seq }
        if apart[device]?.isEmpty == true { apart[device] = nil }
    }

    /// Takes what a batch states, and the keys that it brings for this machine. As long as nobody has vouched for the
    /// snapshot that the machine has started from, these are all that it takes. Then keys that are refused are none.
    ///
    /// - Returns: false when the keys have no room for what it states.
    @discardableResult
    func take(_ batch: SyncBatch, _ standing: BatchStanding, _ keys: any CircleKeys) -> Bool {
        guard !batch.statements.isEmpty else { return true }
        return keys.take(batch.withoutSealed, isTrusted ? standing : .sought) || !isTrusted
    }

    /// Gives all that was stated to keys that may have lost some of it.
    package func remind(_ keys: any CircleKeys, of isMeant: (SyncBatch) -> Bool = { _ in true }) {
        for batch in stating where isMeant(batch) { take(batch, .counted, keys) }
    }
}

extension SyncStatement {
    var isUnknown: Bool { if case .unknown = self { true } else { false } }
}
