import SyncFormat

// Whether a batch counts whose turn it is, before its sealed part can be read.

extension Replica {
    /// Whether a batch counts: of a removed author as far as counted batches name it, of no author that contradicts
    /// itself.
    func counts(_ batch: SyncBatch, _ keys: any CircleKeys) -> Bool {
        let device = batch.header.device
        // An author whose records wait in too great a number is read when they wait no more.
        guard (heldSize[device] ?? 0) <= Self.waitingBytes else { return false }
        if isNoted(batch, keys) { return true }
        // An equivocator's log ends here. Were it read later, its versions could be older than collected tombstones.
        let isRemoved = membership.removed.contains(device) || isOutAtOnce(batch, keys)
        if rules.splitLogsEnd || !isRemoved, doubted.contains(device) { return false }
        guard isRemoved else { return true }
        return rules.namedBatchesCount && batch.header.seq <= named[device] ?? 0
    }

    /// Whether a first batch introduces its author on the word of a recovery key that is out with all it has added but
    /// this: its code may be in wrong hands.
    private func isOutAtOnce(_ batch: SyncBatch, _ keys: any CircleKeys) -> Bool {
        guard membership.members[batch.header.device] == nil else { return false }
        var after = membership
        let place = batch.place
        for case .add(let addition) in batch.statements where keys.member(addition.keys) == place.device {
            let member = Membership.Member(
                keys: addition.keys, sponsor: addition.recoveryKey, place: place, isRecoveryKey: false, reads: 0)
            after.add(place.device, member)
        }
        return after.removed.contains(place.device)
    }

    /// Generations without whose keys the next batch of a log cannot be read, and that this machine is to have.
    func blocking(_ keys: any CircleKeys) -> Set<GenerationID> {
        waiting.reduce(into: []) { found, entry in
            let head = logs[entry.key] ?? LogHead()
            for batch in entry.value[head.seq + 1] ?? [] where batch.header.generation != .none {
                guard !keys.holds(batch.header.generation), isNext(batch, keys), !removesThisMachine(batch) else {
                    continue
                }
                found.insert(batch.header.generation)
            }
        }
    }

    /// Whether a batch, whose turn it is, counts once its keys are there. Batches of strangers cost no work.
    private func isNext(_ batch: SyncBatch, _ keys: any CircleKeys) -> Bool {
        guard let author = author(of: batch, keys),
            keys.isSignature(batch.signature, of: batch.signed, by: author.signing)
        else { return false }
        return counts(batch, keys)
    }
}

// MARK: - Removals of this machine

extension Replica {
    /// Whether the next batch of another log removes this machine. It gets no keys of that batch, and so cannot tell
    /// whether the batch counts with the others. It publishes no changes as long as the author is in.
    package func isShutOut(_ keys: any CircleKeys) -> Bool {
        waiting.contains { device, batches in
            (batches[(logs[device]?.seq ?? 0) + 1] ?? []).contains { batch in
                batch.removesSomebody && !keys.holds(batch.header.generation) && isNext(batch, keys)
                    && removesThisMachine(batch)
            }
        }
    }

    private func removesThisMachine(_ batch: SyncBatch) -> Bool {
        guard batch.sealed != nil, batch.removesSomebody, membership.members[me] != nil else { return false }
        return membership.removed(by: batch).contains(me)
    }
}

extension SyncBatch {
    var place: SyncRecord.Origin { SyncRecord.Origin(device: header.device, seq: header.seq) }
    var removesSomebody: Bool { statements.contains { if case .remove = $0 { true } else { false } } }
}
