import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// For how long earlier versions of items are kept, and how many bytes of them.
package struct HistoryLimits: Equatable, Sendable {
    /// 0 keeps none.
    package var days: UInt32
    package var bytes: Int64

    package static let standardDays: UInt32 = 30
    /// All versions together, where the quota is not less than ten times as much.
    package static let mostBytes: Int64 = 10 << 20

    package init(days: UInt32 = standardDays, bytes: Int64 = mostBytes) { (self.days, self.bytes) = (days, bytes) }

    /// A tenth of what the quota leaves, at most.
    func within(_ quotas: Quotas) -> HistoryLimits {
        HistoryLimits(days: days, bytes: min(bytes, Int64(clamping: quotas.bytes / 10)))
    }

    /// The end of the versions that are past: microseconds since 2001.
    ///
    /// - Parameter now: seconds since 2001.
    func since(_ now: Double = Clock.secondsSinceReferenceDate) -> Int64 {
        days == 0 ? .max : Self.microseconds(now - Double(days) * 86400)
    }

    /// - Parameter moment: seconds since 2001.
    static func microseconds(_ moment: Double) -> Int64 {
        Int64(exactly: (moment * 1_000_000).rounded()) ?? (moment < 0 ? .min : .max)
    }
}

/// The time for dropping what is past: the wall clock's, but never more than passed on the system's
/// own clock since the keychain was opened. A wall clock that is set ahead drops nothing in a process that runs, and
/// one that is set back keeps all for longer.
package struct HistoryClock: Sendable {
    private let wall: @Sendable () -> Double
    private let boot: @Sendable () -> Double
    private let opened: (wall: Double, boot: Double)

    /// - Parameters:
    ///   - wall: seconds since 2001.
    ///   - boot: seconds since the system was started, which nobody sets.
    package init(
        wall: @escaping @Sendable () -> Double = { Clock.secondsSinceReferenceDate },
        boot: @escaping @Sendable () -> Double = { Double(Clock.secondsSinceBoot) }
    ) {
        (self.wall, self.boot) = (wall, boot)
        opened = (wall(), boot())
    }

    /// Seconds since 2001.
    package var now: Double { min(wall(), opened.wall + boot() - opened.boot) }
}

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
