import EnclaveWire
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import Testing

@testable import SecureEnclave

/// A machine of the circle in wrong hands, whose enclave signs what it likes, and the enclaves of the others.
@Suite("A machine in wrong hands and the others' enclaves") struct HostileMachineTests {
    /// A batch that states what it likes.
    private static func batch(_ statements: [SyncStatement], by hostile: CircleMachine) throws -> SyncBatch {
        try hostile.claim(statements)
        return try hostile.sign(try hostile.header(), statements)
    }

    /// Statements of which each takes its room.
    private static func junk(_ number: Int, count: Int = 60) -> [SyncStatement] {
        (0..<count).map { place in
            let commitment = BatchHash([UInt8(number), UInt8(place), 1])
            return .generation(Generation(number: UInt32(1 + place), commitment: commitment, shares: []))
        }
    }

    @Test("It is removed, and the others take that, after it has filled their vaults")
    func fullVaults() throws {
        let circle = try TestCircle(3)
        let (first, second, hostile) = (circle.machines[0], circle.machines[1], circle.machines[2])
        for machine in [first, second] {
            for (numbers, count) in [(0..<30, 60), (100..<200, 1)] {
                let rule = try numbers.lazy.compactMap { number in
                    try refusal(Self.batch(Self.junk(number, count: count), by: hostile), machine)
                }.first
                #expect(rule == .fullCircle)
            }
        }
        let removal = try first.publish(try first.remove(try hostile.id))
        guard case .generation(let made)? = removal.statements.last else { return }
        // Its keys come before what it states. Others that were sought, and are of no use yet, make room for them.
        for _ in 0..<6 {
            let sought = try Self.batch(try Self.keys(for: second, by: hostile, count: 1), by: hostile)
            try second.connection.seekKeys(sought.carried)
        }
        try second.connection.seekKeys(removal.carried)
        #expect(try second.state.held[made.id] != nil)
        try second.take(removal)
        #expect(try second.read(try first.publish([], "after", under: made.id)) == "after")
        #expect(try refusal(Self.batch(Self.junk(250), by: hostile), second) == nil)
        for machine in [first, second] {
            #expect(try machine.state.members.filter(\.isIn).count == 2)
            #expect(try machine.state.held[circle.current] != nil)
            let content = SecretBytes(copying: Array("text".utf8).span)
            let header = SyncBatch.associated(
                try machine.header(circle.current), [], sealedSize: content.count + CircleBox.overhead)
            #expect(refused { _ = try machine.connection.sealContent(content, header: header) } == .retiredGeneration)
        }
    }

    /// Statements that make generations, with shares for a machine that it can open.
    private static func keys(
        for machine: CircleMachine, by hostile: CircleMachine, count: Int
    ) throws -> [SyncStatement] {
        let (enclave, id) = (hostile.served.enclave, try machine.id)
        let record = try enclave.circleRecord()
        let recordKey = try enclave.openPart(
            record.recordKey, .recordKey, of: record.own.id.bytes, in: record.circle)
        return try (0..<count).map { _ in
            let made = GenerationKeys(record: recordKey)
            let commitment = try made.commitment(in: record.circle, 2)
            let share = try made.share(
                of: GenerationID(commitment.bytes), in: record.circle, for: id, try machine.state.keys)
            return .generation(Generation(number: 2, commitment: commitment, shares: [share]))
        }
    }

    @Test("A machine that gets keys while it is locked goes on, and shares them, where others state them wrongly first")
    func wrongCommitment() throws {
        let circle = try TestCircle(2)
        let (victim, hostile) = (circle.machines[0], circle.machines[1])
        guard case .generation(let made)? = try Self.keys(for: victim, by: hostile, count: 1).first else { return }
        let wrong = Generation(
            number: 2, commitment: BatchHash(made.commitment.bytes.prefix(16) + [1]), shares: [])
        try victim.connection.lock()
        try victim.take(try Self.batch([.share(wrong), .generation(made)], by: hostile))
        try victim.connection.unlock(passcode: try TestDevice.passcode(CircleMachine.passcode))
        try victim.take(try Self.batch(Self.junk(1, count: 1), by: hostile))
        guard case .share(let late) = try victim.connection.shareGeneration(made.id, with: [try hostile.id])
        else { return }
        #expect(late.id == made.id && late.commitment == made.commitment)
    }

    /// Has a machine seek more keys than its vault has room for.
    private func fill(_ machine: CircleMachine, by hostile: CircleMachine) throws {
        for count in Array(repeating: 60, count: 6) + [1] {
            let batch = try Self.batch(try Self.keys(for: machine, by: hostile, count: count), by: hostile)
            try machine.connection.seekKeys(batch.carried)
        }
    }

    @Test("It is removed after it has filled their vaults with keys that are sought in batches which never count")
    func soughtKeys() throws {
        let circle = try TestCircle(3)
        let (first, second, hostile) = (circle.machines[0], circle.machines[1], circle.machines[2])
        let accomplice = try CircleMachine()
        _ = try accomplice.enter(try first.state.circle)
        let added = try Self.batch([.add(Addition(try accomplice.state.keys))], by: hostile)
        for batch in circle.batches + [added] { try accomplice.take(batch) }
        try fill(first, by: hostile)
        try second.connection.seekKeys(added.carried)
        // Keys of somebody who was never counted make room by themselves.
        for _ in 0..<6 {
            let batch = try Self.batch(try Self.keys(for: second, by: hostile, count: 60), by: accomplice)
            try second.connection.seekKeys(batch.carried)
        }
        try fill(second, by: hostile)
        let removal = try first.publish(try first.remove(try hostile.id))
        guard case .generation(let made)? = removal.statements.last else { return }
        try second.take(removal)
        #expect(try second.read(try first.publish([], "after", under: made.id)) == "after")
        for machine in [first, second] {
            #expect(try machine.state.members.filter(\.isIn).count == 2)
            #expect(try machine.state.held[circle.current] != nil)
        }
    }

    private func refusal(_ batch: SyncBatch, _ machine: CircleMachine) throws -> Refusal.Rule? {
        refused { try machine.take(batch) }
    }

    private func refused(_ body: () throws -> Void) -> Refusal.Rule? {
        do { try body() } catch { return (error as? Refusal)?.rule }
        return nil
    }

    @Test("Those that it has introduced make no room scarce after its removal, and stay out")
    func manyMembers() throws {
        let circle = try TestCircle(2)
        let (first, hostile) = (circle.machines[0], circle.machines[1])
        func point() throws -> [UInt8] { try PrivateKey.generate(.ecSECPrimeRandom, bits: 256).publicKey.external() }
        let accomplice = MemberKeys(signing: try point(), agreement: try point())
        let addition = SyncStatement.add(Addition(accomplice))
        try first.take(try Self.batch([addition], by: hostile))
        try first.publish(try first.remove(try hostile.id))
        try first.served.enclave.changeCircle { (record) throws(Refusal) in record.makeRoom() }
        #expect(try first.state.members.count == 2)
        try first.take(try Self.batch([addition], by: hostile))
        let member = try #require(try first.state.members.first { (try? accomplice.identifier()) == $0.id })
        #expect(!member.isIn)
    }

    @Test("A machine that it introduces once more stays in after its removal, whichever introduction was taken first")
    func introducedOnceMore() throws {
        let circle = try TestCircle(4)
        let (first, hostile, target) = (circle.machines[0], circle.machines[2], circle.machines[3])
        let again = try Self.batch([.add(Addition(try target.state.keys))], by: hostile)
        let reader = try CircleMachine()
        _ = try reader.enter(try first.state.circle)
        let added = try first.publish(try first.add(reader))
        try first.take(again)
        let removal = try first.publish(try first.remove(try hostile.id))
        // The first three have introduced no target yet.
        for batch in circle.batches.prefix(5) + [again] + circle.batches.dropFirst(5) + [added, removal] {
            try reader.take(batch)
        }
        for machine in [first, reader] {
            let record = try machine.served.enclave.circleRecord()
            #expect(record.membership.introductions[try target.id]?.count == 2)
            #expect(record.membership.removed == [try hostile.id])
            let read = try CircleRecord(decoding: record.encoded())
            #expect(read.encoded() == record.encoded() && read.membership.removed == record.membership.removed)
        }
    }

    @Test("It gives no machine a name that it has not added")
    func names() throws {
        let circle = try TestCircle(3)
        let (first, second, hostile) = (circle.machines[0], circle.machines[1], circle.machines[2])
        let target = try first.state.keys
        let record = try hostile.served.enclave.circleRecord()
        let (id, key) = (try first.id, try hostile.served.enclave.commonKey(of: circle.current, in: record))
        let padded = Array("stolen".utf8) + [UInt8](repeating: 0, count: CircleState.nameBytes - 6)
        let name = try CircleCipher.seal(
            SecretBytes(copying: padded.span), .name, under: key, salt: id.bytes, place: record.circle.bytes + id.bytes)
        let statements = [SyncStatement.add(Addition(target, name: name))]
        try hostile.claim(statements)
        let header = try hostile.header(circle.current)
        let sealed = try hostile.seal("text", header, statements)
        try second.take(try hostile.sign(header, statements, sealed: sealed))
        #expect(try second.state.members.first { $0.id == id }?.name == "")
    }

    @Test("A newcomer that takes its keys first names records as all others do when its sponsor's have come")
    func recordKey() throws {
        let circle = try TestCircle(2)
        let (first, hostile) = (circle.machines[0], circle.machines[1])
        let newcomer = try CircleMachine()
        _ = try newcomer.enter(try first.state.circle)
        let added = try first.publish(try first.add(newcomer))
        let keys = GenerationKeys(record: nil)
        let (name, id) = (try first.state.circle, try newcomer.id)
        let commitment = try keys.commitment(in: name, 2)
        let share = try keys.share(of: GenerationID(commitment.bytes), in: name, for: id, try newcomer.state.keys)
        let lie = try Self.batch(
            [.generation(Generation(number: 2, commitment: commitment, shares: [share]))], by: hostile)
        for batch in circle.batches + [added, lie] { try newcomer.take(batch) }
        #expect(try newcomer.state.held.count == 1)
        try newcomer.take(try first.publish([try first.connection.shareGeneration(circle.current, with: [id])]))
        try newcomer.take(lie)
        #expect(try newcomer.state.held.keys.sorted() == [circle.current])
        let key = SecretBytes(copying: Array("key".utf8).span)
        let names = try [first, newcomer].map { try $0.connection.recordID(itemClass: 1, primaryKey: key) }
        #expect(names[0] == names[1])
    }
}
