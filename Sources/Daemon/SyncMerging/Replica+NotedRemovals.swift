package import SyncFormat

// The keys are not in the store: an enclave counts what a batch states before the transaction ends that reads the
// batch. After a crash in between, the machine may read first that the author was removed, and the batch counts for
// nobody. The keys would know of a removal that the circle has not, and seal nothing more. So a batch that removes
// somebody is read in two transactions. The first one notes that it counts here, as if this machine had named it.

extension Replica {
    /// The batches of which this machine has noted that they count, and which it has not read yet, by their logs. It
    /// publishes nothing until then. The next transaction reads them.
    package var notedRemovals: [MemberID: UInt64] {
        claims.compactMapValues { $0[me]?.seq }.filter { !doubted.contains($0.key) }
    }

    /// How far a log counts because this machine has noted so.
    func noted(of device: MemberID) -> UInt64 { claims[device]?[me]?.seq ?? 0 }

    /// Whether the keys may take a batch now. If not, this is noted for the next transaction.
    ///
    /// A machine that has published nothing reads all at once, to see whether it has to start from a snapshot. From one
    /// that does not trust its snapshot the keys take nothing but keys.
    mutating func keysMayTake(_ batch: SyncBatch, _ keys: any CircleKeys) -> Bool {
        let place = batch.place
        guard isTrusted, logs[me]?.seq ?? 0 > 0, batch.removesSomebody, noted(of: place.device) < place.seq else {
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

    /// Forgets what was noted of a log.
    mutating func forgetNote(of device: MemberID) {
        claims[device]?[me] = nil
        if claims[device]?.isEmpty == true { claims[device] = nil }
    }
}
