package import SyncFormat

/// A snapshot that a batch announces.
package struct Announced: Sendable {
    /// The batch: its author is the snapshot's.
    package let position: SyncPosition
    package let manifest: SnapshotManifest

    package init(position: SyncPosition, manifest: SnapshotManifest) {
        (self.position, self.manifest) = (position, manifest)
    }

    var place: SyncRecord.Origin { SyncRecord.Origin(device: position.device, seq: position.seq) }

    /// How far the snapshot covers a log; 0 where it does not.
    package func end(of device: MemberID) -> UInt64 {
        manifest.logs.first { $0.position.device == device }?.position.seq ?? 0
    }

    func covers(_ place: SyncRecord.Origin) -> Bool { place.seq <= end(of: place.device) }
}

/// A snapshot with its parts, all of which are as the manifest has them.
struct OpenedSnapshot {
    let announced: Announced
    private(set) var stating: [SyncBatch] = []
    private(set) var rows: [SyncRow] = []

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
        guard keys.holds(part.header.generation),
            let content = keys.open(part.sealed, part.header, associated: part.associated),
            let records = try? SnapshotPart.records(decoding: content)
        else { return false }
        for record in records {
            guard let origin = record.origin, record.isBoxed == record.needsBox,
                let opened = record.isBoxed ? keys.unbox(record, part.header) : record,
                (1...4).contains(record.itemClass), (1...3).contains(record.protection),
                keys.recordID(of: opened) == opened.rid
            else { return false }
            let stamp = SyncStamp(hlc: opened.hlc, device: origin.device)
            rows.append(SyncRow(record: opened.with(origin: nil), stamp: stamp, place: announced.place))
        }
        return true
    }
}
