import LinuxSystem
import SyncFormat
import SyncMerging

/// The contents of a snapshot.
struct SnapshotContent {
    var records: [SyncRecord]
    var stating: [SyncBatch]
    var logs: [SnapshotManifest.Log]
}

extension Simulation {
    func examineAndDiscard(_ machine: SimulatedMachine) {
        examine(machine, isHostile: plan.damage && dice.chance(20))
        if dice.chance(50) { discard(machine) }
    }

    @discardableResult
    func makeSnapshot(_ machine: SimulatedMachine, crashes: Int = 0) -> Bool {
        guard machine.replica.makeSnapshot(machine.keys) else { return false }
        publish(machine, crashes: crashes)
        return true
    }

    /// Endorses the last snapshot of one member, if it may.
    func endorse(_ machine: SimulatedMachine, _ author: SimulatedMachine) {
        machine.pull(transport, time: time)
        guard let announced = machine.replica.snapshots[author.id] else { return }
        let parts = transport.parts(of: author.id, announced.position.seq)
        if machine.replica.examine(parts, of: author.id, machine.keys) { publish(machine) }
    }

    /// Examines the last snapshot of each member. A transport in wrong hands shows other parts.
    func examine(_ machine: SimulatedMachine, isHostile: Bool = false) {
        for (author, announced) in machine.replica.snapshots.sorted(by: { $0.key < $1.key }) {
            let parts = transport.parts(of: author, announced.position.seq)
            if isHostile, !machine.replica.examine([], of: author, machine.keys) {
                let isEndorsed = machine.replica.examine(transport.damaged(parts), of: author, machine.keys)
                if isEndorsed { problems.append("a damaged snapshot was endorsed") }
            } else {
                _ = machine.replica.examine(parts, of: author, machine.keys)
            }
            if plan.fault == .absenceDeletes { deleteAbsent(parts, on: machine) }
        }
        machine.sync()
    }

    /// Deletes what a snapshot has not, as no machine does.
    private func deleteAbsent(_ parts: [[UInt8]], on machine: SimulatedMachine) {
        let (keys, rows) = (machine.keys, machine.replica.rows.all)
        let opened = parts.compactMap { bytes -> [SyncRecord]? in
            guard let part = try? SnapshotPart(decoding: bytes),
                let content = keys.open(part.sealed, part.header, associated: part.associated)
            else { return nil }
            return try? SnapshotPart.records(decoding: content)
        }
        guard !parts.isEmpty, opened.count == parts.count else { return }
        let there = Set(opened.joined().map(\.rid))
        for (rid, row) in rows where !row.isTombstone && !there.contains(rid) { machine.replica.rows[rid] = nil }
    }

    func discard(_ machine: SimulatedMachine) {
        guard !machine.isHostile else { return }
        machine.sync()
        for (device, seq) in machine.replica.discardable { transport.discard(device, upTo: seq) }
    }

    /// Everyone examines what there is, says so, and discards what it may.
    func endorse() {
        for machine in remaining { examine(machine) }
        settle(rounds: 2)
        for machine in remaining { discard(machine) }
    }

    /// A snapshot at the end: all endorse it, logs become short, and a newcomer starts from it.
    func endWithSnapshot() {
        settle(rounds: 2)
        guard makeSnapshot(machines[0]) else { return problems.append("no snapshot can be made") }
        settle(rounds: 2)
        endorse()
        let newcomer = join(machines[0])
        settle(rounds: 4)
        if !newcomer.hasStarted { problems.append("a newcomer does not start") }
        for machine in machines { machine.pull(transport, time: time) }
        let long = remaining.filter { (transport.logs[$0.id]?.count ?? 0) > 20 }
        if !long.isEmpty { problems.append("logs stay") }
    }

    /// A member in wrong hands announces a snapshot, and somebody joins while everyone may endorse it.
    func joinAfterLies() {
        guard let hostile = machines.first(where: \.isHostile) else { return }
        announceLies(hostile)
        settle(rounds: 2)
        endorse()
        join(machines[0])
        settle(rounds: 3)
    }

    /// The difference between the logs that a machine knows and those that the first one knows.
    func strange(_ machine: SimulatedMachine, _ first: SimulatedMachine) -> [String] {
        let (mine, theirs) = (machine.replica, first.replica)
        if mine.membership.machines != theirs.membership.machines { return ["members differ"] }
        return mine.membership.machines.compactMap { device in
            guard let mine = mine.logs[device], let theirs = theirs.logs[device] else { return "a log is missing" }
            let isSame = mine.seq == theirs.seq && mine.hash == theirs.hash && mine.floor == theirs.floor
            return isSame && mine.said == theirs.said ? nil : "logs differ"
        }
    }

    // MARK: - Members in wrong hands

    /// A snapshot that is not what its author has read.
    func announceLies(_ machine: SimulatedMachine) {
        announce(by: machine) { content in
            guard !content.records.isEmpty else { return }
            let place = dice.below(content.records.count)
            let old = content.records.remove(at: place)
            guard let origin = old.origin, dice.chance(70) else { return }
            let account = "account \(dice.below(plan.accounts))"
            let hlc = dice.chance(50) ? old.hlc : old.hlc - 1
            let lie = SimulatedMachine.record(account, dice.chance(50) ? nil : "a lie", hlc: hlc)
            content.records.append(lie.with(origin: origin))
        }
    }

    /// Announces a snapshot of one part that is altered.
    ///
    /// - Parameter least: the version that the part asks for, in place of its own.
    func announce(
        by machine: SimulatedMachine, least: UInt16? = nil, _ alter: (inout SnapshotContent) -> Void = { _ in }
    ) {
        let keys = machine.keys
        var copy = machine.replica
        guard copy.makeSnapshot(keys), let made = copy.outgoing, let part = made.parts.first,
            let manifest = manifest(of: made.batch, keys),
            let records = keys.open(part.sealed, part.header, associated: part.associated)
                .flatMap({ try? SnapshotPart.records(decoding: $0) })
        else { return }
        var content = SnapshotContent(records: records, stating: part.carried, logs: manifest.logs)
        alter(&content)
        let own = part.header
        let header = SyncHeader(
            circle: own.circle, device: own.device, seq: own.seq, previous: own.previous, generation: own.generation,
            salt: own.salt, least: least ?? own.least, version: max(least ?? 0, own.version))
        let boxed = content.records.flatMap { record in
            record.needsBox && !record.isBoxed ? keys.box([record], header) ?? [] : [record]
        }
        let sealed = keys.seal(SnapshotPart.content(boxed), header) {
            SnapshotPart.associated(header, content.stating, sealedSize: $0)
        }
        let altered = SnapshotPart(header, carried: content.stating, sealed: sealed)
        transport.commit(altered.bytes, in: altered.slot(0))
        let listed = SnapshotManifest.Part(size: UInt32(altered.bytes.count), hash: keys.hash(altered.bytes))
        let body = SnapshotManifest(logs: content.logs, parts: [listed]).encoded()
        commit([SyncRecord(kind: SyncRecord.Kind.manifest, hlc: 0, body: body)], by: machine)
    }

    private func manifest(of batch: SyncBatch, _ keys: SimulatedKeys) -> SnapshotManifest? {
        let opened = batch.sealed.flatMap { keys.open($0, batch.header, associated: batch.associated) }
        guard let record = opened.flatMap({ try? SyncContent(decoding: $0) })?.records.first else { return nil }
        return record.withBody { try? SnapshotManifest(decoding: $0) }
    }
}
