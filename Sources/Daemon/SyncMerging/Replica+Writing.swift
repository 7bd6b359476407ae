package import SyncFormat

extension Replica {
    /// The stamp of a change that this machine makes now, in microseconds since 1970; nil when there is none left.
    ///
    /// It is larger than the one it replaces, and than what the machine has stated as its floor.
    package func nextStamp(for rid: RecordID, now: UInt64) -> SyncStamp? {
        let after = rows[rid].map { $0.stamp.hlc + 1 } ?? 0
        let floor = rules.floorRaisesStamps ? stampFloor + 1 : 0
        let hlc = max(now, after, floor)
        return hlc < SyncLimits.endOfTime ? SyncStamp(hlc: hlc, device: me) : nil
    }

    /// Takes a change of this machine's.
    ///
    /// - Returns: false when no stamp is left for the record.
    package mutating func write(_ rid: RecordID, now: UInt64, _ make: (_ hlc: UInt64) -> SyncRecord) -> Bool {
        guard let stamp = nextStamp(for: rid, now: now) else { return false }
        rows[rid] = SyncRow(record: make(stamp.hlc), stamp: stamp, place: nil)
        return true
    }

    /// States something in the next batch.
    package mutating func state(_ statement: SyncStatement) { queued.append(statement) }

    /// Publishes positions with the next batch, even if there is nothing else.
    package mutating func acknowledge() { mustPublish = true }

    /// Makes the next batch of this machine's log, if there is anything to say. It is kept until it is confirmed, and
    /// made once: a second call gives the same.
    package mutating func compose(_ keys: any CircleKeys) -> SyncBatch? {
        if let outgoing { return outgoing.batch }
        guard !isRemoved, rolledBack.isEmpty, notedRemovals.isEmpty, isTrusted, maySpeak(keys) else { return nil }
        if isShutOut(keys) { return composeOpen(fitting(wants(keys)), keys) }
        let statements = fitting(duties(keys))
        guard let generation = sealingGeneration(statements), keys.holds(generation) else {
            return composeOpen(statements, keys)
        }
        let salt = keys.makeSalt()
        if !renewed.isEmpty || !splitLogs.isEmpty { _ = rows.loadAll() }
        let dirty = publishable(keys)
        let passed = versionsToPassOn(besides: dirty, keys)
        guard mustPublish || !dirty.isEmpty || !passed.isEmpty || !statements.isEmpty else { return nil }
        let isWhole = dirty.count == rows.unpublished.count
        let open = dirty.map(\.value.record) + passed.records
        let header = header(generation, least: open.leastVersion, salt: salt, keys)
        guard let records = boxed(open, header, keys) else { return nil }
        let content = SyncContent(
            positions: changedPositions(), floor: isWhole ? stampFloor : myFloor, records: records)
        let stamps = dirty.mapValues(\.stamp)
        rows.noteSent(stamps.keys, in: SyncRecord.Origin(device: me, seq: header.seq))
        return finish(header, statements, content, stamps, passed: passed.places, keys)
    }

    /// As many statements as a batch has room for; the others come with the next.
    private func fitting(_ statements: [SyncStatement]) -> [SyncStatement] {
        var size = 0
        return statements.prefix(SyncLimits.statements).filter { statement in
            size += statement.bytes.count
            return size <= SyncLimits.openBytes
        }
    }

    /// Whether the machine was added, or says so itself: the first one, and one that a recovery key has added.
    private func maySpeak(_ keys: any CircleKeys) -> Bool {
        if rules.newcomersReadFirst, !hasCaughtUp { return false }
        return membership.members[me] != nil
            || queued.contains { statement in
                switch statement {
                case .genesis(let own, _): keys.member(own) == me
                case .add(let addition): keys.member(addition.keys) == me
                default: false
                }
            }
    }

    /// Another batch is in the slot of the outgoing one: this machine was cloned, or its store is an old copy.
    package mutating func abandon() {
        outgoing = nil
        mustPublish = true
    }

    /// Makes the batch that adds this machine under its next name, before ``become(_:)``. It says nothing else: what
    /// one half of a clone has read, the other has not.
    package mutating func introduce(_ successor: Addition, _ keys: any CircleKeys) -> SyncBatch {
        finish(header(.none, keys), [.add(successor)], nil, [:], keys)
    }

    /// A batch without a sealed part, for a machine that has no keys of the current generation.
    private mutating func composeOpen(_ statements: [SyncStatement], _ keys: any CircleKeys) -> SyncBatch? {
        statements.isEmpty ? nil : finish(header(.none, keys), statements, nil, [:], keys)
    }

    private func sealingGeneration(_ statements: [SyncStatement]) -> GenerationID? {
        for case .generation(let made) in statements { return made.id }
        return membership.currentGeneration?.id
    }

    func header(
        _ generation: GenerationID, least: UInt16 = SyncLimits.firstVersion, salt: BatchHash? = nil,
        _ keys: any CircleKeys
    ) -> SyncHeader {
        let head = logs[me] ?? LogHead()
        return SyncHeader(
            circle: circle, device: me, seq: head.seq + 1, previous: head.hash, generation: generation,
            salt: salt ?? keys.makeSalt(), least: least)
    }

    /// The records with their boxes; nil when the machine was locked meanwhile.
    func boxed(_ records: [SyncRecord], _ header: SyncHeader, _ keys: any CircleKeys) -> [SyncRecord]? {
        let open = records.filter(\.needsBox)
        guard !open.isEmpty else { return records }
        guard var boxes = keys.box(open, header)?[...], boxes.count == open.count else { return nil }
        return records.map { $0.needsBox ? boxes.removeFirst() : $0 }
    }

    mutating func finish(
        _ header: SyncHeader, _ statements: [SyncStatement], _ content: SyncContent?,
        _ stamps: [RecordID: SyncStamp], passed: [RecordID: SyncRecord.Origin] = [:], _ keys: any CircleKeys
    ) -> SyncBatch {
        let sealed = content.map { content in
            keys.seal(content.encoded(), header) { SyncBatch.associated(header, statements, sealedSize: $0) }
        }
        let batch = SyncBatch(
            header, statements, sealed: sealed ?? [], sealedHash: keys.hash(sealed ?? []), sign: keys.sign)
        outgoing = Outgoing(batch: batch, content: content?.withoutVersions, stamps: stamps, passed: passed)
        // Positions for which there was no room come with the next batch.
        if let content { mustPublish = content.positions.count == SyncLimits.members }
        forgetNotesOfDoubted()
        return batch
    }

    /// Rows that go into the next batch, as many as fit. Deletions are first: an item that has taken another primary
    /// key keeps its name where the deletion of the other is known.
    private mutating func publishable(_ keys: any CircleKeys) -> [RecordID: SyncRow] {
        var (found, size): ([RecordID: SyncRow], Int) = ([:], 0)
        let waiting = publishingOrder(keys)
        for start in stride(from: 0, to: waiting.count, by: Self.loadedAtOnce) {
            let some = waiting[start..<min(start + Self.loadedAtOnce, waiting.count)]
            rows.load(Array(some))
            for rid in some {
                guard let row = rows[rid], row.isDirty, !row.record.isBare else { continue }
                size += row.record.encodedSize
                guard found.isEmpty || size <= SyncLimits.sealedBytes / 2 else { return found }
                // A record behind the end of time would make the whole batch unreadable.
                guard max(row.stamp.hlc, myFloor + 1) < SyncLimits.endOfTime else { continue }
                found[rid] = aboveFloor(row, rid)
            }
        }
        return found
    }

    /// So many bodies are brought out of the store at once, as long as there is room in the batch.
    private static var loadedAtOnce: Int { 128 }

    /// The records that can be published now, deletions first.
    private func publishingOrder(_ keys: any CircleKeys) -> [RecordID] {
        let found = rows.unpublished.compactMap { rid in
            rows[rid].flatMap { row in
                keys.isUnlocked || !row.record.needsBox ? (order: row.order, rid: rid) : nil
            }
        }
        return found.sorted { ($0.order, $0.rid) < ($1.order, $1.rid) }.map(\.rid)
    }

    /// A version that this machine may no longer publish under its stamp, because it has stated a higher floor.
    private mutating func aboveFloor(_ row: SyncRow, _ rid: RecordID) -> SyncRow {
        guard rules.floorRaisesStamps, row.stamp.hlc <= myFloor else { return row }
        let stamp = SyncStamp(hlc: myFloor + 1, device: me)
        let raised = SyncRow(record: row.record.with(hlc: stamp.hlc), stamp: stamp, place: nil)
        rows[rid] = raised
        return raised
    }

    /// The positions that are not said yet, as many as a batch names, of as many logs as readers keep. Those of removed
    /// members come first, and those that tell of removals last: once a machine says that it knows of these, it names
    /// removed members without effect.
    func changedPositions() -> [SyncPosition] {
        let said = logs[me]?.said ?? [:]
        let hasRoom = said.count < SyncLimits.saidLogs
        let changed = logs.filter { $0.key != me && $0.value.seq > said[$0.key] ?? (hasRoom ? 0 : .max) }
            .map { SyncPosition(device: $0.key, seq: $0.value.seq, hash: $0.value.hash.short) }
        guard changed.count > SyncLimits.members else { return changed.sorted { $0.device < $1.device } }
        let news = Set(membership.cuts.keys.map(\.place).filter { $0.seq > said[$0.device] ?? 0 }.map(\.device))
        func rank(_ device: MemberID) -> (Int, Int, MemberID) {
            (news.contains(device) ? 1 : 0, membership.removed.contains(device) ? 0 : 1, device)
        }
        return changed.sorted { rank($0.device) < rank($1.device) }.prefix(SyncLimits.members)
            .sorted { $0.device < $1.device }
    }

    /// The transport has kept the outgoing batch.
    ///
    /// - Parameter now: microseconds since 1970.
    package mutating func confirm(now: UInt64, _ keys: any CircleKeys) {
        guard let kept = outgoing else { return }
        outgoing = nil
        let place = SyncRecord.Origin(device: me, seq: kept.batch.header.seq)
        for (rid, stamp) in kept.stamps where rows[rid]?.stamp == stamp { rows[rid]?.place = place }
        queued.removeAll { kept.batch.statements.contains($0) }
        renewed.subtract(kept.passed.keys)
        for (rid, old) in kept.passed where rows[rid]?.place == old { rows[rid]?.place = place }
        count(kept.batch, kept.content, isOwn: true, now: now, keys)
        drain(now: now, keys)
    }

    /// Goes on under another name, which the log of the old one has added: after this machine was cloned or restored.
    /// Unpublished changes go out under the new name. Their stamps are a microsecond later: what they have replaced may
    /// have the same time, and a name that is larger than the new one.
    package mutating func become(_ new: MemberID) {
        for device in claims.keys { forgetNote(of: device) }
        me = new
        outgoing = nil
        findKeysInWaiting()
        for rid in rows.unpublished {
            guard let row = rows[rid] else { continue }
            let stamp = SyncStamp(hlc: min(row.stamp.hlc + 1, SyncLimits.endOfTime - 1), device: new)
            rows[rid] = SyncRow(record: row.record.with(hlc: stamp.hlc), stamp: stamp, place: nil)
        }
    }
}

extension SyncContent {
    /// The content with the manifest alone.
    fileprivate var withoutVersions: SyncContent {
        let manifests = records.filter { $0.kind == SyncRecord.Kind.manifest }
        return SyncContent(positions: positions, floor: floor, records: manifests)
    }
}

// MARK: - What a machine must say

extension Replica {
    /// Statements that were asked for and those that nobody has to ask for: a generation when there is none, and keys
    /// for those without. The generation is first, because the batch of a removal must be sealed with it.
    private mutating func duties(_ keys: any CircleKeys) -> [SyncStatement] {
        guard membership.members[me] != nil else { return queued }
        let asked = queued + (repeatsRemovals ? repeatedRemovals() : [])
        var after = membership
        for case .remove(let target, _, let kept) in asked {
            after.remove(target, kept: kept, at: SyncRecord.Origin(device: me, seq: (logs[me]?.seq ?? 0) + 1))
        }
        let first = generation(after, keys) + asked
        return first + shares(after, room: SyncLimits.statements - first.count, keys) + wants(keys)
    }

    /// A new generation, where there is none: a removal comes with one, so that its own batch is sealed with it.
    private func generation(_ after: Membership, _ keys: any CircleKeys) -> [SyncStatement] {
        let isMade = queued.contains { if case .generation = $0 { true } else { false } }
        guard !isMade, !after.removed.contains(me), lacksGeneration(after, keys), let number = after.nextGeneration
        else { return [] }
        let recipients = after.recipients.sorted { ($0.key == me ? 0 : 1, $0.key) < ($1.key == me ? 0 : 1, $1.key) }
            .prefix(SyncLimits.recipients)
        let made = keys.makeGeneration(number, for: Dictionary(uniqueKeysWithValues: recipients.map { $0 }))
        // Keys with little room may have forgotten who is out.
        guard let made, !made.shares.contains(where: { after.removed.contains($0.recipient) }) else { return [] }
        return [.generation(made)]
    }

    /// Whether there is no generation for new batches, or one whose share for this machine was no share: it says so
    /// first, in case another has the keys.
    private func lacksGeneration(_ membership: Membership, _ keys: any CircleKeys) -> Bool {
        guard let current = membership.currentGeneration?.id else { return true }
        return !keys.holds(current) && membership.wanted[current]?.contains(me) == true
    }

    /// Keys for those that lack them, and that are in when the batch counts, as many as it has room for: the enclave
    /// knows the last statements alone that it has made. Others know who is out for the author of a generation that is
    /// stated in a log which is read no further: nobody shares it before it has read what they have.
    private mutating func shares(_ after: Membership, room: Int, _ keys: any CircleKeys) -> [SyncStatement] {
        let others = lacksNamedBatches ? [] : after.wanted.keys.filter { after.generations[$0] == nil }
        let silent = Set(after.machines.filter { logs[$0]?.seq ?? 0 == 0 })
        var found: [SyncStatement] = []
        for id in (after.generations.keys + others).sorted() where found.count < room && keys.holds(id) {
            let lacking = after.lacking(id, isLeftBehind: isLeftBehind(id, keys), silent: silent)
                .filter { $0 != me && mayGive(id, to: $0, after) }
            let recipients = lacking.compactMap { member in after.members[member].map { (member, $0.keys) } }
            if let late = share(id, with: recipients, keys) { found.append(late) }
        }
        return found
    }

    /// Whether this machine may give keys away that another one has made. As long as others have read what it has not,
    /// the maker may have made them without a member that is out. It gives them itself to those who are in. Newcomers
    /// of this machine have no other keys. While an equivocator is in, those get keys that ask for them.
    private func mayGive(_ id: GenerationID, to member: MemberID, _ after: Membership) -> Bool {
        let isOwn = after.generations[id]?.allAuthors.contains(me) == true
        if isOwn || after.sponsors(of: member).contains(me) && !after.hasKeys(member) { return true }
        if lacksNamedBatches { return false }
        return doubted.isSubset(of: membership.removed) || after.wanted[id]?.contains(member) == true
    }

    /// The keys of a generation for as many members as a statement takes. Members whose own keys are none get no share,
    /// however many they are, and others do not wait for them.
    private func share(
        _ id: GenerationID, with lacking: [(MemberID, MemberKeys)], _ keys: any CircleKeys
    ) -> SyncStatement? {
        for first in stride(from: 0, to: lacking.count, by: SyncLimits.recipients) {
            let some = lacking.dropFirst(first).prefix(SyncLimits.recipients)
            let late = keys.share(id, with: Dictionary(uniqueKeysWithValues: some.map { $0 }))
            if let late, !late.shares.isEmpty { return .share(late) }
        }
        return nil
    }

    /// Whether keys of a generation have come here from a member that is out, in a batch that waits: it counts for
    /// nobody who reads another branch.
    private mutating func isLeftBehind(_ id: GenerationID, _ keys: any CircleKeys) -> Bool {
        guard membership.generations[id] == nil else { return false }
        for batch in sought[id] ?? [] where membership.removed.contains(batch.header.device) {
            if isSigned(batch, in: membership, keys) { return true }
        }
        return false
    }

    /// Whether others have read what this machine has not, of logs that it reads.
    private var lacksNamedBatches: Bool {
        claims.keys.contains { !doubted.contains($0) && !membership.removed.contains($0) }
    }

    /// Generations whose share for this machine was no share, and those that the next batch of a log is sealed with.
    private func wants(_ keys: any CircleKeys) -> [SyncStatement] {
        let shared = membership.generations.keys.filter { membership.recipients(of: $0).contains(me) }
        let missing = Set(shared.filter { !keys.holds($0) }).union(rules.blockedMachinesAsk ? blocking(keys) : [])
        return missing.sorted().filter { membership.wanted[$0]?.contains(me) != true }.map { .want($0) }
    }
}
