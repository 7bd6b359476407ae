import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// Keeping what an update or a deletion ends, in its transaction.
extension ItemWriter {
    /// Keeps a row as it stands, which is about to be changed or deleted. Its key need not be there.
    ///
    /// - Parameter ended: when that is over, in microseconds since 2001: when what follows begins.
    func keepVersion(
        _ index: Int, in batch: RowBatch, as itemClass: ItemClass, _ end: VersionEnd, at ended: Int64
    ) throws(Refusal) {
        let row = batch.rows[index]
        guard history.days > 0, !dropsHistory, !row.isTombstone, row.isAuthentic, let accessibility = row.accessibility,
            accessibility.keepsHistory
        else { return }
        let version = EndedVersion(
            itemClass: itemClass, row: row.id, accessibility: accessibility, isSynchronizable: row.isSynchronizable,
            ended: ended, end: end, uuid: row.uuid,
            primaryKey: row.primaryKey, group: row.group, metadata: row.metadata, value: row.value)
        try batch.withParts(of: index) { (parts, wrappedKey) throws(Refusal) in
            try store.keep(version, parts, wrappedKey: wrappedKey)
        }
    }

    /// Keeps a row that is about to be deleted, unless the request wants nothing to be left of it.
    func keepDeleted(
        _ index: Int, in batch: RowBatch, as itemClass: ItemClass, _ request: AuthorizedRequest
    ) throws(Refusal) {
        if request.request.leavesNoHistory { return try forgetVersions(ofRow: index, in: batch, as: itemClass) }
        let now = HistoryLimits.microseconds(Clock.secondsSinceReferenceDate)
        try keepVersion(index, in: batch, as: itemClass, .deleted, at: now)
    }

    /// Drops the earlier versions of the item that has a row, and those of items that had its name before.
    func forgetVersions(ofRow index: Int, in batch: RowBatch, as itemClass: ItemClass) throws(Refusal) {
        let row = batch.rows[index]
        try batch.sealed.withSpan { (parts) throws(Refusal) in
            try store.forgetVersions(
                of: parts.extracting(row.uuid), named: parts.extracting(row.primaryKey), in: itemClass)
        }
    }

    /// Drops what is past and what is too much.
    ///
    /// - Parameter now: seconds since 2001.
    func trimHistory(now: Double) throws(Refusal) {
        try store.trimHistory(endedBefore: history.since(now), atMost: history.bytes)
    }
}

extension PlainItem {
    /// Since when it is as it is: microseconds since 2001.
    var modificationMicroseconds: Int64 {
        guard case .date(let date)? = attributes[.modificationDate] else { return .max }
        return HistoryLimits.microseconds(date)
    }
}

extension HistoryLimits {
    /// A tenth of what the quota leaves, at most.
    func within(_ quotas: Quotas) -> HistoryLimits {
        HistoryLimits(days: days, bytes: min(bytes, Int64(clamping: quotas.bytes / 10)))
    }
}
