import KeychainModel
import LinuxSystem
import SyncFormat
import SyncMerging

/// A machine of the simulation: its replica, what its disk has of it, its keys and its clock.
final class SimulatedMachine {
    var replica: Replica<SimulatedRows>
    /// The state on disk: a crash goes back to it.
    private(set) var disk: Replica<SimulatedRows>
    var keys: SimulatedKeys
    /// How far the clock is wrong, in microseconds.
    let clock: Int64
    /// A hostile machine keeps its rules and the circle's only where it wants to.
    let isHostile: Bool
    /// How often the transport has shown less than was read without anybody noticing.
    private(set) var overlooked = 0
    /// Whether its last batch is one that nobody can read, this machine included.
    var isMute = false
    /// How often what is on disk was no machine.
    private(set) var unrestored = 0
    /// Looks at the machine after each transaction.
    var inspect: ((SimulatedMachine) -> Void)?
    /// The member that has paired with this machine.
    var introducer: MemberID?
    /// Whether the machine has started from a snapshot, once it is ready.
    private(set) var hasStarted = false
    /// The changes that this machine has acknowledged to its programs, by record.
    var written: [RecordID: [SyncStamp]] = [:]
    /// The values among these.
    var values: [RecordID: [String]] = [:]
    /// How often the machine had read less of a log after a transaction than before.
    private(set) var fallen = 0

    init(_ replica: Replica<SimulatedRows>, _ keys: SimulatedKeys, clock: Int64, isHostile: Bool = false) {
        (self.replica, disk, self.keys, self.clock, self.isHostile) = (replica, replica, keys, clock, isHostile)
    }

    var id: MemberID { replica.me }

    func now(_ time: UInt64) -> UInt64 { UInt64(max(1, Int64(time) + clock)) }

    /// Ends a transaction: what was done is on disk.
    func sync() {
        if disk.logs.contains(where: { $0.value.seq > replica.logs[$0.key]?.seq ?? 0 }) { fallen += 1 }
        disk = replica
        inspect?(self)
    }

    /// Begins again with what is on disk: the rows, and the rest in its saved form.
    func crash(time: UInt64) {
        do throws(SyncMalformed) {
            replica = try Replica(restoring: disk.saved, rows: disk.rows, rules: disk.rules, keys)
            replica.unlock(now: now(time), keys)
        } catch { unrestored += 1 }
    }

    /// Ends the process between two transactions, and begins again.
    func restart(time: UInt64) {
        sync()
        crash(time: time)
        sync()
    }

    /// A program of a locked machine changes nothing that needs an unlocked one. A deletion has the class of its item.
    func write(
        _ account: String, _ value: String?, time: UInt64, previous: RecordID? = nil, needsUnlocked: Bool = false
    ) {
        let rid = SimulatedKeys.recordID(Array(account.utf8))
        let needed = value == nil ? replica.rows[rid]?.record.needsBox ?? needsUnlocked : needsUnlocked
        guard keys.isUnlocked || !needed && replica.rows[rid]?.record.needsBox != true else { return }
        let before = replica.rows[rid]
        let isDone = replica.write(rid, now: now(time)) { hlc in
            Self.record(account, value, hlc: hlc, previous: previous, needsUnlocked: needed)
        }
        guard isDone, let stamp = replica.rows[rid]?.stamp else { return }
        if let before { replica.rows.supersede(before, rid) }
        written[rid, default: []].append(stamp)
        if let value { values[rid, default: []].append(value) }
    }

    /// Gives an item another primary key, as a program does: the row is the same to it.
    func rename(_ account: String, _ next: String, time: UInt64) {
        let (old, new) = (SimulatedKeys.recordID(Array(account.utf8)), SimulatedKeys.recordID(Array(next.utf8)))
        guard replica.rows[old]?.isTombstone == false, replica.rows[new]?.isTombstone != false else { return }
        write(account, nil, time: time)
        write(next, "renamed from \(account)", time: time, previous: old)
    }

    static func record(
        _ account: String, _ value: String?, hlc: UInt64, previous: RecordID? = nil, needsUnlocked: Bool = false
    ) -> SyncRecord {
        let buffer = SecretBuffer(capacity: 64)
        buffer.append(.account, .string(account))
        let list = (try? AttributeList(parsing: buffer.finish())) ?? .empty
        let item = SyncItem(
            list, .init(previous: previous), value: SecretBytes(copying: Array((value ?? "").utf8).span))
        return SyncRecord(
            kind: value == nil ? SyncRecord.Kind.tombstone : SyncRecord.Kind.item, itemClass: 1,
            protection: (needsUnlocked ? Accessibility.whenUnlocked : .afterFirstUnlock).rawValue,
            rid: SimulatedKeys.recordID(Array(account.utf8)), hlc: hlc, body: item.encoded())
    }

    /// Commits the next batch, unless a crash comes between: before the disk has it, or before the answer is there.
    ///
    /// - Returns: false when the slot is taken by another batch: the machine has a clone.
    @discardableResult
    func publish(_ transport: SimulatedTransport, time: UInt64, crashes: Int = 0) -> Bool {
        let before = replica
        guard !isMute, let batch = replica.compose(keys) else { return true }
        if keys.hasRefused, !isHostile {
            (replica, keys.hasRefused) = (before, false)
            return true
        }
        if crashes == 1 {
            crash(time: time)
            return true
        }
        sync()
        for (number, part) in (replica.outgoing?.parts ?? []).enumerated() {
            transport.commit(part.bytes, in: part.slot(number))
        }
        guard crashes != 3, transport.commit(batch) else {
            if crashes == 3 { crash(time: time) }
            return crashes == 3
        }
        if crashes == 2 {
            crash(time: time)
            return true
        }
        replica.confirm(now: now(time), keys)
        sync()
        return true
    }

    private func read(_ transport: SimulatedTransport, time: UInt64) {
        for delivery in transport.deliveries(to: id, after: replica.logs) {
            receive(delivery.1, in: delivery.0, time: time)
        }
    }

    /// Reads what was delivered, in as many transactions as it takes.
    func receive(_ bytes: [UInt8], in slot: SyncSlot, time: UInt64) {
        _ = replica.receive(bytes, in: slot, now: now(time), keys)
        var before: [MemberID: UInt64] = [:]
        while !replica.notedRemovals.isEmpty, replica.notedRemovals != before {
            before = replica.notedRemovals
            sync()
            replica.unlock(now: now(time), keys)
        }
    }

    /// Starts from one of the snapshots that it is shown, the last first. None may be of use.
    private func start(_ transport: SimulatedTransport, time: UInt64) {
        guard let introducer else { return }
        let before = replica
        for (bytes, parts) in transport.announcements(for: id).reversed() {
            guard replica.start(from: bytes, parts: parts, introducer: introducer, now: now(time), keys) else {
                continue
            }
            read(transport, time: time)
            hasStarted = replica.isStarted
            if hasStarted { return }
        }
        replica = before
    }

    /// Whether a removed member's log may be discarded: a snapshot has it, from which this machine has started or which
    /// all have endorsed.
    private func mayBeGone(_ device: MemberID, upTo seq: UInt64) -> Bool {
        let ends = [replica.base, replica.covered].compactMap { $0?.end(of: device) }
        return replica.membership.removed.contains(device) && ends.contains { $0 >= seq }
    }

    /// Reads what it is shown.
    func pull(_ transport: SimulatedTransport, time: UInt64, crashes: Bool = false) {
        let ends = transport.ends(for: id)
        replica.look(at: ends)
        let isLess = replica.logs.contains { device, head in
            head.seq > max(ends[device] ?? 0, transport.discarded[device] ?? 0) && !mayBeGone(device, upTo: head.seq)
        }
        if isLess, replica.rolledBack.isEmpty { overlooked += 1 }
        read(transport, time: time)
        if !replica.isStarted { start(transport, time: time) }
        if crashes { crash(time: time) } else { sync() }
    }
}
