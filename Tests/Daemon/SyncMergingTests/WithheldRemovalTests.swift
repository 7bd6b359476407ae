import SyncFormat
import SyncMerging
import Testing

/// A place that shows a removal to some machines and withholds it from another one for ever.
@Suite("Removals that a place withholds from a machine")
struct WithheldRemovalTests {
    private let circle = Simulation.scripted(5)
    private var remover: SimulatedMachine { circle.machines[0] }
    private var maker: SimulatedMachine { circle.machines[1] }
    private var deceived: SimulatedMachine { circle.machines[2] }
    private var gone: SimulatedMachine { circle.machines[4] }

    /// The machine that has read the removal removes another one, so that it makes keys without both.
    private func makeKeys() {
        maker.pull(circle.transport, time: circle.time)
        circle.remove(circle.machines[3], by: maker)
    }

    /// The generations that are made while two machines read each other alone.
    private func generationsMade() -> Int {
        let before = maker.replica.membership.generations.count
        for _ in 0..<6 {
            circle.exchange(from: deceived, to: maker)
            circle.exchange(from: maker, to: deceived)
        }
        return maker.replica.membership.generations.count - before
    }

    private func expectNoKeys() throws {
        #expect(!deceived.replica.membership.removed.contains(gone.id))
        #expect(generationsMade() == 0)
        let current = try #require(deceived.replica.membership.currentGeneration?.id)
        #expect(maker.keys.holds(current) && deceived.keys.holds(current))
        gone.pull(circle.transport, time: circle.time)
        #expect(!gone.keys.holds(current))
    }

    /// It gets the keys from a machine that has not made them.
    private func expectKeysForNewcomers() {
        let newcomer = circle.join(deceived)
        for _ in 0..<2 {
            circle.exchange(from: deceived, to: newcomer)
            circle.exchange(from: newcomer, to: maker)
        }
        newcomer.write("web", "of the newcomer", time: circle.time)
        circle.exchange(from: newcomer, to: maker)
        #expect(maker.value("web") == "of the newcomer")
    }

    @Test("It gives the removed machine no keys that another one has made without that, and a newcomer all")
    func withheld() throws {
        circle.transport.hide(remover.id, from: deceived.id, after: remover.replica.logs[remover.id]?.seq ?? 0)
        circle.remove(gone, by: remover)
        makeKeys()
        deceived.pull(circle.transport, time: circle.time)
        try expectNoKeys()
        expectKeysForNewcomers()
    }

    @Test("Nor does one get them that the removed machine has added meanwhile")
    func accomplice() {
        circle.transport.hide(remover.id, from: deceived.id, after: remover.replica.logs[remover.id]?.seq ?? 0)
        circle.remove(gone, by: remover)
        makeKeys()
        let accomplice = circle.join(gone)
        circle.exchange(from: deceived, to: accomplice)
        circle.exchange(from: deceived, to: accomplice)
        let current = maker.replica.membership.currentGeneration?.id
        #expect(deceived.replica.membership.machines.contains(accomplice.id))
        #expect(current.map { deceived.keys.holds($0) && !accomplice.keys.holds($0) } == true)
    }

    @Test("Nor does a machine that reads another branch of the remover's log")
    func otherBranch() throws {
        let twin = SimulatedMachine(remover.replica, remover.keys, clock: 0, isHostile: true)
        twin.replica.state(.remove(gone.id, .user, kept: []))
        let removal = twin.replica.compose(twin.keys)
        circle.transport.fork(try #require(removal), for: [maker.id])
        remover.write("mail", "for the others", time: circle.time)
        circle.publish(remover)
        deceived.pull(circle.transport, time: circle.time)
        makeKeys()
        try expectNoKeys()
        expectKeysForNewcomers()
    }
}
