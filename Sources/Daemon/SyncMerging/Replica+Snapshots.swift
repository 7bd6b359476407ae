import SyncFormat

// A snapshot has all records and statements that its author has read, so that logs can be discarded and newcomers need
// not read them. Nobody has to believe its author: each member compares it with what it has itself, and endorses it
// with a statement. Logs are discarded when all have. One honest member is then enough for its truth, and nobody is
// left behind.

extension Replica {
    /// Makes a snapshot: its parts and the batch that announces it, which is then ``outgoing``.
    ///
    /// - Returns: whether it could be made. It cannot while changes are not published, records wait, a removal is not
    ///   known to everyone, or something is left to state or to pass on. Nor can it where readers have no room for it.
    package mutating func makeSnapshot(_ keys: any CircleKeys) -> Bool {
        guard outgoing == nil, !isRemoved, !isShutOut(keys), notedRemovals.isEmpty, isTrusted, canCompare(keys),
            rows.loadAll(), hasNothingToSay(keys), isSettled(),
            let generation = membership.currentGeneration?.id, keys.holds(generation)
        else { return false }
        let least = (rows.all.values + future.map(\.row)).map(\.record).leastVersion
        let (header, logs) = (header(generation, least: least, keys), coveredLogs)
        guard logs.count <= SyncLimits.members, let parts = parts(of: header, keys) else { return false }
        let manifest = SnapshotManifest(logs: logs, parts: parts.map { Self.listed($0, keys) })
        guard SnapshotManifest.fit(manifest.parts) else { return false }
        let record = SyncRecord(kind: SyncRecord.Kind.manifest, hlc: 0, body: manifest.encoded())
        guard record.encodedSize <= SyncLimits.sealedBytes / 2 else { return false }
        let content = SyncContent(
            positions: changedPositions(), floor: stampFloor, records: [record])
        let batch = finish(header, [], content, [:], keys)
        outgoing?.parts = parts
        let position = SyncPosition(device: me, seq: header.seq, hash: keys.hash(batch.signed).short)
        pledged = Announced(manifest, in: position, after: header.previous)
        return true
    }

    /// How many items and shelves that others have do not open here. While there are some, this machine cannot make or
    /// endorse a snapshot, and nobody discards logs; nil while it is locked.
    package mutating func countUnopened(_ keys: any CircleKeys) -> Int? {
        guard keys.isUnlocked else { return nil }
        return rows.loadAll() ? 0 : rows.all.values.count(where: \.record.isBare)
    }

    /// Whether this machine has all that it has read at hand, and nothing that others do not have.
    func canCompare(_ keys: any CircleKeys) -> Bool {
        membership.members[me] != nil && rolledBack.isEmpty && keys.isUnlocked && held.isEmpty
            && doubted.isSubset(of: membership.removed) && rows.unpublished.isEmpty
    }

    /// Whether all removals are stated that split logs make necessary, and nothing is left to pass on.
    /// Everyone has read the versions that were passed on.
    private func hasNothingToSay(_ keys: any CircleKeys) -> Bool {
        let machines = membership.machines
        let isPassedOn = rows.all.values.allSatisfy { row in
            guard let place = row.place, place.device != row.stamp.device else { return true }
            return isRead(place, by: machines)
        }
        return isPassedOn && queued.isEmpty && doubted.isSubset(of: statedForked) && repeatedRemovals().isEmpty
            && versionsToPassOn(besides: [:], keys).isEmpty
    }

    private static func listed(_ part: SnapshotPart, _ keys: any CircleKeys) -> SnapshotManifest.Part {
        let bytes = part.bytes
        return .init(size: UInt32(truncatingIfNeeded: bytes.count), hash: keys.hash(bytes))
    }

    private var coveredLogs: [SnapshotManifest.Log] {
        let split = splitLogs
        return logs.filter { !split.contains($0.key) }.sorted { $0.key < $1.key }.map { $1.covered($0) }
    }

    /// Rows and statements in parts of about a MiB; nil when there are too many, or when the machine was locked
    /// meanwhile.
    private func parts(of batch: SyncHeader, _ keys: any CircleKeys) -> [SnapshotPart]? {
        let stating = covered(upTo: nil) + introductions()
        let records = (rows.all.values + future.map(\.row)).sorted { $0.record.rid < $1.record.rid }.map(\.inSnapshot)
        let rows = chunks(records, of: SyncLimits.sealedBytes / 2, most: .max, by: \.encodedSize)
        let statements = chunks(
            stating, of: SyncLimits.carriedBytes / 2, most: SyncLimits.carriedBatches, by: \.carried.count)
        let count = max(1, rows.count, statements.count)
        guard count <= SyncLimits.parts else { return nil }
        var parts: [SnapshotPart] = []
        for number in 0..<count {
            let records = number < rows.count ? rows[number] : []
            guard let part = part(records, number < statements.count ? statements[number] : [], batch, keys) else {
                return nil
            }
            parts.append(part)
        }
        return parts
    }

    private func part(
        _ records: [SyncRecord], _ stating: [SyncBatch], _ batch: SyncHeader, _ keys: any CircleKeys
    ) -> SnapshotPart? {
        let header = SyncHeader(
            circle: circle, device: me, seq: batch.seq, previous: .none, generation: batch.generation,
            salt: keys.makeSalt(), least: batch.least)
        guard let boxed = boxed(records, header, keys) else { return nil }
        let sealed = keys.seal(SnapshotPart.content(boxed), header) {
            SnapshotPart.associated(header, stating, sealedSize: $0)
        }
        return SnapshotPart(header, carried: stating, sealed: sealed)
    }

    /// The statements of all logs that are the same to everyone, as far as a snapshot covers them.
    func covered(upTo announced: Announced?) -> [SyncBatch] {
        let split = splitLogs
        return stating.filter { batch in
            !split.contains(batch.header.device) && announced?.covers(batch.place) ?? true
        }
    }

    /// The batches of split logs without which somebody would be unknown: those that have added a member whose log is
    /// the same to everyone, and those that have added their authors.
    func introductions() -> [SyncBatch] {
        let split = splitLogs
        var found: Set<SyncRecord.Origin> = []
        var new = Set(membership.members.keys).subtracting(split)
        while !new.isEmpty {
            let places = new.compactMap { membership.members[$0]?.place }
                .filter { split.contains($0.device) && !found.contains($0) }
            found.formUnion(places)
            new = Set(places.map(\.device))
        }
        return stating.filter { found.contains($0.place) }
    }
}

extension SyncRow {
    /// The version as a snapshot has it.
    fileprivate var inSnapshot: SyncRecord {
        let isOwn = place.map { $0.device == stamp.device } ?? false
        let seq = isOwn ? place?.seq : nil
        return record.with(origin: SyncRecord.Origin(device: stamp.device, seq: seq ?? OpenedSnapshot.passedOn))
    }
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
