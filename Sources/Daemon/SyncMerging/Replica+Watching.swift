package import SyncFormat

extension Replica {
    /// A log that another has read further may be on its way for so long: 24 hours.
    private static var patience: UInt64 { 24 * 3_600_000_000 }

    /// Compares what the transport shows with what was read. While it shows less, the machine publishes nothing: its
    /// next batch would be one that nobody can follow. Nothing is lost, and a transport that is right again is enough.
    ///
    /// The logs of removed members may be gone as far as a snapshot covers them that all have endorsed.
    ///
    /// - Parameter ends: the last batch of each log that the transport has.
    package mutating func look(at ends: [MemberID: UInt64]) {
        guard rules.rollbackIsNoticed else { return }
        rolledBack = [:]
        for (device, head) in logs where head.seq > ends[device] ?? 0 && !mayBeGone(device, upTo: head.seq) {
            rolledBack[device] = ends[device] ?? 0
        }
    }

    /// Merges what has waited for the machine to be unlocked.
    ///
    /// - Parameter now: microseconds since 1970.
    package mutating func unlock(now: UInt64, _ keys: any CircleKeys) { drain(now: now, keys) }

    /// Logs of which others have read batches that are not here after a day: the transport may withhold them.
    ///
    /// - Parameter now: microseconds since 1970.
    package func behind(now: UInt64) -> [MemberID] {
        missing.filter { now > $0.value && now - $0.value > Self.patience }.keys.sorted()
    }

    /// Keeps since when each log is behind.
    mutating func noticeBehind(_ now: UInt64) {
        let late = claims.keys.filter { !hasEnded($0) }
        missing = Dictionary(uniqueKeysWithValues: late.map { ($0, min(missing[$0] ?? now, now)) })
    }

    /// Whether a log is read no further, also when others name more of it: that of an equivocator, and that of a
    /// removed member, once it is read as far as it counts.
    func hasEnded(_ device: MemberID) -> Bool {
        doubted.contains(device) || membership.removed.contains(device) && isRead(toItsEnd: device)
    }
}
