import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import TestSupport
import Testing

@testable import SecureEnclave

@Suite("A machine that leaves its circle") struct LeavingTests {
    private static func rule(_ body: () throws -> Void) -> Refusal.Rule? { refusal(body)?.rule }

    private static func leave(_ machine: CircleMachine) throws {
        machine.user.will(.passcode(CircleMachine.passcode))
        try machine.connection.leaveCircle(asking: CircleMachine.question, by: soon)
    }

    @Test("It has neither members nor keys of the circle any more, and can enter another one, with other keys")
    func leaves() throws {
        let circle = try TestCircle(2)
        let machine = circle.machines[1]
        let before = try machine.state
        try Self.leave(machine)
        #expect(try machine.connection.circle() == nil)
        #expect(Self.rule { _ = try machine.read(circle.batches[0]) } == .noCircle)
        #expect(Self.rule { try machine.take(circle.batches[0]) } == .noCircle)
        let asked = try #require(machine.user.questions.last?.change)
        #expect(asked.kind == .leaves && asked.fingerprint == before.circle.fingerprint)
        let after = try machine.enter(before.circle)
        #expect(after.keys != before.keys && after.members.isEmpty && after.held.isEmpty)
        // The others have not removed it, and do not know its other keys.
        let first = circle.machines[0]
        #expect(try first.state.members.filter(\.isIn).count == 2)
        let newcomer = try machine.id
        let share = { _ = try first.connection.shareGeneration(circle.current, with: [newcomer]) }
        #expect(Self.rule(share) == .notAMember)
    }

    @Test("A reset begins another circle in place of one, or of none, with other keys, and asks its user first")
    func resets() throws {
        let circle = try TestCircle(2)
        let machine = circle.machines[1]
        let before = try machine.state
        let reset = { try machine.connection.resetCircle(name: "first", asking: CircleMachine.question, by: soon) }
        machine.user.will(.cancel)
        #expect(Self.rule { _ = try reset() } == .userCanceled)
        #expect(try machine.state == before)
        machine.user.will(.passcode(CircleMachine.passcode))
        let after = try reset()
        #expect(after.circle != before.circle && after.keys != before.keys && after.held.isEmpty)
        #expect(after.genesis != nil && after.members.map(\.isIn) == [true])
        let asked = try #require(machine.user.questions.last?.change)
        #expect(asked == .init(.resets, name: "first", fingerprint: before.circle.fingerprint))
        #expect(Self.rule { try machine.take(circle.batches[0]) } == .malformedBatch)
        try Self.leave(machine)
        machine.user.will(.passcode(CircleMachine.passcode))
        #expect(try reset().circle != after.circle)
    }

    @Test("No daemon makes it leave: not without its user's passcode, without an answer, or while it is locked")
    func asks() throws {
        let machine = try TestCircle(1).machines[0]
        let leave = { try machine.connection.leaveCircle(asking: CircleMachine.question, by: soon) }
        #expect(Self.rule(leave) == .unreachable)
        machine.user.will(.cancel)
        #expect(Self.rule(leave) == .userCanceled)
        machine.user.will(.passcode("9"), .passcode("9"), .passcode("9"))
        #expect(Self.rule(leave) != nil)
        try machine.connection.lock()
        machine.user.will(.passcode(CircleMachine.passcode))
        #expect(Self.rule(leave) == .locked)
        #expect(try machine.state.members.count == 1)
    }

    @Test("A statement that it has made in the circle is not signed in another one")
    func statements() throws {
        let machine = try TestCircle(1).machines[0]
        let stranger = try CircleMachine()
        _ = try stranger.enter(try machine.state.circle)
        let statements = try machine.add(stranger)
        try Self.leave(machine)
        _ = try machine.enter()
        let header = SyncHeader(
            circle: try machine.state.circle, device: try machine.id, seq: 1, previous: .none, generation: .none,
            salt: BatchHash(Randomness.bytes(BatchHash.size)))
        let genesis = try #require(machine.state.genesis)
        #expect(Self.rule { _ = try machine.sign(header, [genesis] + statements) } == .notStated)
        _ = try machine.sign(header, [genesis])
    }

    @Test("A pairing that is under way ends with it")
    func pairing() throws {
        let circle = try TestCircle(1)
        let pairing = try TestPairing(circle.machines[0], try CircleMachine())
        let answer = try pairing.join()
        try Self.leave(circle.machines[0])
        #expect(Self.rule { _ = try pairing.answer(answer) } == .noCircle)
        _ = try circle.machines[0].enter()
        #expect(Self.rule { _ = try pairing.answer(answer) } == .noPairing)
    }

    @Test("An older vault, put back, takes the machine into the circle again no more than any older vault does")
    func rolledBack() throws {
        let machine = try TestCircle(1).machines[0]
        guard case .current(let mark) = try machine.connection.renew(nil, beginsBlock: false) else { return }
        let old = try machine.served.device.content()
        try Self.leave(machine)
        guard case .current(let newer) = try machine.connection.renew(mark, beginsBlock: false) else { return }
        try machine.served.device.replaceContent(with: old)
        let restarted = try machine.served.device.start(createIfMissing: false)
        #expect(Self.rule { _ = try restarted.renew(newer, beginsBlock: false) } == .olderVault)
        #expect(Self.rule { _ = try restarted.circle() } == .olderVault)
    }
}
