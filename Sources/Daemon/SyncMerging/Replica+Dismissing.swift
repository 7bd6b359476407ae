package import SyncFormat

// The machines that a place with tokens is to let in no more, as far as this one has read.

extension Replica {
    /// The members that were removed by name, which is for good: first the targets of removals by those that are in. A
    /// member in wrong hands can add and remove as many as it likes.
    package var dismissed: [MemberID] {
        let out = membership.removed
        let first = targets { !out.contains($0.place.device) }
        return first.sorted() + targets().subtracting(first).sorted()
    }

    /// The members that are out with others. They come back when an `add` of them is read whose author is in.
    package var cutOff: [MemberID] { membership.removed.subtracting(targets()).sorted() }

    /// The members that removals name, where these name a member.
    private func targets(of isMeant: (Membership.Removal) -> Bool = { _ in true }) -> Set<MemberID> {
        Set(membership.cuts.keys.filter(isMeant).map(\.target)).intersection(membership.removed)
    }

    /// Whether the logs of all removed members have their end here. Before that a machine may be in of which this one
    /// does not know.
    package var hasReadRemovedLogs: Bool { membership.removed.allSatisfy(isRead(toItsEnd:)) }
}
