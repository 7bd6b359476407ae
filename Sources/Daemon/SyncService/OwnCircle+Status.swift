import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncMerging
import SyncStore

extension OwnCircle {
    /// The circle for people to look at; nil where the keychain belongs to none.
    func status() throws(Refusal) -> SyncStatus? {
        guard let state = try state else { return nil }
        let unreadable = Set(view.unreadable.map(\.device))
        let file = try file
        var status = try perform { replica, now, keys in
            var status = SyncStatus(circle: state.circle, me: replica.me, keys: state.keys, place: file.place)
            status.standing = replica.standing(state, keys)
            (status.future, status.held) = (UInt64(replica.futureCount), UInt64(replica.heldCount))
            desk.countAgain(&replica, keys)
            (status.unopened, status.items) = (UInt64(desk.unopened), UInt64(replica.publishedItems))
            let behind = Set(replica.behind(now: now))
            status.machines = replica.machines(state, behind: behind, unreadable: unreadable, keys)
            replica.markNew(&status.machines, file.known)
            return status
        }
        if file.isDoubled { status.standing = .isDoubled }
        (status.isPaused, status.problem) = (file.isPaused, view.problem)
        (status.looked, status.committed) = (file.looked, file.committed)
        status.unsent = UInt64(try CircleRecords(engine).count())
        status.machines = shown(status, file)
        return status
    }

    /// The machines, with the names that stand in the file alone.
    private func shown(_ status: SyncStatus, _ file: CircleNotes) -> [SyncStatus.Machine] {
        var names = [status.me: file.name]
        if let partner = file.partner { names[partner.id] = partner.name }
        var machines = status.machines
        if let partner = file.partner?.id, !machines.contains(where: { $0.id == partner }) {
            machines = (machines + [SyncStatus.Machine(id: partner, name: "")]).sorted { $0.id < $1.id }
        }
        return machines.map { machine in
            var shown = machine.name.isEmpty ? machine.named(names[machine.id] ?? "") : machine
            shown.heard = file.heard[machine.id] ?? 0
            return shown
        }
    }
}

/// Members that another machine has added, until the user has seen them.
extension OwnCircle {
    /// Those that are in, where this machine is.
    var present: Set<MemberID> {
        get throws(Refusal) {
            try perform { replica, _, _ in
                let present = replica.membership.present
                return present[replica.me] == nil ? [] : Set(present.keys)
            }
        }
    }

    /// The user was shown that these are in.
    func note(known members: [MemberID]) throws(Refusal) {
        let present = try present
        try change { $0.known.formUnion(present.intersection(members)) }
    }
}

extension Replica {
    /// A user who has added a member knows it.
    fileprivate func markNew(_ machines: inout [SyncStatus.Machine], _ known: Set<MemberID>) {
        guard !known.isEmpty else { return }
        let present = membership.present
        for place in machines.indices where !known.contains(machines[place].id) && machines[place].id != me {
            let id = machines[place].id
            guard present[id] != nil, membership.introductions[id]?[me] == nil else { continue }
            machines[place].flags.insert(.isNew)
        }
    }

    /// Whether this machine was removed, as far as it can tell.
    func isOut(_ state: CircleState, _ keys: EnclaveCircleKeys) -> Bool {
        isRemoved || isShutOut(keys) || state.isRemoved(me)
    }

    fileprivate func standing(_ state: CircleState, _ keys: EnclaveCircleKeys) -> SyncStatus.Standing {
        if isOut(state, keys) { return .isRemoved }
        return membership.members[me] != nil || state.random != nil ? .isIn : .waitsToBeAdded
    }

    fileprivate func machines(
        _ state: CircleState, behind: Set<MemberID>, unreadable: Set<MemberID>, _ keys: EnclaveCircleKeys
    ) -> [SyncStatus.Machine] {
        let theirs = Dictionary(state.members.map { ($0.id, $0) }) { $1 }
        let next = membershipToCome
        let uninformed = uninformed(by: next)
        return Set(membership.members.keys).union(theirs.keys).sorted().map { id in
            var machine = SyncStatus.Machine(id: id, name: theirs[id]?.name ?? "")
            (machine.seq, machine.quarantined) = (logs[id]?.seq ?? 0, UInt64(quarantined[id] ?? 0))
            let isKey = membership.members[id]?.isRecoveryKey ?? theirs[id]?.isRecoveryKey ?? false
            let facts: [(SyncStatus.Machine.Flags, Bool)] = [
                (.isRecoveryKey, isKey),
                (.isRemoved, next.removed.contains(id) || id == me && isOut(state, keys)),
                (.hasNotHeard, uninformed.contains(id)),
                (.isBehind, behind.contains(id)), (.needsLaterVersion, later.contains(id)),
                (.isForked, doubted.contains(id)), (.isRolledBack, rolledBack[id] != nil),
                (.isUnreadable, unreadable.contains(id)), (.isUnpublished, isUnpublished(id, theirs[id]?.isIn, keys)),
            ]
            for (flag, isSo) in facts where isSo { machine.flags.insert(flag) }
            return machine
        }
    }

    /// The members as they are when all that this machine is about to state counts.
    private var membershipToCome: Membership {
        var next = membership
        for case .remove(let target, _, let kept) in unpublished {
            next.remove(target, kept: kept, at: SyncRecord.Origin(device: me, seq: .max))
        }
        return next
    }

    /// The other machines that stay and have not said that they know of each removal. Until they do, one that is out
    /// may read what they write. A recovery key reads nothing.
    private func uninformed(by next: Membership) -> Set<MemberID> {
        let gone = next.removed.filter { next.members[$0]?.isRecoveryKey != true }
        guard !gone.isEmpty else { return [] }
        return Set(next.machines.filter { $0 != me && !gone.isSubset(of: removed(knownTo: $0)) })
    }

    /// Items, without shelves, in batches that every member can read.
    fileprivate var publishedItems: Int {
        rows.all.values.count { $0.record.kind == SyncRecord.Kind.item && !$0.isDirty }
    }

    /// Whether the enclave has added or removed a machine, and no batch says so, nor will: a crash came between them.
    private func isUnpublished(_ id: MemberID, _ isIn: Bool?, _ keys: EnclaveCircleKeys) -> Bool {
        // While batches wait, the enclave may have taken what is stated in them.
        guard let isIn, id != me, waitingForTheirTurn.isEmpty else { return false }
        let isSaid = unpublished.contains { statement in
            switch statement {
            case .add(let addition): isIn && keys.member(addition.keys) == id
            case .recovery(let made, _): isIn && keys.member(made) == id
            case .remove(let member, _, _): !isIn && member == id
            default: false
            }
        }
        let isKnown = isIn ? membership.members[id] != nil : membership.removed.contains(id)
        return !isKnown && !isSaid
    }
}

extension SyncStatus.Machine {
    fileprivate func named(_ name: String) -> SyncStatus.Machine {
        var machine = SyncStatus.Machine(id: id, name: name)
        (machine.flags, machine.seq, machine.quarantined) = (flags, seq, quarantined)
        return machine
    }
}
