package import SyncFormat

// The keys are not in the store: an enclave counts what a batch states before the transaction ends that reads the
// batch. After a crash in between, the machine may read first that the author was removed, and the batch counts for
// nobody. The keys would know of a removal that the circle has not, and seal nothing more. So a batch that removes
// somebody is read in two transactions. The first one notes that it counts here, as if this machine had named it.

extension Replica {
    /// The batches of which this machine has noted that they count, and which it has not read yet, by their logs. It
    /// publishes nothing until then. The next transaction reads them.
    package var notedRemovals: [MemberID: UInt64] {
        notes.filter { !doubted.contains($0.key) }
    }

    /// All batches that were noted, also of authors that have contradicted themselves since.
    var notes: [MemberID: UInt64] { claims.compactMapValues { $0[me]?.seq } }

    /// Whether this machine has noted a batch of a log. It is the next one there.
    func hasNote(of device: MemberID) -> Bool { claims[device]?[me] != nil }

    /// Whether this machine has noted a batch. The keys may have counted it, so it counts here, also when its author
    /// was removed or has contradicted itself meanwhile.
    func isNoted(_ batch: SyncBatch, _ keys: any CircleKeys) -> Bool {
        guard let note = claims[batch.header.device]?[me] else { return false }
        return note.seq == batch.header.seq && note.hash == keys.hash(batch.signed).short
    }

    /// Whether the keys may take a batch now. If not, this is noted for the next transaction.
    ///
    /// A machine that has published nothing reads all at once, to see whether it has to start from a snapshot. From one
    /// that does not trust its snapshot the keys take nothing but keys.
    mutating func keysMayTake(_ batch: SyncBatch, _ keys: any CircleKeys) -> Bool {
        let place = batch.place
        guard isTrusted, logs[me]?.seq ?? 0 > 0, batch.removesSomebody, !isNoted(batch, keys) else {
            return true
        }
        guard lacksRoom[place.device] != place.seq else { return false }
        let hash = keys.hash(batch.signed).short
        claims[place.device, default: [:]][me] = SyncPosition(device: place.device, seq: place.seq, hash: hash)
        return false
    }

    /// Has a batch wait for which the keys have no room, until another one is read.
    mutating func waitForRoom(_ batch: SyncBatch) {
        lacksRoom[batch.header.device] = batch.header.seq
        forgetNote(of: batch.header.device)
    }

    /// Forgets what was noted of authors that have contradicted themselves: what this machine says next takes their
    /// logs to have ended.
    mutating func forgetNotesOfDoubted() {
        for device in claims.keys where doubted.contains(device) { forgetNote(of: device) }
    }

    /// Forgets what was noted of a log.
    mutating func forgetNote(of device: MemberID) {
        claims[device]?[me] = nil
        if claims[device]?.isEmpty == true { claims[device] = nil }
    }
}
