package import SyncFormat

// A snapshot has all records and statements that its author has read, so that logs can be discarded and newcomers need
// not read them. Nobody has to believe its author. Each member compares it with what it has itself, and endorses it
// with a statement. Logs are discarded when all have: one honest member is then enough for its truth, and nobody is
// left behind. A newcomer believes the member that it has paired with.

extension Replica {
    /// Makes a snapshot: its parts and the batch that announces it, which is then ``outgoing``.
    ///
    /// - Returns: whether it could be made. It cannot while changes are not published, records wait, or a removal is not
    ///   known to everyone.
    package mutating func makeSnapshot(_ keys: any CircleKeys) -> Bool {
        guard outgoing == nil, queued.isEmpty, canCompare(keys), passing.isEmpty, isSettled(), !isRemoved,
            !rows.all.values.contains(where: \.isDirty), let generation = membership.currentGeneration?.id,
            keys.holds(generation)
        else { return false }
        let header = header(generation, keys)
        guard let parts = parts(of: header, keys) else { return false }
        let manifest = SnapshotManifest(logs: coveredLogs, parts: parts.map { part in
            let bytes = part.bytes
            return .init(size: UInt32(truncatingIfNeeded: bytes.count), hash: keys.hash(bytes))
        })
        let record = SyncRecord(kind: SyncRecord.Kind.manifest, hlc: 0, body: manifest.encoded())
        let content = SyncContent(
            positions: positions(isWhole: true), floor: max(myFloor, risenFloor), records: [record])
        _ = finish(header, [], content, [:], keys)
        outgoing?.parts = parts
        return true
    }

    /// Whether this machine has all that it has read at hand.
    private func canCompare(_ keys: any CircleKeys) -> Bool {
        membership.members[me] != nil && rolledBack.isEmpty && keys.isUnlocked && held.isEmpty
    }

    private var coveredLogs: [SnapshotManifest.Log] {
        logs.filter { $0.value.seq > 0 }.sorted { $0.key < $1.key }.map { device, head in
            let position = SyncPosition(device: device, seq: head.seq, hash: head.hash.short)
            return SnapshotManifest.Log(position: position, floor: head.floor)
        }
    }

    /// Rows and statements in parts of about a MiB; nil when the machine was locked meanwhile.
    private func parts(of batch: SyncHeader, _ keys: any CircleKeys) -> [SnapshotPart]? {
        let records = (rows.all.values + future).sorted { $0.record.rid < $1.record.rid }.map { row in
            let seq = row.place?.seq ?? batch.seq
            return row.record.with(origin: SyncRecord.Origin(device: row.stamp.device, seq: seq))
        }
        let recordChunks = chunks(records, of: SyncLimits.sealedBytes / 2, most: .max, by: \.encodedSize)
        let statingChunks = chunks(
            stating, of: SyncLimits.carriedBytes / 2, most: SyncLimits.carriedBatches, by: \.carried.count)
        var parts: [SnapshotPart] = []
        for number in 0..<max(1, recordChunks.count, statingChunks.count) {
            let records = number < recordChunks.count ? recordChunks[number] : []
            let stating = number < statingChunks.count ? statingChunks[number] : []
            guard let part = part(records, stating, batch, keys) else { return nil }
            parts.append(part)
        }
        return parts.count <= SyncLimits.parts ? parts : nil
    }

    private func part(
        _ records: [SyncRecord], _ stating: [SyncBatch], _ batch: SyncHeader, _ keys: any CircleKeys
    ) -> SnapshotPart? {
        let header = SyncHeader(
            circle: circle, device: me, seq: batch.seq, previous: .none, generation: batch.generation,
            salt: keys.makeSalt())
        guard let boxed = boxed(records, header, keys) else { return nil }
        let sealed = keys.seal(SnapshotPart.content(boxed), header) {
            SnapshotPart.associated(header, stating, sealedSize: $0)
        }
        return SnapshotPart(header, carried: stating, sealed: sealed)
    }

    mutating func announce(_ record: SyncRecord, at place: SyncRecord.Origin) {
        guard let manifest = record.withBody({ try? SnapshotManifest(decoding: $0) }),
            let hash = logs[place.device]?.hash.short
        else { return }
        let position = SyncPosition(device: place.device, seq: place.seq, hash: hash)
        snapshots[place.device] = Announced(position: position, manifest: manifest)
    }
}

// MARK: - Endorsing and discarding

extension Replica {
    /// Compares the last snapshot of a member with what this machine has, and endorses it if it is true.
    ///
    /// - Parameter parts: all parts, as the transport has them.
    /// - Returns: whether it is endorsed with the next batch, or was before.
    package mutating func examine(_ parts: [[UInt8]], of author: MemberID, _ keys: any CircleKeys) -> Bool {
        guard let announced = snapshots[author], author != me, canCompare(keys) else { return false }
        let statement = SyncStatement.endorse(announced.position)
        if endorsements[announced.position]?.contains(me) == true || queued.contains(statement) { return true }
        if rules.snapshotsAreExamined {
            guard let opened = OpenedSnapshot(announced, parts: parts, circle: circle, keys), isTrue(opened) else {
                return false
            }
        }
        queued.append(statement)
        return true
    }

    private func isTrue(_ opened: OpenedSnapshot) -> Bool {
        let announced = opened.announced
        let isRead = announced.manifest.logs.allSatisfy { log in
            let (device, seq) = (log.position.device, log.position.seq)
            if membership.removed.contains(device) { return seq <= logs[device]?.seq ?? 0 }
            return logs[device]?.marks[seq] == LogHead.Mark(hash: log.position.hash, floor: log.floor)
        }
        let stated = stating.filter { announced.covers($0.place) }
        return isRead && Set(stated.map(\.carried)) == Set(opened.stating.map(\.carried))
            && opened.stating.count == stated.count && isTrue(opened.rows, announced)
    }

    /// Whether the rows of a snapshot are those of its batches: what is there is known here or has been replaced since,
    /// and all that is known here is there.
    private func isTrue(_ theirs: [SyncRow], _ announced: Announced) -> Bool {
        let mine = Dictionary(grouping: rows.all.values + future) { $0.record.rid }
        let there = Dictionary(grouping: theirs) { $0.record.rid }
        let isKnown = theirs.allSatisfy { row in
            guard let own = mine[row.record.rid] else { return row.isTombstone && row.stamp.hlc <= myFloor }
            return own.contains { $0.isSame(as: row) || row.stamp < $0.stamp }
        }
        return isKnown
            && mine.allSatisfy { rid, rows in
                rows.allSatisfy { row in
                    guard let place = row.place, announced.covers(place) else { return true }
                    return there[rid]?.contains { $0.isSame(as: row) || row.stamp < $0.stamp } == true
                        || row.isTombstone && mayGo(row, place)
                }
            }
    }

    private func mayGo(_ row: SyncRow, _ place: SyncRecord.Origin) -> Bool {
        isRead(place, by: membership.machines)
            && membership.machines.allSatisfy { floor(of: $0) >= row.stamp.hlc }
    }

    /// The members whose word a snapshot still lacks before logs are discarded: all that belonged to the circle by then
    /// and are in.
    package func unendorsed(_ announced: Announced) -> [MemberID] {
        let endorsed = endorsements[announced.position] ?? []
        return membership.machines.filter { member in
            guard let place = membership.members[member]?.place, announced.covers(place) else { return false }
            return member != announced.position.device && !endorsed.contains(member)
        }
    }

    /// How far logs may be discarded by this machine: its own, and those of removed members.
    package var discardable: [MemberID: UInt64] {
        var ends: [MemberID: UInt64] = [:]
        for announced in snapshots.values where membership.machines.contains(announced.position.device) {
            let mayGo = unendorsed(announced).isEmpty
                || !rules.everyMemberEndorses && endorsements[announced.position]?.contains(me) == true
            guard mayGo else { continue }
            for device in membership.removed.union([me]) {
                ends[device] = max(ends[device] ?? 0, announced.end(of: device))
            }
        }
        return ends.filter { $0.value > 0 }
    }
}

// MARK: - Starting

extension Replica {
    /// Starts from a snapshot, from which all logs go on. The machine then reads on, and asks ``isTrusted`` before it
    /// shows anything to programs.
    ///
    /// - Parameters:
    ///   - bytes: the batch that announces the snapshot.
    ///   - parts: all its parts.
    ///   - now: microseconds since 1970.
    /// - Returns: nil when the batch announces no snapshot, or something is missing or another.
    package init?(
        startingFrom bytes: [UInt8], parts: [[UInt8]], circle: CircleID, me: MemberID, rows: Rows,
        introducer: MemberID, rules: MergeRules = .all, now: UInt64, _ keys: any CircleKeys
    ) {
        self.init(circle: circle, me: me, rows: rows, rules: rules)
        self.introducer = introducer
        guard let batch = try? SyncBatch(decoding: bytes, hash: keys.hash), batch.header.circle == circle,
            let announced = Self.announced(batch, keys),
            let opened = OpenedSnapshot(announced, parts: parts, circle: circle, keys)
        else { return nil }
        begin(announced)
        guard admit(opened.stating, keys),
            let author = membership.present[batch.header.device], !author.isRecoveryKey,
            keys.isSignature(batch.signature, of: batch.signed, by: author.keys.signing)
        else { return nil }
        begin(announced)
        for row in opened.rows { merge(row, now: now) }
        renamed = [:]
    }

    private static func announced(_ batch: SyncBatch, _ keys: any CircleKeys) -> Announced? {
        guard let sealed = batch.sealed, keys.holds(batch.header.generation),
            let content = keys.open(sealed, batch.header, associated: batch.associated)
                .flatMap({ try? SyncContent(decoding: $0) }),
            let record = content.records.first(where: { $0.kind == SyncRecord.Kind.manifest }),
            let manifest = record.withBody({ try? SnapshotManifest(decoding: $0) })
        else { return nil }
        let position = SyncPosition(
            device: batch.header.device, seq: batch.header.seq, hash: keys.hash(batch.signed).short)
        return Announced(position: position, manifest: manifest)
    }

    private mutating func begin(_ announced: Announced) {
        base = announced
        for log in announced.manifest.logs {
            let (device, seq) = (log.position.device, log.position.seq)
            var head = LogHead()
            (head.seq, head.floor) = (seq, log.floor)
            (head.hash, head.isHashWhole) = (BatchHash(GenerationID(number: log.position.hash).bytes), false)
            head.marks[seq] = LogHead.Mark(hash: log.position.hash, floor: log.floor)
            head.said[device] = seq
            logs[device] = head
            named[device] = seq
        }
    }

    /// Counts the statements of a snapshot, each when its author is known; removals come last, because they are of
    /// members that had something to say.
    private mutating func admit(_ batches: [SyncBatch], _ keys: any CircleKeys) -> Bool {
        var left = batches
        for mayRemove in [false, true] {
            var moves = true
            while moves {
                moves = false
                for batch in left where mayRemove || !batch.statements.contains(where: \.isRemoval) {
                    guard let author = author(of: batch, keys),
                        keys.isSignature(batch.signature, of: batch.signed, by: author.signing)
                    else { continue }
                    takeShares(batch, keys)
                    let floor = logs[batch.header.device]?.floor ?? 0
                    for statement in batch.statements { count(statement, batch.place, floor, keys) }
                    stating.append(batch)
                    left.removeAll { $0 == batch }
                    moves = true
                }
            }
        }
        return left.isEmpty
    }

    /// Whether the snapshot that this machine has started from is the word of the member that it has paired with.
    package var isTrusted: Bool {
        guard let base, rules.startsAreTrusted else { return true }
        guard let introducer, membership.machines.contains(introducer) else {
            return false
        }
        return base.position.device == introducer || endorsements[base.position]?.contains(introducer) == true
    }
}

extension SyncBatch {
    fileprivate var place: SyncRecord.Origin { SyncRecord.Origin(device: header.device, seq: header.seq) }
}

extension SyncStatement {
    fileprivate var isRemoval: Bool { if case .remove = self { true } else { false } }
}

/// The elements in their order, in runs of at most so many and so many bytes.
private func chunks<Element>(
    _ list: [Element], of bytes: Int, most: Int, by size: (Element) -> Int
) -> [[Element]] {
    var (chunks, room, count): ([[Element]], Int, Int) = ([], 0, 0)
    for element in list {
        if chunks.isEmpty || room < size(element) || count == most {
            chunks.append([])
            (room, count) = (bytes, 0)
        }
        chunks[chunks.count - 1].append(element)
        room -= size(element)
        count += 1
    }
    return chunks
}
