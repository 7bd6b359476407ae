import SyncFormat

/// A record that cannot be merged yet, as it came: a body in a box stays there, so that it lies nowhere in the clear.
struct WaitingRecord: Sendable {
    let record: SyncRecord
    /// The header that its box belongs to: that of a batch, or of a part of a snapshot.
    let header: SyncHeader
    /// The batch that members must have read to know the version.
    let place: SyncRecord.Origin

    init(_ record: SyncRecord, _ header: SyncHeader, _ place: SyncRecord.Origin) {
        (self.record, self.header, self.place) = (record, header, place)
    }

    /// A record of a batch.
    init(_ record: SyncRecord, of header: SyncHeader) {
        self.init(record, header, SyncRecord.Origin(device: header.device, seq: header.seq))
    }

    /// The bytes that the record counts as in the room for those that wait. There are not to be too many small ones.
    var cost: Int { max(record.encodedSize, 4096) }

    /// The version, whose body was taken out of its box.
    func row(_ opened: SyncRecord) -> SyncRow {
        let stamp = SyncStamp(hlc: opened.hlc, device: opened.origin?.device ?? place.device)
        return SyncRow(record: opened.with(origin: nil), stamp: stamp, place: place)
    }
}

/// A version of another machine's, and the record that it came in.
struct ArrivedRow: Sendable {
    let row: SyncRow
    let record: WaitingRecord

    init(_ record: WaitingRecord, opened: SyncRecord) { (row, self.record) = (record.row(opened), record) }
}
