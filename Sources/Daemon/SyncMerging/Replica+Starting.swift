package import SyncFormat

extension Replica {
    /// Starts from a snapshot, from which all logs go on, in place of what was read before. The machine then reads on.
    ///
    /// Nothing has to be true of a snapshot to be read, so the machine publishes nothing and is not to show anything
    /// before ``isTrusted``. It can start again, from another one, until it has published something.
    ///
    /// - Parameters:
    ///   - bytes: the batch that announces the snapshot.
    ///   - parts: all its parts.
    ///   - introducer: the member that this machine has paired with; nil for none.
    ///   - now: microseconds since 1970.
    /// - Returns: false, and nothing is changed, when the batch announces no snapshot, or something is missing or
    ///   another.
    package mutating func start(
        from bytes: [UInt8], parts: [[UInt8]], introducer: MemberID?, now: UInt64, _ keys: any CircleKeys
    ) -> Bool {
        guard logs[me]?.seq ?? 0 == 0, outgoing == nil, let batch = try? SyncBatch(decoding: bytes, hash: keys.hash),
            batch.header.circle == circle, let announced = announced(batch, parts, keys),
            let opened = OpenedSnapshot(announced, parts: parts, circle: circle, keys)
        else { return false }
        var next = unread()
        guard next.admit(opened, in: batch, keys) else { return false }
        next.introducer = introducer
        if !rules.startsAreTrusted || next.hasItsIntroducersWord { next.trust(keys) }
        self = next
        for (rid, row) in rows.all where !row.isDirty { rows[rid] = nil }
        for row in opened.arrived { merge(row, now: now) }
        renames = Renames()
        drain(now: now, keys)
        return true
    }

    /// How many parts a snapshot has that a batch announces. Its keys follow from what the first parts state, and from
    /// batches that wait.
    ///
    /// - Returns: nil while the keys are not there, and for a batch that announces none.
    package mutating func partCount(of batch: SyncBatch, _ parts: [[UInt8]], _ keys: any CircleKeys) -> Int? {
        announced(batch, parts, keys)?.manifest.parts.count
    }

    /// The snapshot that a batch announces, whose keys may be in what its parts state, and in batches that wait.
    private mutating func announced(_ batch: SyncBatch, _ parts: [[UInt8]], _ keys: any CircleKeys) -> Announced? {
        let generation = batch.header.generation
        if !keys.holds(generation) {
            let carried = parts.compactMap { try? SnapshotPart(decoding: $0) }.flatMap(\.carried)
            var reader = unread()
            _ = reader.countAll(carried, keys)
            // The parts have added those that have added others since, who may have shared the keys.
            if !keys.holds(generation) { _ = reader.seek(generation, keys) }
        }
        guard let sealed = batch.sealed, keys.holds(generation),
            let content = keys.open(sealed, batch.header, associated: batch.associated)
                .flatMap({ try? SyncContent(decoding: $0) }),
            let record = content.records.last(where: { $0.kind == SyncRecord.Kind.manifest }),
            let manifest = record.withBody({ try? SnapshotManifest(decoding: $0) })
        else { return nil }
        let position = SyncPosition(
            device: batch.header.device, seq: batch.header.seq, hash: keys.hash(batch.signed).short)
        return Announced(manifest, in: position, after: batch.header.previous)
    }

    /// This machine as if it had read nothing, with the batches that wait. Of what it reads next its keys take nothing
    /// but keys: the author of a snapshot can have it carry a removal that is in no log.
    private func unread() -> Replica {
        var next = Replica(circle: circle, me: me, rows: rows, rules: rules)
        next.isTrusted = false
        (next.queued, next.waiting, next.waitingSize) = (queued, waiting, waitingSize)
        (next.sought, next.introducing, next.apart) = (sought, introducing, apart)
        return next
    }

    /// Takes logs and statements of a snapshot.
    ///
    /// - Returns: false when somebody has stated something who did not belong to the circle, or the author does not. It
    ///   is also false for more of a log than the snapshot covers, unless its author is out.
    private mutating func admit(_ opened: OpenedSnapshot, in batch: SyncBatch, _ keys: any CircleKeys) -> Bool {
        begin(opened.announced)
        guard countAll(opened.stating, keys), let author = membership.present[batch.header.device],
            !author.isRecoveryKey, keys.isSignature(batch.signature, of: batch.signed, by: author.keys.signing),
            opened.stating.allSatisfy({
                opened.announced.covers($0.place) || membership.removed.contains($0.header.device)
            })
        else { return false }
        begin(opened.announced)
        for device in logs.keys { forget(device, upTo: logs[device]?.seq ?? 0, keys) }
        return true
    }

    /// Goes on where the logs of a snapshot end.
    ///
    /// Of a removed member nothing counts beyond that, of others what has been named.
    private mutating func begin(_ announced: Announced) {
        (base, pledged) = (announced, announced)
        snapshots[announced.position.device] = announced
        logs = Dictionary(announced.manifest.logs.map { ($0.device, LogHead($0)) }) { $1 }
        let read = logs.values.flatMap { $0.said }.filter { !membership.removed.contains($0.key) }
        named = logs.mapValues(\.seq).merging(read.map { ($0.key, $0.value) }, uniquingKeysWith: max)
    }

    /// Counts the statements of a snapshot, each when its author is known. Removals come last, because they are of
    /// members that had something to say.
    private mutating func countAll(_ batches: [SyncBatch], _ keys: any CircleKeys) -> Bool {
        var left = batches
        for mayRemove in [false, true] {
            // In each turn those are counted that members of the turn before have added.
            for _ in 0..<SyncLimits.members where !left.isEmpty {
                let before = left.count
                guard countOnce(&left, mayRemove: mayRemove, keys) else { return false }
                if left.count == before { break }
            }
        }
        return left.isEmpty
    }

    /// - Returns: false when a signature is another's; it is checked once.
    private mutating func countOnce(
        _ batches: inout [SyncBatch], mayRemove: Bool, _ keys: any CircleKeys
    ) -> Bool {
        var left: [SyncBatch] = []
        for batch in batches {
            guard mayRemove || !batch.removesSomebody, let author = author(of: batch, keys)
            else {
                left.append(batch)
                continue
            }
            guard keys.isSignature(batch.signature, of: batch.signed, by: author.signing) else { return false }
            count(stating: batch, keys)
        }
        batches = left
        return true
    }

    private mutating func count(stating batch: SyncBatch, _ keys: any CircleKeys) {
        take(batch, .counted, keys)
        let floor = logs[batch.header.device]?.floor ?? 0
        for statement in batch.statements { count(statement, batch.place, floor, keys) }
        stating.append(batch)
    }
}
