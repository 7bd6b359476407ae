import SyncFormat
import SyncMerging

extension Simulation {
    /// Introduces somebody that others have introduced, as what it is or as a recovery key.
    func adopt(_ machine: SimulatedMachine) {
        let other = dice.pick(machines.filter { $0.id != machine.id }).keys.own
        let isKey = dice.chance(40)
        machine.replica.state(isKey ? .recovery(other, announcement: BatchHash([1])) : .add(Addition(other)))
        publish(machine)
    }

    /// States a floor that is far ahead, above which the machine would have to write.
    func raiseFloor(_ machine: SimulatedMachine) {
        guard machine.replica.outgoing == nil else { return }
        let floor = dice.pick([SyncLimits.endOfTime - 1, time + 40 * 3_600_000_000])
        let batch = batch([], floor: floor, by: machine)
        if transport.commit(batch), let bytes = batch.bytes { machine.receive(bytes, in: batch.slot, time: time) }
        machine.sync()
    }

    /// The next batch of a machine, sealed with keys that nobody will ever have.
    func unreadable(_ statements: [SyncStatement], by machine: SimulatedMachine) -> SyncBatch {
        let (own, sealed) = (header(of: machine), dice.bytes(1024))
        let header = SyncHeader(
            circle: own.circle, device: own.device, seq: own.seq, previous: own.previous,
            generation: GenerationID(dice.bytes(16)), salt: own.salt)
        return SyncBatch(
            header, statements, sealed: sealed, sealedHash: machine.keys.hash(sealed), sign: machine.keys.sign)
    }
}
