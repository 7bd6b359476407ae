import SyncFormat

extension Replica {
    /// Counts a batch of this machine's or of another: its position, its statements, what it names, and its records.
    ///
    /// - Parameter isOwn: the batch was made here. Another one in this machine's log is that of its clone.
    mutating func count(
        _ batch: SyncBatch, _ content: SyncContent?, isOwn: Bool, now: UInt64, _ keys: any CircleKeys
    ) {
        defer {
            noticeBehind(now)
            noticeEndorsements(keys)
        }
        let place = SyncRecord.Origin(device: batch.header.device, seq: batch.header.seq)
        let stated = logs[place.device]?.floor ?? 0
        // A machine that has crashed may have read its batch back before it hears that the transport has kept it.
        guard place.seq > logs[place.device]?.seq ?? 0 else { return }
        lacksRoom = [:]
        advance(place, keys.hash(batch.signed))
        let informed = informedRemovals(of: place)
        for position in content?.positions ?? [] where position.device != place.device {
            name(position, by: place.device, ignoring: informed)
        }
        if isOwn { take(batch, .counted, keys) }
        let before = membership.removed
        for statement in batch.statements { count(statement, place, max(stated, content?.floor ?? 0), keys) }
        if membership.removed != before { forgetWordOfRemoved() }
        hear(before.subtracting(membership.removed))
        let isHeard = membership.removed != before || isOwn && batch.removesSomebody
        if isHeard, rules.removalIsAcknowledged { mustPublish = true }
        if !batch.statements.isEmpty { stating.append(batch.withoutSealed) }
        guard let content else { return }
        hasNews = !isOwn && (hasNews || !content.records.isEmpty)
        logs[place.device]?.floor = max(stated, content.floor)
        logs[place.device]?.marks[place.seq]?.floor = max(stated, content.floor)
        for record in content.records where record.kind == SyncRecord.Kind.manifest { announce(record, at: place) }
        guard !isOwn else { return }
        take(content.records, of: batch.header, stated, now: now, keys)
        carryNames()
    }

    private mutating func advance(_ place: SyncRecord.Origin, _ hash: BatchHash) {
        var head = logs[place.device] ?? LogHead()
        (head.seq, head.hash) = (place.seq, hash)
        if head.marks[place.seq] == nil {
            head.marks[place.seq] = LogHead.Mark(hash: hash, floor: head.floor, said: [place.device: place.seq])
        }
        head.said[place.device] = place.seq
        logs[place.device] = head
        named[place.device] = max(named[place.device] ?? 0, place.seq)
        for (witness, claim) in claims[place.device] ?? [:] where claim.seq <= place.seq {
            claims[place.device]?[witness] = nil
            guard claim.hash != hash.short else { continue }
            notice(ForkEvidence(device: place.device, seq: place.seq, witness: witness))
        }
        if claims[place.device]?.isEmpty == true { claims[place.device] = nil }
    }

    /// The removed members, if the author of a log had read of all removals before its present batch: what it names of
    /// them now, it may have read only because others had named it before. An author that has not heard of one may have
    /// read it on the word of a member whose word counts no more. So may one while its own removal was under way.
    private func informedRemovals(of place: SyncRecord.Origin) -> Set<MemberID> {
        let doubtful = rules.splitRemovalsInformNobody ? doubtfulLogs : []
        var found: Set<MemberID> = []
        for (removal, cut) in membership.cuts where !doubtful.contains(removal.place.device) {
            let isOwn = removal.place.device == place.device && removal.place.seq + 1 < place.seq
            let isRead = (logs[place.device]?.said[removal.place.device] ?? 0) >= removal.place.seq
            guard isOwn || removal.place.device != place.device && isRead else { return [] }
            found.formUnion(cut)
        }
        return found
    }

    private mutating func name(_ position: SyncPosition, by author: MemberID, ignoring informed: Set<MemberID>) {
        let device = position.device
        let said = logs[author]?.said[device] ?? 0
        guard said > 0 || (logs[author]?.said.count ?? 0) < SyncLimits.saidLogs, position.seq > said else { return }
        logs[author]?.said[device] = position.seq
        if let last = logs[author]?.seq { logs[author]?.marks[last]?.said[device] = position.seq }
        // The hash of a batch is of those before it too, so that the last claim of a witness has the earlier ones.
        if membership.removed.contains(author) { return }
        if position.seq > logs[device]?.seq ?? 0 { claims[device, default: [:]][author] = position }
        if let known = logs[device]?.marks[position.seq]?.hash.short, known != position.hash {
            notice(ForkEvidence(device: device, seq: position.seq, witness: author))
            return
        }
        if !informed.contains(device) { named[device] = max(named[device] ?? 0, position.seq) }
    }

    mutating func count(
        _ statement: SyncStatement, _ place: SyncRecord.Origin, _ floor: UInt64, _ keys: any CircleKeys
    ) {
        switch statement {
        case .genesis(let own, _):
            guard CircleID(keys.hash(statement.body).bytes) == circle else { return }
            add(own, sponsor: .none, place, reads: SyncLimits.version, 0, keys)
        case .add(let addition):
            let sponsor = addition.recoveryKey == .none ? place.device : addition.recoveryKey
            guard addition.recoveryKey == .none || keys.member(addition.keys) == place.device else { return }
            add(addition.keys, sponsor: sponsor, place, reads: addition.most, floor, keys)
        case .remove(let target, let reason, let kept):
            membership.remove(target, kept: kept, at: place)
            if reason == .forked, target != me { doubt(target, isStated: true) }
        case .generation(let made):
            membership.make(made, by: place.device)
        case .share(let late):
            membership.share(late, by: place.device)
        case .recovery(let own, _):
            membership.add(
                keys.member(own),
                .init(keys: own, sponsor: place.device, place: place, isRecoveryKey: true, reads: 0))
        case .want(let id): membership.want(id, by: place.device)
        case .endorse(let position): endorse(position, by: place.device)
        case .unknown: return
        }
    }

    /// Adds a machine. Its records must be above the floor that its sponsor had stated: until then its sponsor may have
    /// vouched, in the name of all it knew, that tombstones below are not needed.
    ///
    /// Of several sponsors the lowest floor counts. A tombstone goes only when all members have stated a floor that is
    /// not below it, so that no introduction which comes later has a lower one. The highest would let a member in wrong
    /// hands silence others.
    private mutating func add(
        _ own: MemberKeys, sponsor: MemberID, _ place: SyncRecord.Origin, reads: UInt16, _ floor: UInt64,
        _ keys: any CircleKeys
    ) {
        let id = keys.member(own)
        membership.add(
            id, .init(keys: own, sponsor: sponsor, place: place, isRecoveryKey: false, reads: reads))
        guard membership.introductions[id]?[sponsor]?.place == place, id != place.device, logs[id]?.seq ?? 0 == 0
        else { return }
        logs[id] = logs[id] ?? LogHead()
        let lowest = min(floor, logs[id]?.marks[0]?.floor ?? .max)
        logs[id]?.floor = lowest
        logs[id]?.marks[0] = LogHead.Mark(hash: .none, floor: lowest)
    }
}

// MARK: - Records

extension Replica {
    private mutating func take(
        _ records: [SyncRecord], of header: SyncHeader, _ stated: UInt64, now: UInt64, _ keys: any CircleKeys
    ) {
        var readable: [WaitingRecord] = []
        for record in records where record.isVersion {
            guard isAllowed(record, header, stated) else {
                quarantined[header.device, default: 0] += 1
                continue
            }
            let arrived = WaitingRecord(record, of: header)
            guard record.isBoxed || record.isOfShelf, !keys.isUnlocked else {
                readable.append(arrived)
                continue
            }
            held.append(arrived)
            heldSize[arrived.place.device, default: 0] += arrived.cost
        }
        open(readable, now: now, keys)
    }

    /// So many bodies are in memory at once.
    private static var openedAtOnce: Int { 512 }

    /// Merges records whose bodies can be read now.
    private mutating func open(_ waiting: [WaitingRecord], now: UInt64, _ keys: any CircleKeys) {
        for start in stride(from: 0, to: waiting.count, by: Self.openedAtOnce) {
            let some = waiting[start..<min(start + Self.openedAtOnce, waiting.count)]
            let opened = keys.open(some.map { ($0.record, $0.header) }, isNamed: rules.identifiersAreChecked)
            bringShelves(to: opened)
            for (one, record) in zip(some, opened) {
                guard let record else {
                    quarantined[one.header.device, default: 0] += 1
                    continue
                }
                merge(ArrivedRow(one, opened: record), now: now)
            }
        }
    }

    /// Brings out the shelves together that records are about to meet.
    private mutating func bringShelves(to opened: [SyncRecord?]) {
        let shelves = Set(opened.compactMap { $0?.isOfShelf == true ? $0?.rid : nil })
        if !shelves.isEmpty { rows.load(shelves.sorted()) }
    }

    /// Merges the records that have waited for the machine to be unlocked.
    mutating func releaseHeld(now: UInt64, _ keys: any CircleKeys) {
        guard keys.isUnlocked, !held.isEmpty else { return }
        let waiting = held
        held = []
        for one in waiting { heldSize[one.place.device, default: 0] -= one.cost }
        open(waiting, now: now, keys)
        carryNames()
    }

    /// Whether the author could have written the record by the rules that this machine keeps. A body is checked when it
    /// is read.
    private func isAllowed(_ record: SyncRecord, _ header: SyncHeader, _ stated: UInt64) -> Bool {
        // Older readers would have read past a record that the header does not announce.
        guard record.isConsistent, record.leastVersion <= header.least else { return false }
        if let origin = record.origin {
            return membership.removed.contains(origin.device) || record.kind == SyncRecord.Kind.tombstone
        }
        return !rules.floorBindsAuthors || record.hlc > stated
    }

    /// Merges a version of another machine's: the larger stamp wins, and nothing else decides.
    mutating func merge(_ arrived: ArrivedRow, now: UInt64) {
        let row = arrived.row
        let rid = row.record.rid
        if rules.farFutureWaits, isFarAhead(row, now) {
            future.append(arrived)
            heldSize[arrived.record.place.device, default: 0] += arrived.record.cost
            return
        }
        guard rows.meet(row.record) else { return refuse(arrived) }
        renames.note(rid, isItem: isItem(rid))
        // A version that loses says of an item what the one that wins need not repeat.
        renames.add(rid, previous: row.record.previous)
        // Bodies are compared where stamps are equal.
        if rows[rid]?.stamp == row.stamp { rows.load([rid]) }
        if let current = rows[rid] {
            guard row.wins(over: current, rules) else {
                if current.stamp != row.stamp { rows.keepLoser(row, rid: rid, to: current) }
                renewDeletion(of: rid, current, against: row)
                return
            }
            rows.keepLoser(current, rid: rid, to: row)
        }
        rows.put(row, rid: rid)
    }

    /// Counts a version that is not taken. Others let a tombstone go that this machine refuses, when its floor is not
    /// below: here nothing is left to raise it.
    private mutating func refuse(_ arrived: ArrivedRow) {
        quarantined[arrived.record.header.device, default: 0] += 1
        if arrived.row.isTombstone { risenFloor = max(risenFloor, arrived.row.stamp.hlc) }
    }

    /// Passes a tombstone on where a version was passed on that is older, because others may have let the tombstone go.
    /// Only a member in wrong hands passes on such a one: all others have read the tombstone.
    private mutating func renewDeletion(of rid: RecordID, _ current: SyncRow, against row: SyncRow) {
        let isPassedOn = row.place.map { $0.device != row.stamp.device } ?? false
        guard rules.deletionsAreRenewed, isPassedOn, !row.isTombstone, current.isTombstone,
            current.stamp.hlc <= myFloor
        else { return }
        renewed.insert(rid)
    }

    /// Lets items that have taken another primary key keep their local names. It comes after all records of a batch,
    /// whose order says nothing, and only the deletion of the other item gives its name away.
    private mutating func carryNames() {
        for rid in renames.takers where isItem(rid) {
            guard let source = renames.source(of: rid, isItem) else { continue }
            let isGone = rows[source]?.isTombstone == true || !rules.namesComeFromTombstones
            if isGone, renames.mayTake(rid, from: source, isItem) { rows.takeName(rid, from: source) }
        }
        renames = Renames()
    }

    private func isItem(_ rid: RecordID) -> Bool { rows[rid]?.isTombstone == false }

    func isFarAhead(_ row: SyncRow, _ now: UInt64) -> Bool {
        let (limit, isEnd) = now.addingReportingOverflow(Self.horizon)
        return !isEnd && row.stamp.hlc > limit
    }

    /// Merges the records whose time has come near. A shelf or its deletion meets the one that is here, and a locked
    /// machine cannot read that.
    mutating func releaseFuture(now: UInt64, _ keys: any CircleKeys) {
        let isUnlocked = keys.isUnlocked
        func waits(_ one: ArrivedRow) -> Bool { isFarAhead(one.row, now) || one.row.record.isOfShelf && !isUnlocked }
        let waiting = future.filter { !waits($0) }
        guard !waiting.isEmpty else { return }
        future = future.filter(waits)
        for one in waiting { heldSize[one.record.place.device, default: 0] -= one.record.cost }
        for one in waiting { merge(one, now: now) }
        carryNames()
    }
}
