import EnclaveWire
import KeychainCrypto
import KeychainModel
import LinuxSystem
import SyncFormat
import TestSupport
import Testing

@testable import SecureEnclave

@Suite("The recovery key of a circle, and machines that enter by it") struct CircleRecoveryTests {
    @Test("A machine enters by the code alone: it reads what was written before, and others take its own add")
    func enters() throws {
        let circle = try RecoverableCircle()
        let newcomer = try CircleMachine()
        let statements = try newcomer.recover(circle.batches, circle.code)
        let shown = try #require(newcomer.user.questions.last?.change)
        let number = try circle.first.state.circle.fingerprint
        #expect(shown.kind == .recovers && shown.fingerprint == number)
        let others = try circle.machines.map { try $0.id.fingerprint }
        #expect(others.allSatisfy(shown.others.contains) && shown.others.contains("phone ("))
        #expect(newcomer.user.kinds == [.code, .passcode])
        #expect(try newcomer.read(circle.batches[0]) == "first")
        let batch = try newcomer.publish(statements, "from the newcomer", under: circle.current)
        #expect(batch.header.seq == 1)
        for machine in circle.machines {
            try machine.take(batch)
            #expect(try machine.read(batch) == "from the newcomer")
            #expect(try machine.state.members.first { $0.id == batch.header.device }?.name == "new")
        }
    }

    @Test("The newest change that each machine has sealed is shown, and none where nothing can be read")
    func newest() throws {
        let circle = try RecoverableCircle()
        let dated = try circle.first.publish(.dated(1_700_000_000_000_000), under: circle.current)
        for (batches, day) in [(circle.batches, ""), (circle.batches + [dated], "2023-11-14")] {
            let newcomer = try CircleMachine()
            _ = try newcomer.recover(batches, circle.code)
            let shown = try #require(newcomer.user.questions.last?.change)
            #expect(shown.name == day)
            #expect(shown.others.contains("first (\(try circle.first.id.fingerprint), \(day))") == !day.isEmpty)
            #expect(shown.others.split(separator: "2023").count == (day.isEmpty ? 1 : 2))
        }
    }

    @Test("A machine whose enclave starts again may still state its own add")
    func restarts() throws {
        let circle = try RecoverableCircle()
        let newcomer = try CircleMachine()
        let statements = try newcomer.recover(circle.batches, circle.code)
        newcomer.served.enclave.stated.withLock { $0 = StatementsMade() }
        try circle.first.take(try newcomer.publish(statements))
        let entered = try newcomer.id
        #expect(try circle.first.state.members.contains { $0.id == entered && $0.isIn })
    }

    @Test("Wrong, mistyped and replaced codes change nothing")
    func wrongCodes() throws {
        let circle = try RecoverableCircle()
        let other = try #require(try RecoveryCode().text().withSpan { $0.text(0, $0.count) })
        for (code, rule) in [(other, Refusal.Rule.wrongRecoveryCode), ("ABC", .mistypedCode)] {
            let newcomer = try CircleMachine()
            #expect(refusal { _ = try newcomer.recover(circle.batches, code) }?.rule == rule)
            #expect(try newcomer.connection.circle() == nil)
        }
        let (statements, second) = try circle.first.makeRecoveryKey()
        guard case .generation(let made) = try #require(statements.last) else { return }
        let batches = circle.batches + [try circle.first.publish(statements, "again", under: made.id)]
        let newcomer = try CircleMachine()
        let replaced = refusal { _ = try newcomer.recover(batches, circle.code) }
        #expect(replaced?.rule == .wrongRecoveryCode && replaced?.problem.contains("replaced") == true)
        #expect(try newcomer.connection.circle() == nil)
        _ = try newcomer.recover(batches, second)
        #expect(try newcomer.state.held.keys.contains(made.id))
    }

    @Test("A removed machine that can still write to the place keeps a recovery from its circle, and gets nothing")
    func removedWriter() throws {
        let circle = try RecoverableCircle()
        let removed = circle.machines[1]
        let removal = try circle.first.publish(try circle.first.remove(try removed.id))
        // Its enclave has not heard of that yet.
        let revenge = SyncStatement.remove(try circle.first.id, .user, kept: [])
        try removed.claim([revenge])
        let later = try removed.publish([revenge])
        let newcomer = try CircleMachine()
        let refused = refusal { try newcomer.recover(circle.batches + [removal, later], circle.code) }
        #expect(refused?.rule == .wrongRecoveryCode)
        #expect(try newcomer.connection.circle() == nil)
        try newcomer.recover(circle.batches + [removal], circle.code)
        let gone = try removed.id
        #expect(try newcomer.state.members.contains { $0.id == gone && !$0.isIn })
    }

    @Test("Another code replaces the one before with new keys, and a machine that came by it stays")
    func replaces() throws {
        let circle = try RecoverableCircle()
        let newcomer = try CircleMachine()
        let batch = try newcomer.publish(try newcomer.recover(circle.batches, circle.code))
        for machine in circle.machines { try machine.take(batch) }
        let (statements, second) = try circle.first.makeRecoveryKey()
        guard case .generation(let made) = try #require(statements.last) else { return }
        #expect(statements.count == 3 && made.shares.count == 5)
        let replacing = try circle.first.publish(statements, "new keys", under: made.id)
        try circle.machines[1].take(replacing)
        let keys = try circle.machines[1].state.members.filter { $0.isRecoveryKey }
        #expect(keys.count == 2 && keys.filter(\.isIn).count == 1)
        try newcomer.take(replacing)
        #expect(try newcomer.read(replacing) == "new keys")
        // Those who read of the removal first know the machine all the same.
        let (late, entered) = (try CircleMachine(), try newcomer.id)
        _ = try late.recover(circle.batches + [replacing, batch], second)
        #expect(try late.state.members.first { $0.id == entered }?.isIn == true)
    }

    @Test("Neither without the passcode, nor when the code is not acknowledged, is there a key")
    func asks() throws {
        let circle = try TestCircle(1)
        let machine = circle.machines[0]
        let make = { _ = try machine.connection.makeRecoveryKey(asking: CircleMachine.question, by: soon) }
        machine.user.will(.cancel)
        #expect(refusal(make)?.rule == .userCanceled)
        machine.user.will(.passcode(CircleMachine.passcode), .cancel)
        #expect(refusal(make)?.rule == .userCanceled)
        try machine.connection.lock()
        #expect(refusal(make)?.rule == .locked)
        try machine.connection.unlock(passcode: try TestDevice.passcode(CircleMachine.passcode))
        #expect(try machine.state.members.allSatisfy { !$0.isRecoveryKey })
    }

    // MARK: - Attacks

    @Test("A forged circle that names the recovery key is refused, alone and with the real one")
    func forged() throws {
        let circle = try RecoverableCircle()
        let stranger = try TestCircle(1)
        // The public half of the key, and the announcement of the real circle, are there for anybody to copy.
        let copied = circle.batches.flatMap(\.statements).filter { if case .recovery = $0 { true } else { false } }
        try stranger.machines[0].claim(copied)
        let forged = stranger.batches + [try stranger.machines[0].publish(copied)]
        let newcomer = try CircleMachine()
        let refused = refusal { _ = try newcomer.recover(forged, circle.code) }
        #expect(refused?.rule == .forgedBatch && refused?.problem.contains("forged") == true)
        #expect(try newcomer.connection.circle() == nil)
        #expect(newcomer.user.kinds == [.code])
        _ = try newcomer.recover(forged + circle.batches, circle.code)
        #expect(try newcomer.state.circle == circle.first.state.circle)
    }

    @Test("Batches of strangers in the real circle, and those that somebody has altered, count for nothing")
    func altered() throws {
        let circle = try RecoverableCircle()
        let stranger = try CircleMachine()
        _ = try stranger.enter(try circle.first.state.circle)
        let addition = SyncStatement.add(Addition(try stranger.state.keys))
        try stranger.claim([addition])
        let own = try stranger.signUnasked([addition])
        var bytes = try #require(circle.batches[1].bytes)
        bytes[bytes.count - 1] ^= 1
        let altered = try SyncBatch(decoding: bytes) { (try? BatchHash(sha256: $0.span)) ?? .none }
        let newcomer = try CircleMachine()
        _ = try newcomer.recover([circle.batches[0], own, altered] + circle.batches.dropFirst(), circle.code)
        let gone = try stranger.id
        #expect(try !newcomer.state.members.contains { $0.id == gone })
    }

    @Test("A place that leaves out who was added leaves out what came later, and does not look as new")
    func gaps() throws {
        let circle = try RecoverableCircle()
        let tablet = try CircleMachine()
        _ = try tablet.enter(try circle.first.state.circle)
        let added = try circle.first.publish(try circle.first.add(tablet, name: "tablet"))
        let dated = try circle.first.publish(.dated(1_700_000_000_000_000), under: circle.current)
        for (batches, day) in [([added, dated], "2023-11-14"), ([dated], ""), ([dated, added], "2023-11-14")] {
            let newcomer = try CircleMachine()
            _ = try newcomer.recover(circle.batches + batches, circle.code)
            let shown = try #require(newcomer.user.questions.last?.change)
            let isShown = try shown.others.contains(tablet.id.fingerprint)
            #expect(shown.name == day && isShown == batches.contains(added))
        }
    }

    @Test("No machine's name looks like several machines") func names() throws {
        for name in ["pad (0123-4567-89ab-cdef), phone", "pad （0123）， phone", "pad [0123]; phone"] {
            let circle = try RecoverableCircle(naming: name)
            let newcomer = try CircleMachine()
            _ = try newcomer.recover(circle.batches, circle.code)
            let others = try #require(newcomer.user.questions.last?.change?.others)
            #expect(others.split { ",，;(（".contains($0) }.count == 5 && others.contains("phone ("), "\(others)")
        }
    }

    @Test("A circle that somebody has filled before the removal is entered all the same")
    func filled() throws {
        let circle = try RecoverableCircle()
        let attacker = circle.machines[1]
        let junk = (0..<18).map { _ in
            SyncStatement.remove(MemberID(Randomness.bytes(16)), .user, kept: (0..<200).map { MemberID(number: $0) })
        }
        try attacker.claim(junk)
        let filling = try attacker.sign(try attacker.header(), junk)
        let removal = try circle.first.remove(try attacker.id)
        guard case .generation(let made) = try #require(removal.last) else { return }
        let removed = try circle.first.publish(removal, "removed", under: made.id)
        let newcomer = try CircleMachine()
        _ = try newcomer.recover(circle.batches + [filling, removed], circle.code)
        #expect(try newcomer.read(removed) == "removed")
        for batch in circle.batches + [filling, removed] { try newcomer.take(batch) }
    }

    @Test("Among a thousand circles that name the key the real one is found, however its batches come")
    func manyCircles() throws {
        let circle = try RecoverableCircle()
        let copied = circle.batches.flatMap(\.statements).filter { if case .recovery = $0 { true } else { false } }
        let (nothing, unsigned) = (try BatchHash(sha256: [UInt8]().span), [UInt8](repeating: 1, count: 64))
        let forged = (0..<1000).map { (number: UInt128) in
            let header = SyncHeader(
                circle: CircleID(number: number), device: MemberID(number: 1), seq: 1, previous: .none,
                generation: .none, salt: nothing)
            return SyncBatch(header, copied, sealed: [], sealedHash: nothing) { _ in unsigned }
        }
        let newcomer = try CircleMachine()
        _ = try newcomer.recover(forged + circle.batches, circle.code)
        #expect(try newcomer.state.circle == circle.first.state.circle)
    }

    @Test("A recovery key signs no batch, and adds nobody but the author of a first batch")
    func onlyAdds() throws {
        let circle = try RecoverableCircle()
        let key = try CircleRecoveryKey(try RecoveryCode(SecretBytes(copying: Array(circle.code.utf8).span)))
        let member = try #require(try circle.first.state.members.first { $0.isRecoveryKey })
        #expect(member.id == key.id)
        let header = SyncHeader(
            circle: try circle.first.state.circle, device: key.id, seq: 1, previous: .none, generation: .none,
            salt: BatchHash(Randomness.bytes(BatchHash.size)))
        let removal = SyncStatement.remove(try circle.machines[1].id, .user, kept: [])
        let hash = try BatchHash(sha256: [UInt8]().span)
        let batch = try SyncBatch(header, [removal], sealed: [], sealedHash: hash) { try key.signed($0) }
        #expect(refusal { try circle.first.take(batch) }?.rule == .unknownAuthor)
    }

    @Test("Keys follow from the code alone, and the announcement from code and circle")
    func derived() throws {
        let text = SecretBytes(copying: Array("00000-00000-00000-00000-00000-0".utf8).span)
        #expect(throws: RecoveryCode.Mistake.self) { try RecoveryCode(text) }
        let code = RecoveryCode()
        let (one, again) = (try CircleRecoveryKey(code), try CircleRecoveryKey(code))
        #expect(one.keys == again.keys && one.id == again.id)
        #expect(one.keys.signing != one.keys.agreement)
        let circle = CircleID([1])
        #expect(try one.announcement(of: circle) == again.announcement(of: circle))
        #expect(try one.announcement(of: circle) != one.announcement(of: CircleID([2])))
        #expect(try CircleRecoveryKey(RecoveryCode()).keys != one.keys)
    }
}

extension CircleMachine {
    /// A batch that a daemon of a machine that is not in has signed with the machine's own key.
    fileprivate func signUnasked(_ statements: [SyncStatement]) throws -> SyncBatch {
        let (enclave, header) = (served.enclave, try header())
        let hash = try BatchHash(sha256: [UInt8]().span)
        return try SyncBatch(header, statements, sealed: [], sealedHash: hash) { signed in
            try enclave.sign(signed, in: try enclave.circleRecord())
        }
    }
}

extension CircleRecoveryKey {
    fileprivate func signed(_ bytes: [UInt8]) throws -> [UInt8] {
        let key = try signing.withSpan { try PrivateKey(external: $0, type: .ecSECPrimeRandom) }
        let method = try #require(KeyAlgorithm(name: "algid:sign:ECDSA:message-RFC4754:SHA256"))
        return try key.sign(bytes.span, method)
    }
}
