package import KeychainModel
package import KeychainPolicy
import KeychainStore
package import KeychainWire

/// Tells programs that items of their access groups have changed.
extension KeychainEngine {
    /// Moves with every change that a program may hear of.
    package var groupEpoch: StateEpoch { store.groupNumbers.epoch }

    /// The numbers of the groups that a program watches, as they are now. The keychain may be locked. May block: the
    /// first question has changes noted from then on.
    ///
    /// - Throws: `errSecMissingEntitlement` for a group that is not the caller's; why the store is no longer used.
    package func numbers(of watch: GroupWatch, for caller: CallerIdentity) throws(Refusal) -> [GroupNumber] {
        let groups = try AccessPolicy.groupsToWatch(watch.seen.map(\.group), for: caller)
        if let failure { throw failure }
        if store.isShared || !store.changeLog.isKept {
            try change { (writer) throws(Refusal) in
                try writer.store.watchChanges()
                try writer.store.noteForeignChanges()
            }
        }
        var numbers: [GroupNumber] = []
        for group in groups.prefix(GroupWatch.mostGroups) {
            numbers.append(GroupNumber(group: group, number: try number(of: group)))
        }
        return numbers
    }

    private func number(of group: String) throws(Refusal) -> UInt64 {
        if group == AccessGroup.any { return store.groupNumbers.numberOfAll }
        return store.groupNumbers.number(of: try groupDigests.digest(of: group))
    }
}
