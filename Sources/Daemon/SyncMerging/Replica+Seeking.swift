package import SyncFormat

extension Replica {
    /// Looks for the keys of a batch whose turn it is in those whose turn has not come. These may be sealed with the
    /// same keys, and their authors may be unknown here or removed. A generation has its name from its keys, so that
    /// nobody can give others for it.
    mutating func seek(_ generation: GenerationID, _ keys: any CircleKeys) -> Bool {
        guard rules.keysAreSought, let found = sought[generation] else { return false }
        let known = introduceAuthors(Set(found.map(\.header.device)), keys)
        for batch in found where isSigned(batch, in: known, keys) {
            keys.take(batch, .sought)
            if keys.holds(generation) { return true }
        }
        return false
    }

    /// Gives the keys what introduces authors whose introductions wait: they take shares of members alone, and the
    /// introduction may be sealed with the very keys that are sought. Statements are not sealed. A place can make up as
    /// many introductions as it likes: none is given that does not come from a member.
    ///
    /// - Returns: the members, with those whose introductions wait.
    private mutating func introduceAuthors(_ authors: Set<MemberID>, _ keys: any CircleKeys) -> Membership {
        var (known, left) = (membership, rules.authorsAreIntroduced ? batchesIntroducing(authors, keys) : [])
        var moves = true
        while moves {
            moves = false
            left = left.filter { batch in
                guard author(of: batch, in: known, keys) != nil else { return true }
                guard isSigned(batch, in: known, keys) else { return false }
                keys.take(batch, .sought)
                for one in batch.additions(keys) { known.add(one.id, one.member) }
                moves = true
                return false
            }
        }
        return known
    }

    /// The batches that may introduce authors that are not known, and those that may introduce the authors of these.
    private mutating func batchesIntroducing(_ authors: Set<MemberID>, _ keys: any CircleKeys) -> [SyncBatch] {
        let index = introducing ?? indexIntroductions(keys)
        var (found, asked, next) = ([SyncBatch](), authors, Array(authors))
        while let author = next.popLast() {
            guard membership.members[author] == nil else { continue }
            for batch in index[author] ?? [] {
                found.append(batch)
                let sponsors = batch.additions(keys).filter { $0.id == author }.map(\.member.sponsor)
                next += (sponsors + [batch.header.device]).filter { asked.insert($0).inserted }
            }
        }
        return found
    }

    private var allWaiting: [SyncBatch] { waiting.values.flatMap { $0.values.joined() } + apart.values.joined() }

    /// Keeps the statements of a batch for which there is no room, if a member has signed them and they bring keys.
    ///
    /// - Returns: whether they are new.
    mutating func keepApart(_ batch: SyncBatch, _ keys: any CircleKeys) -> Bool {
        let (device, found) = (batch.header.device, keysForMe(batch))
        guard !found.isEmpty || !batch.additions(keys).isEmpty else { return false }
        let there = apart[device] ?? []
        let size = there.reduce(batch.carried.count) { $0 + $1.carried.count }
        guard size <= Self.apartBytes, !there.contains(batch) else { return false }
        guard isSigned(batch, in: introduceAuthors([device], keys), keys) else { return false }
        apart[device] = there + [batch]
        for id in found { sought[id, default: []].append(batch) }
        noteIntroductions(batch, keys)
        return true
    }

    private mutating func indexIntroductions(_ keys: any CircleKeys) -> [MemberID: [SyncBatch]] {
        introducing = [:]
        for batch in allWaiting { noteIntroductions(batch, keys) }
        return introducing ?? [:]
    }

    mutating func noteIntroductions(_ batch: SyncBatch, _ keys: any CircleKeys) {
        guard introducing != nil else { return }
        for id in Set(batch.additions(keys).map(\.id)) {
            introducing?[id, default: []].append(batch.withoutSealed)
        }
    }

    /// Whether a batch that waits has its author's signature. One that has another's is dropped.
    mutating func isSigned(_ batch: SyncBatch, in known: Membership, _ keys: any CircleKeys) -> Bool {
        guard let author = author(of: batch, in: known, keys) else { return false }
        if keys.isSignature(batch.signature, of: batch.signed, by: author.signing) { return true }
        let there = waiting[batch.header.device]?[batch.header.seq] ?? []
        for forged in there where forged.withoutSealed == batch { drop(forged, keys) }
        return false
    }

    /// Looks through all that waits, for a machine that has another name now.
    mutating func findKeysInWaiting() {
        (sought, introducing) = ([:], nil)
        for batch in allWaiting {
            for id in keysForMe(batch) { sought[id, default: []].append(batch.withoutSealed) }
        }
    }

    /// The generations that a batch has shares for this machine of.
    func keysForMe(_ batch: SyncBatch) -> [GenerationID] {
        batch.statements.compactMap(\.madeKeys).filter { $0.shares.contains { $0.recipient == me } }.map(\.id)
    }

    mutating func drop(_ batch: SyncBatch, _ keys: any CircleKeys) {
        let (device, seq) = (batch.header.device, batch.header.seq)
        waiting[device]?[seq]?.removeAll { $0 == batch }
        if waiting[device]?[seq]?.isEmpty == true { waiting[device]?[seq] = nil }
        waitingSize -= min(waitingSize, batch.bytes?.count ?? 0)
        for id in keysForMe(batch) {
            if let one = sought[id]?.firstIndex(of: batch.withoutSealed) { sought[id]?.remove(at: one) }
            if sought[id]?.isEmpty == true { sought[id] = nil }
        }
        for id in Set(batch.additions(keys).map(\.id)) {
            introducing?[id]?.removeAll { $0 == batch.withoutSealed }
            if introducing?[id]?.isEmpty == true { introducing?[id] = nil }
        }
    }
}

// MARK: - Authors

extension Replica {
    /// The keys that a batch must be signed with: those of a member, or those that its own first batch introduces.
    func author(of batch: SyncBatch, _ keys: any CircleKeys) -> MemberKeys? {
        author(of: batch, in: membership, keys)
    }

    func author(of batch: SyncBatch, in membership: Membership, _ keys: any CircleKeys) -> MemberKeys? {
        let device = batch.header.device
        if let member = membership.members[device] { return member.isRecoveryKey ? nil : member.keys }
        guard batch.header.seq == 1 else { return nil }
        for statement in batch.statements {
            switch statement {
            case .genesis(let own, _):
                let isHere = CircleID(keys.hash(statement.body).bytes) == circle
                return isHere && keys.member(own) == device ? own : nil
            case .add(let addition) where keys.member(addition.keys) == device:
                return isSponsored(addition, in: membership, keys) ? addition.keys : nil
            default: continue
            }
        }
        return nil
    }

    private func isSponsored(
        _ addition: Addition, in membership: Membership, _ keys: any CircleKeys
    ) -> Bool {
        // Also of a key that is out: those who read of its removal first are to know the machines that it keeps.
        guard let sponsor = membership.recoveryKey(addition.recoveryKey) else { return false }
        return keys.isSignature(addition.signature, of: addition.signed(in: circle), by: sponsor.keys.signing)
    }
}

extension SyncBatch {
    /// The members that the batch introduces, if its author is one.
    package func additions(_ keys: any CircleKeys) -> [(id: MemberID, member: Membership.Member)] {
        let author = header.device
        return statements.compactMap { statement in
            switch statement {
            case .add(let addition):
                let (id, key) = (keys.member(addition.keys), addition.recoveryKey)
                guard key == .none || id == author else { return nil }
                return (id, member(addition.keys, by: key == .none ? author : key, reads: addition.most))
            case .recovery(let own, _): return (keys.member(own), member(own, by: author, reads: nil))
            default: return nil
            }
        }
    }

    private func member(_ keys: MemberKeys, by sponsor: MemberID, reads: UInt16?) -> Membership.Member {
        let place = SyncRecord.Origin(device: header.device, seq: header.seq)
        return .init(keys: keys, sponsor: sponsor, place: place, isRecoveryKey: reads == nil, reads: reads ?? 0)
    }
}

extension SyncStatement {
    /// The generation whose keys a statement brings.
    package var madeKeys: Generation? {
        switch self {
        case .generation(let made), .share(let made): made
        default: nil
        }
    }
}
