package import SyncFormat

/// A snapshot that a batch announces.
package struct Announced: Sendable {
    /// The batch: its author is the snapshot's.
    package let position: SyncPosition
    package let manifest: SnapshotManifest

    var place: SyncRecord.Origin { SyncRecord.Origin(device: position.device, seq: position.seq) }

    /// A snapshot that was announced before.
    init(_ position: SyncPosition, _ manifest: SnapshotManifest) {
        (self.position, self.manifest) = (position, manifest)
    }

    /// - Returns: nil when the snapshot does not cover its author's log up to the batch before.
    init?(_ manifest: SnapshotManifest, in position: SyncPosition, after previous: BatchHash) {
        (self.position, self.manifest) = (position, manifest)
        let own = manifest.logs.first { $0.device == position.device }
        guard let own, own.seq == position.seq - 1, own.hash == previous else { return nil }
    }

    /// How far the snapshot covers a log; nil when it does not.
    package func end(of device: MemberID) -> UInt64? { manifest.logs.first { $0.device == device }?.seq }

    func covers(_ place: SyncRecord.Origin) -> Bool { place.seq <= end(of: place.device) ?? 0 }

    /// Whether the snapshot covers all that another does, besides the logs of some.
    func covers(_ other: Announced, besides split: Set<MemberID>) -> Bool {
        other.manifest.logs.allSatisfy { split.contains($0.device) || $0.seq <= end(of: $0.device) ?? 0 }
    }
}

/// A snapshot with its parts, all of which are as the manifest has them.
struct OpenedSnapshot {
    /// The seq of a version that another has passed on, whose place everyone has read.
    static let passedOn = SyncLimits.endOfTime - 1

    let announced: Announced
    private(set) var stating: [SyncBatch] = []
    private(set) var arrived: [ArrivedRow] = []
    var rows: [SyncRow] { arrived.map(\.row) }

    /// - Returns: nil when a part is missing or is another, and on a locked machine that has to open boxes.
    init?(_ announced: Announced, parts: [[UInt8]], circle: CircleID, _ keys: any CircleKeys) {
        self.announced = announced
        guard parts.count == announced.manifest.parts.count else { return nil }
        for (bytes, wanted) in zip(parts, announced.manifest.parts) {
            guard bytes.count == Int(wanted.size), keys.hash(bytes) == wanted.hash,
                let part = try? SnapshotPart(decoding: bytes), part.header.circle == circle,
                part.header.device == announced.position.device, part.header.seq == announced.position.seq,
                take(part, keys)
            else { return nil }
        }
    }

    private mutating func take(_ part: SnapshotPart, _ keys: any CircleKeys) -> Bool {
        stating += part.carried
        guard part.header.least <= SyncLimits.version, keys.holds(part.header.generation),
            let content = keys.open(part.sealed, part.header, associated: part.associated),
            let records = try? SnapshotPart.records(decoding: content)
        else { return false }
        guard records.allSatisfy({ isAllowed($0, part.header) }) else { return false }
        let opened = keys.open(records.map { ($0, part.header) }, isNamed: true)
        for (record, opened) in zip(records, opened) {
            guard let opened, let origin = record.origin else { return false }
            let place = announced.covers(origin) ? origin : announced.place
            arrived.append(ArrivedRow(WaitingRecord(record, part.header, place), opened: opened))
        }
        return true
    }

    private func isAllowed(_ record: SyncRecord, _ header: SyncHeader) -> Bool {
        record.isConsistent && record.origin != nil && record.leastVersion <= header.least
    }
}
