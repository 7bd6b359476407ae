import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import TestSupport
import Testing

@testable import SecureEnclave

/// A circle of machines, through the enclaves' connections.
@Suite("The enclave in a circle of machines") struct CircleTests {
    @Test("A circle begins with its user's passcode, and its name is that of its genesis")
    func begins() throws {
        let machine = try CircleMachine()
        #expect(try machine.connection.circle() == nil)
        let state = try machine.enter()
        let body = try #require(state.genesis).body
        #expect(state.circle == CircleID(try BatchHash(sha256: body.span).bytes))
        #expect(try state.members.map(\.id) == [machine.id])
        #expect(machine.user.questions.map(\.change?.kind) == [.begins])
        #expect(machine.user.kinds == [.passcode])
        #expect(refusal { _ = try machine.enter() }?.rule == .contradiction)
        #expect(try machine.state == state)
    }

    @Test("Nothing begins or joins without a passcode, with a wrong one, or without an answer; a guess is counted")
    func consent() throws {
        let open = try CircleMachine(passcode: nil)
        #expect(refusal { _ = try open.enter() }?.rule == .passcodeNotSet)
        let machine = try CircleMachine()
        machine.user.will(.passcode("wrong"), .passcode("guess"), .passcode("1235"))
        let refused = refusal {
            _ = try machine.connection.enterCircle(nil, name: "first", asking: CircleMachine.question, by: soon)
        }
        #expect(refused?.rule == .userFailed)
        #expect(try machine.connection.status().failedAttempts == 3)
        machine.user.will(.cancel)
        let cancelled = refusal {
            _ = try machine.connection.enterCircle(nil, name: "first", asking: CircleMachine.question, by: soon)
        }
        #expect(cancelled?.rule == .userCanceled)
        try machine.connection.lock()
        #expect(refusal { _ = try machine.enter() }?.rule == .locked)
        #expect(try machine.connection.circle() == nil)
    }

    @Test("A machine that was added reads what all write, and all name a record alike")
    func members() throws {
        let circle = try TestCircle(3)
        for writer in circle.machines {
            let batch = try writer.publish([], "secret", under: circle.current)
            for reader in circle.machines { #expect(try reader.read(batch) == "secret") }
        }
        let key = SecretBytes(copying: [1, 2, 3].span)
        let names = try circle.machines.map { try $0.connection.recordID(itemClass: 1, primaryKey: key) }
        #expect(Set(names).count == 1)
        #expect(try circle.machines[0].connection.recordID(itemClass: 2, primaryKey: key) != names[0])
        let states = try circle.machines.map { try $0.state }
        #expect(states.allSatisfy { $0.members.count == 3 && $0.held.keys.contains(circle.current) })
        let all: Set = ["", "first", "machine 1", "machine 2"]
        #expect(states.allSatisfy { Set($0.members.map(\.name)).isSubset(of: all) })
        #expect(Set(states[0].members.map(\.name)) == ["first", "machine 1", "machine 2"])
    }

    @Test("The user is told the name and the number of a machine that comes, and of all that go with one")
    func questions() throws {
        let circle = try TestCircle(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        let third = try CircleMachine()
        _ = try third.enter(try first.state.circle)
        try circle.deliver(try second.publish(try second.add(third, name: "phone")))
        let asked = try #require(second.user.questions.last?.change)
        #expect(asked == .init(.addsMachine, name: "phone", fingerprint: try third.id.fingerprint))
        let statements = try first.remove(try second.id)
        let removal = try #require(first.user.questions.last?.change)
        #expect(removal.kind == .removesMachine && removal.name == "machine 1")
        #expect(removal.others == (try third.id.fingerprint))
        #expect(statements.count == 2)
    }

    @Test("The user is told of a recovery key that goes with a machine, in brackets that no machine's name has")
    func recoveryKeysGo() throws {
        let circle = try TestCircle(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        try circle.deliver(try second.publish(try second.makeRecoveryKey().0))
        let key = try #require(try first.state.members.first(where: \.isRecoveryKey))
        _ = try first.remove(try second.id)
        #expect(first.user.questions.last?.change?.others == "(\(key.id.fingerprint))")
    }

    @Test("A removal makes keys that the machine and those it has added do not get; those kept do")
    func removal() throws {
        let circle = try TestCircle(2)
        let (first, second) = (circle.machines[0], circle.machines[1])
        let (kept, gone) = (try CircleMachine(), try CircleMachine())
        for machine in [kept, gone] {
            _ = try machine.enter(try first.state.circle)
            try circle.deliver(try second.publish(try second.add(machine, name: "another")))
        }
        let statements = try first.remove(try second.id, keeping: [try kept.id])
        guard case .generation(let made) = try #require(statements.last) else {
            Issue.record("there is no generation")
            return
        }
        #expect(Set(made.shares.map(\.recipient)) == [try first.id, try kept.id])
        // Those before it have a recipient who is out.
        #expect(made.number == 1 && made.id != circle.current)
        let batch = try first.publish(statements, "after", under: made.id)
        try second.take(batch)
        #expect(refusal { _ = try second.read(batch) }?.rule == .noGenerationKeys)
        let members = try first.state.members
        #expect(Set(members.filter(\.isIn).map(\.id)) == [try first.id, try kept.id])
        #expect(refusal { _ = try second.publish([], "still here", under: circle.current) }?.rule == .notAMember)
        #expect(refusal { _ = try first.publish([], "old keys", under: circle.current) }?.rule == .retiredGeneration)
        #expect(refusal { _ = try first.add(second) }?.rule == .notAMember)
    }

    @Test("A locked machine reads and writes what needs no unlocked one, takes keys that come, and opens no ak record")
    func locked() throws {
        let circle = try TestCircle(3)
        let (first, second, third) = (circle.machines[0], circle.machines[1], circle.machines[2])
        try second.connection.lock()
        let statements = try first.remove(try third.id)
        guard case .generation(let made) = try #require(statements.last) else { return }
        let header = try first.header(made.id)
        let record = SyncRecord(
            kind: 1, itemClass: 1, protection: 1, rid: RecordID([1]), hlc: 5, body: SecretBytes(count: 0))
        let places = [BoxedRecord(record, in: header), BoxedRecord(record.with(hlc: 7), in: header)]
        let bodies = ["value", "another"].map { SecretBytes(copying: Array($0.utf8).span) }
        let boxes = try first.connection.boxBodies(bodies, of: places)
        let batch = try first.publish(statements, "content", under: made.id)
        try second.take(batch)
        #expect(try second.read(batch) == "content")
        #expect(refusal { _ = try second.connection.unboxBodies(boxes, of: places) }?.rule == .locked)
        #expect(refusal { _ = try second.connection.boxBodies(bodies, of: places) }?.rule == .locked)
        #expect(refusal { _ = try second.connection.makeGeneration() }?.rule == .locked)
        #expect(refusal { _ = try second.connection.shareGeneration(made.id, with: [try first.id]) }?.rule == .locked)
        try first.read(try second.publish([], "from a locked one", under: made.id)).expect("from a locked one")
        try second.connection.unlock(passcode: try TestDevice.passcode(CircleMachine.passcode))
        let opened = try second.connection.unboxBodies(boxes, of: places)
        #expect(zip(opened, bodies).allSatisfy { $0?.isEqual(to: $1) == true } && opened.count == 2)
        let elsewhere = [BoxedRecord(record.with(hlc: 6), in: header), places[1]]
        #expect(try second.connection.unboxBodies(boxes, of: elsewhere).map { $0 == nil } == [true, false])
    }

    @Test("Keys that are lost before their statement was published are stated again, and others' are not vouched for")
    func restated() throws {
        let circle = try TestCircle(2)
        guard case .generation(let again) = try circle.machines[0].connection.makeGeneration() else { return }
        #expect(again.id == circle.current && again.number == 1 && again.shares.count == 2)
        #expect(refusal { _ = try circle.machines[1].connection.makeGeneration() }?.rule == .contradiction)
    }

    @Test("What the largest batch has crosses the channel whole")
    func largest() throws {
        let circle = try TestCircle(2)
        let text = String(repeating: "x", count: SyncLimits.sealedBytes - CircleBox.overhead)
        let batch = try circle.machines[0].publish([], text, under: circle.current)
        #expect(try circle.machines[1].read(batch) == text)
    }
}

extension String {
    fileprivate func expect(_ other: String) { #expect(self == other) }
}
