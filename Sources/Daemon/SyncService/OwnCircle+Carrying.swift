import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncMerging
import SyncStore

/// A carrier brings batches and takes them away. It is the transport, and not believed.
extension OwnCircle {
    func positions(_ number: UInt64) throws(Refusal) -> SyncPositions {
        guard let state = try state else { throw .inNoCircle }
        let file = try file
        let isWanted = isWanted
        return try perform { replica, _, keys in
            var positions = SyncPositions(number: number, circle: state.circle, me: replica.me, place: file.place)
            // A machine that was removed itself decides about nobody.
            if !replica.isOut(state, keys) {
                (positions.removed, positions.cut) = (replica.dismissed, replica.cutOff)
                if replica.hasReadRemovedLogs { positions.members = replica.membership.machines }
            }
            (positions.isPaused, positions.isWanted) = (file.isPaused, isWanted)
            positions.heads = replica.logs.mapValues(\.seq).filter { $0.value > 0 }
            positions.wanted = desk.wanted(replica, file.partner?.id, keys)
            positions.discarding = replica.discarding(file)
            return positions
        }
    }

    /// Takes what the place has in a slot.
    func take(_ bytes: [UInt8], in slot: SyncSlot) throws(Refusal) -> SyncVerdict {
        guard slot.part == nil else { return try takePart(bytes, in: slot) }
        try noteCopy(bytes, in: slot)
        let verdict = try performNoting { replica, now, keys in
            if replica.mayStart { replica.keepsBack = true }
            return replica.receive(bytes, in: slot, now: now, keys)
        }
        return SyncVerdict(verdict)
    }

    /// Does something, and notes whose batches were read.
    private func performNoting<Result>(
        _ body: (inout Replica<StoredRows>, _ now: UInt64, _ keys: EnclaveCircleKeys) -> Result
    ) throws(Refusal) -> Result {
        let done = try perform { replica, now, keys in
            let before = replica.logs.mapValues(\.seq)
            let result = body(&replica, now, keys)
            let read = replica.logs.filter { $0.value.seq > before[$0.key] ?? 0 }.keys
            return (
                result: result, read: Array(read) + Array(replica.notedRemovals.keys), keys: replica.recoveryKeys,
                hasNews: replica.hasNews
            )
        }
        try note { file in
            for device in done.read { file.heard[device] = Self.now }
            file.noteRecoveryKeys(done.keys, at: Self.now)
            if done.hasNews { file.hasNews = true }
        }
        return done.result
    }

    private func takePart(_ bytes: [UInt8], in slot: SyncSlot) throws(Refusal) -> SyncVerdict {
        let partner = try file.partner?.id
        return try perform { replica, _, keys in
            guard desk.wanted(replica, partner, keys).contains(slot) else { return .refused }
            return desk.take(bytes, in: slot, replica, keys) ? .waits : .refused
        }
    }

    /// Writes down that a copy of this machine writes, before its batch is read: once read, it looks like one of this
    /// machine's own, and a crash in between would hide the copy.
    private func noteCopy(_ bytes: [UInt8], in slot: SyncSlot) throws(Refusal) {
        guard try !file.isDoubled, try slot.device == me else { return }
        let isForeign = try perform { replica, _, keys in replica.isForeign(bytes, in: slot, keys) }
        if isForeign { try change { $0.isDoubled = true } }
    }

    /// The place was looked at: all that it had was given, or why there was no look.
    func see(_ shown: SyncView) throws(Refusal) {
        // A look that failed has answered the wish for one too: the next is when the carrier thinks best.
        (view, isWanted) = (shown, false)
        guard shown.problem.isEmpty else { return }
        let (partner, owesWord) = (try file.partner?.id, try file.owesWord(at: Self.now))
        let isOfCircle = try performNoting { replica, now, keys -> Bool in
            if replica.mayStart { desk.begin(&replica, partner, now, keys) }
            guard !replica.isFresh else { return false }
            replica.look(at: shown.ends)
            _ = replica.collect()
            if !replica.mayStart { desk.examine(&replica, keys) }
            if owesWord, replica.outgoing == nil { replica.acknowledge() }
            return shown.ends.keys.contains { replica.membership.members[$0] != nil }
        }
        // A carrier may still have looked at the place of the circle from before.
        if !isOfCircle, try isRecovering { return }
        var file = try file
        file.looked = Self.now
        if file.spoken == 0 { file.spoken = file.looked }
        // A machine that comes in knows those that are there.
        if file.known.isEmpty { file.known = try present }
        // Times of batches are noted when they are read, and written with the look.
        try write(file)
    }

    /// The slot that is to be created next, and its bytes; nil where there is nothing to say.
    func next() throws(Refusal) -> (slot: SyncSlot, bytes: [UInt8])? {
        let file = try file
        guard !file.isPaused, !file.isDoubled, try state != nil else { return nil }
        do throws(Refusal) { return try compose() } catch {
            // The enclave has removed a machine, which no batch states yet: the user has to repeat it.
            if error.rule == .retiredGeneration { return nil }
            guard error.rule == .notStated else { throw error }
            return try composeWithoutRepetitions()
        }
    }

    /// The enclave has forgotten a removal that others state, or else what it had made itself: its user is to be asked
    /// again.
    private func composeWithoutRepetitions() throws(Refusal) -> (slot: SyncSlot, bytes: [UInt8])? {
        do throws(Refusal) { return try compose(repeating: false) } catch {
            guard error.rule == .notStated else { throw error }
            try perform { replica, _, _ in replica.withdraw(\.needsItsEnclavesWord) }
            return try compose(repeating: false)
        }
    }

    private func compose(repeating: Bool = true) throws(Refusal) -> (slot: SyncSlot, bytes: [UInt8])? {
        let hasLooked = try file.looked > 0
        return try perform { replica, _, keys in
            replica.repeatsRemovals = repeating
            guard !keys.isRemoved(replica.me), !replica.isRecovering(hasLooked: hasLooked) else { return nil }
            // A snapshot is made when all changes are published.
            if replica.compose(keys) == nil { desk.makeSnapshot(&replica, keys) }
            guard let batch = replica.compose(keys), let bytes = batch.bytes else { return nil }
            // A machine that reads of a snapshot finds its parts.
            return desk.nextPart(of: replica) ?? (batch.slot, bytes)
        }
    }

    /// The place has the bytes of a slot, or has had others before.
    ///
    /// - Parameter theirs: what was there before; empty where that cannot be read, nil where there was nothing.
    func commit(_ slot: SyncSlot, _ theirs: [UInt8]?) throws(Refusal) {
        let end = try perform { replica, now, keys -> CommitmentEnd in
            guard slot.part == nil else { return desk.confirm(slot, theirs, of: replica) ? .old : .taken }
            guard let out = replica.outgoing, out.batch.slot == slot else { return .old }
            let (mine, parts) = (out.batch, out.parts.count)
            if theirs.map({ mine.isSame(as: $0, keys) }) ?? true {
                replica.confirm(now: now, keys)
                return .kept(parts: parts)
            }
            return replica.isForeign(theirs ?? [], in: slot, keys) ? .doubled : .taken
        }
        switch end {
        case .old: return
        case .kept(parts: 0): try note { $0.noteKept(at: Self.now) }
        case .kept(let parts):
            try change { file in
                file.noteKept(at: Self.now)
                file.snapshots[slot.seq] = parts
            }
        case .doubled: try change { $0.isDoubled = true }
        case .taken: view.unreadable = view.unreadable.filter { $0 != slot } + [slot]
        }
    }

    private enum CommitmentEnd {
        /// It is not the batch that is to be committed.
        case old
        /// It has announced a snapshot of so many parts.
        case kept(parts: Int)
        /// There is another batch of this machine's.
        case doubled
        /// There is something that this machine has not written.
        case taken
    }
}

extension Replica {
    /// Whether these are a batch that was signed with this machine's key, and is not known here: a copy of this machine
    /// has written it, or an earlier life of a store that was restored.
    fileprivate func isForeign(_ bytes: [UInt8], in slot: SyncSlot, _ keys: EnclaveCircleKeys) -> Bool {
        guard slot.device == me, let own = keys.own?.signing, outgoing?.batch.isSame(as: bytes, keys) != true,
            let batch = try? SyncBatch(decoding: bytes, hash: keys.hash), batch.slot == slot,
            batch.header.circle == circle, !hasRead(batch, keys)
        else { return false }
        return keys.isSignature(batch.signature, of: batch.signed, by: own)
    }

    private func hasRead(_ batch: SyncBatch, _ keys: EnclaveCircleKeys) -> Bool {
        logs[me]?.hash(of: batch.header.seq) == keys.hash(batch.signed)
    }
}

extension SyncBatch {
    /// Whether bytes say the same. Their signature may be another one that holds too: anybody can make it of the first.
    fileprivate func isSame(as bytes: [UInt8], _ keys: EnclaveCircleKeys) -> Bool {
        guard bytes != self.bytes else { return true }
        guard let other = try? SyncBatch(decoding: bytes, hash: keys.hash), other.signed == signed else { return false }
        return keys.own.map { keys.isSignature(other.signature, of: signed, by: $0.signing) } ?? false
    }
}

extension SyncStatement {
    /// Whether the enclave signs it only as long as it remembers to have made it.
    fileprivate var needsItsEnclavesWord: Bool {
        switch self {
        case .add(let addition): addition.recoveryKey == .none
        case .remove, .generation, .share, .recovery: true
        case .genesis, .want, .endorse, .unknown: false
        }
    }
}

extension SyncVerdict {
    fileprivate init(_ verdict: Replica<StoredRows>.Verdict) {
        self =
            switch verdict {
            case .read: .read
            case .waits: .waits
            case .refused: .refused
            case .needsLaterVersion: .needsLaterVersion
            }
    }
}
