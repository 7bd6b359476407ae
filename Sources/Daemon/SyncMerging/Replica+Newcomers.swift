package import SyncFormat

// A newcomer keeps all batches of a look back, and reads at its end. Where the transport has the beginning of each log
// it reads these. Otherwise it starts from a snapshot, before it has merged anything.

extension Replica {
    /// Whether the beginning of a log is missing.
    package var hasGaps: Bool {
        waiting.contains { device, batches in
            batches.keys.min().map { $0 > (logs[device]?.seq ?? 0) + 1 } ?? false
        }
    }

    /// Reads what was kept back.
    ///
    /// - Parameter now: microseconds since 1970.
    package mutating func readAll(now: UInt64, _ keys: any CircleKeys) {
        keepsBack = false
        drain(now: now, keys)
    }

    /// Whether a newcomer that has started from a snapshot can stay with it: it is trusted, and all is read that the
    /// sponsor names. One that adds itself with a recovery key has no sponsor.
    package var canStay: Bool {
        let addsItself = queued.contains { if case .add(let own) = $0 { own.recoveryKey != .none } else { false } }
        return isTrusted && hasCaughtUp && (membership.members[me] != nil || addsItself)
    }

    /// Waiting batches that may announce a snapshot to start from: those that others have endorsed, first with the word
    /// of the introducer, then with that of most. The last ones are the beginnings of logs that are gone in part, for
    /// nobody else has endorsed the snapshot of a machine alone.
    package func startingPlaces(_ introducer: MemberID?) -> [SyncRecord.Origin] {
        var words: [SyncRecord.Origin: Set<MemberID>] = [:]
        for (device, batches) in waiting {
            if let first = batches.keys.min(), first > 1 {
                words[SyncRecord.Origin(device: device, seq: first), default: []].insert(device)
            }
            for case .endorse(let position) in batches.values.joined().flatMap(\.statements) {
                let place = SyncRecord.Origin(device: position.device, seq: position.seq)
                words[place, default: [place.device]].insert(device)
            }
        }
        func rank(_ place: SyncRecord.Origin) -> (Int, Int, UInt64) {
            let isTrusted = introducer.map { words[place]?.contains($0) == true } ?? false
            return (isTrusted ? 1 : 0, words[place]?.count ?? 0, place.seq)
        }
        return words.keys.filter { !announcements(at: $0).isEmpty }
            .sorted { rank($0) == rank($1) ? $0.device < $1.device : rank($0) > rank($1) }
    }

    /// The batches with a sealed part that wait at a place.
    package func announcements(at place: SyncRecord.Origin) -> [SyncBatch] {
        (waiting[place.device]?[place.seq] ?? []).filter { $0.header.generation != .none }
    }
}
