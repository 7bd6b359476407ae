import LinuxSystem
import SyncFormat
import SyncMerging

/// Circles without chance, for histories that a test tells step by step.
extension Simulation {
    static func scripted(_ machines: Int, _ rules: MergeRules = .all) -> Simulation {
        var plan = SimulationPlan(machines: machines)
        (plan.crashes, plan.wrongClocks, plan.restarts) = (false, false, 1)
        return Simulation(seed: 1, plan, rules)
    }

    /// The header of a machine's next batch, with a salt of its own.
    func header(of machine: SimulatedMachine, least: UInt16 = SyncLimits.firstVersion) -> SyncHeader {
        let (replica, keys) = (machine.replica, machine.keys)
        let head = replica.logs[machine.id] ?? LogHead()
        return SyncHeader(
            circle: transport.circle, device: machine.id, seq: head.seq + 1, previous: head.hash,
            generation: replica.membership.currentGeneration?.id ?? .none, salt: keys.makeSalt(), least: least,
            version: max(least, SyncLimits.version))
    }

    /// A batch as no honest machine makes it.
    func batch(
        _ records: [SyncRecord], naming positions: [SyncPosition] = [], floor stated: UInt64? = nil,
        least: UInt16 = SyncLimits.firstVersion, by machine: SimulatedMachine
    ) -> SyncBatch {
        let (header, keys) = (header(of: machine, least: least), machine.keys)
        let floor = stated ?? machine.replica.logs[machine.id]?.floor ?? 0
        let content = SyncContent(positions: positions, floor: floor, records: records)
        let sealed = keys.seal(content.encoded(), header) { SyncBatch.associated(header, [], sealedSize: $0) }
        return SyncBatch(header, [], sealed: sealed, sealedHash: keys.hash(sealed), sign: keys.sign)
    }

    /// The last batch of an author that a reader has read.
    func position(of author: SimulatedMachine, readBy reader: SimulatedMachine) -> SyncPosition {
        let head = reader.replica.logs[author.id] ?? LogHead()
        return SyncPosition(device: author.id, seq: head.seq, hash: head.hash.short)
    }

    /// The next batch of a machine, which states something and has no sealed part.
    func stating(_ statements: [SyncStatement], by machine: SimulatedMachine) -> SyncBatch {
        let next = header(of: machine)
        let header = SyncHeader(
            circle: next.circle, device: next.device, seq: next.seq, previous: next.previous, generation: .none,
            salt: next.salt)
        return SyncBatch(
            header, statements, sealed: [], sealedHash: machine.keys.hash([]), sign: machine.keys.sign)
    }

    /// One machine publishes what it has read, and another one reads that.
    func exchange(from author: SimulatedMachine, to reader: SimulatedMachine) {
        author.pull(transport, time: time)
        author.replica.acknowledge()
        publish(author)
        reader.pull(transport, time: time)
    }

    /// Brings a reader the last batch of a log and none of those before.
    func deliverLast(of author: SimulatedMachine, to reader: SimulatedMachine) {
        guard let (seq, bytes) = transport.logs[author.id]?.max(by: { $0.key < $1.key }) else { return }
        let slot = SyncSlot(circle: transport.circle, device: author.id, seq: seq)
        reader.receive(bytes, in: slot, time: time)
    }

    /// Brings a reader one log and no other.
    func deliver(logOf author: SimulatedMachine, to reader: SimulatedMachine) {
        for (slot, bytes) in transport.deliveries(to: reader.id, after: reader.replica.logs)
        where slot.device == author.id {
            reader.receive(bytes, in: slot, time: time)
        }
    }

    func commit(_ records: [SyncRecord], naming positions: [SyncPosition] = [], by machine: SimulatedMachine) {
        let batch = batch(records, naming: positions, by: machine)
        // Its author knows the batch that it has made, also while the transport hides it.
        if transport.commit(batch), let bytes = batch.bytes { machine.receive(bytes, in: batch.slot, time: time) }
        machine.pull(transport, time: time)
    }
}

extension SimulatedMachine {
    /// The value that programs see.
    func value(_ account: String) -> String? { replica.rows[account.recordID]?.value }
}

extension SyncRow {
    /// The value of an item; nil for a deletion and for a shelf.
    var value: String? {
        guard !isTombstone, !record.isOfShelf else { return nil }
        return record.withBody { span in
            (try? SyncItem(decoding: span))?.value.withSpan { $0.text(0, $0.count) }
        }
    }
}

extension String {
    var recordID: RecordID { SimulatedKeys.recordID(Array(utf8)) }
}
