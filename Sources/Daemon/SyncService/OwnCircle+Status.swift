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
            status.unopened = UInt64(desk.unopened)
            let behind = Set(replica.behind(now: now))
            status.machines = replica.machines(state, behind: behind, unreadable: unreadable, keys)
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

extension Replica {
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
        return Set(membership.members.keys).union(theirs.keys).sorted().map { id in
            var machine = SyncStatus.Machine(id: id, name: theirs[id]?.name ?? "")
            (machine.seq, machine.quarantined) = (logs[id]?.seq ?? 0, UInt64(quarantined[id] ?? 0))
            let isKey = membership.members[id]?.isRecoveryKey ?? theirs[id]?.isRecoveryKey ?? false
            let facts: [(SyncStatus.Machine.Flags, Bool)] = [
                (.isRecoveryKey, isKey),
                (.isRemoved, membership.removed.contains(id) || id == me && isOut(state, keys)),
                (.isBehind, behind.contains(id)), (.needsLaterVersion, later.contains(id)),
                (.isForked, doubted.contains(id)), (.isRolledBack, rolledBack[id] != nil),
                (.isUnreadable, unreadable.contains(id)), (.isUnpublished, isUnpublished(id, theirs[id]?.isIn, keys)),
            ]
            for (flag, isSo) in facts where isSo { machine.flags.insert(flag) }
            return machine
        }
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
