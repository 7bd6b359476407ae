import EnclaveWire
import KeychainModel
import LinuxSystem
import SyncFormat
import TestSupport
import Testing

@testable import SecureEnclave

/// A daemon in wrong hands, or the place that carries the messages, which has all of them and no digits.
@Suite("A daemon in wrong hands and a pairing") struct PairingAttackTests {
    private static func rule(_ body: () throws -> Void) -> Refusal.Rule? { refusal(body)?.rule }

    private static func pairing() throws -> TestPairing {
        try TestPairing(try TestCircle(1).machines[0], try CircleMachine())
    }

    @Test("It gets no machine added by itself: without a pairing, digits and the user's word there is no statement")
    func addsNobody() throws {
        let member = try TestCircle(1).machines[0]
        let box = [UInt8](repeating: 1, count: 300)
        let invented = PairingMessage(
            PairingSlot(PairingID([1]), .introduction), PairingVersions(), box: box)
        let add = { (bytes: [UInt8]) in
            _ = try member.connection.addPaired(bytes, asking: CircleMachine.question, by: soon)
        }
        #expect(Self.rule { try add(invented.bytes) } == .noPairing)
        let session = try member.connection.beginPairing().pairing.slot.session
        let own = PairingMessage(
            PairingSlot(session, .introduction), PairingVersions(), box: box)
        #expect(Self.rule { try add(own.bytes) } == .noPairing)
        #expect(member.user.questions.count == 1)
        // The newcomer knows the digits; the introduction is not the newcomer's.
        let pairing = try TestPairing(member, try CircleMachine())
        _ = try pairing.welcome()
        let introduction = try pairing.newcomer.connection.introduce(name: "laptop")
        let slot = try introduction.pairing.slot
        for bytes in [
            PairingMessage(slot, PairingVersions(), box: own.box).bytes, introduction.changed(at: 60),
            introduction.changed(at: 24), Array(introduction.dropLast()), introduction + [0],
        ] {
            #expect([.malformedBatch, .laterBatch].contains(Self.rule { try add(bytes) }))
        }
        #expect(member.user.questions.count == 2)
        // The user does not answer.
        #expect(Self.rule { try add(introduction) } == .unreachable)
        #expect(try member.state.members.count == 1)
    }

    @Test("It tries no digits before its user has seen them, and one then")
    func guesses() throws {
        let member = try TestCircle(1).machines[0]
        let newcomer = try CircleMachine()
        let offer = try member.connection.beginPairing()
        newcomer.user.will(.passcode("00000000"))
        let answer = try newcomer.connection.joinPairing(offer, asking: CircleMachine.question, by: soon)
        let guess = {
            _ = try member.connection.answerPairing(answer, name: "n", positions: [], token: TestPairing.token)
        }
        #expect(Self.rule(guess) == .noPairing)
        let pairing = try TestPairing(member, newcomer)
        let wrong = try pairing.join(entering: pairing.wrongDigits)
        #expect(Self.rule { _ = try pairing.answer(wrong) } == .wrongDigits)
        let second = try CircleMachine()
        second.user.will(.passcode(pairing.digits))
        let right = try second.connection.joinPairing(pairing.offer, asking: CircleMachine.question, by: soon)
        #expect(Self.rule { _ = try pairing.answer(right) } == .noPairing)
    }

    @Test("A message that comes again is not taken again, and one of another pairing never")
    func replays() throws {
        let (pairing, other) = (try Self.pairing(), try Self.pairing())
        let (answer, foreign) = (try pairing.join(), try other.join())
        #expect(Self.rule { _ = try pairing.join() } == .noPairing)
        #expect(pairing.newcomer.user.questions.count == 1)
        #expect(Self.rule { _ = try pairing.answer(foreign) } == .malformedBatch)
        let welcome = try pairing.answer(answer)
        let foreignWelcome = try other.answer(foreign)
        #expect(Self.rule { _ = try pairing.answer(answer) } == .noPairing)
        let newcomer = pairing.newcomer.connection
        #expect(Self.rule { _ = try newcomer.finishPairing(foreignWelcome) } == .malformedBatch)
        _ = try newcomer.finishPairing(welcome)
        #expect(Self.rule { _ = try newcomer.finishPairing(welcome) } == .noPairing)
        _ = try other.newcomer.connection.finishPairing(foreignWelcome)
        for one in [pairing, other] { _ = try one.newcomer.enter(try one.member.state.circle) }
        let introduction = try newcomer.introduce(name: "laptop")
        let foreignIntroduction = try other.newcomer.connection.introduce(name: "stranger")
        let member = pairing.member.connection
        let add = { (bytes: [UInt8]) in
            _ = try member.addPaired(bytes, asking: CircleMachine.question, by: soon)
        }
        #expect(Self.rule { try add(foreignIntroduction) } == .malformedBatch)
        // The same under the name of this pairing's slot.
        let moved = PairingMessage(
            try introduction.pairing.slot, PairingVersions(), box: try foreignIntroduction.pairing.box)
        #expect(Self.rule { try add(moved.bytes) } == .malformedBatch)
        _ = try pairing.add(introduction)
        #expect(Self.rule { try add(introduction) } == .noPairing)
    }

    @Test("Its own messages sent back to a machine prove nothing", arguments: [true, false])
    func reflection(withProof: Bool) throws {
        let pairing = try Self.pairing()
        let offer = try pairing.offer.pairing
        let proof = withProof ? try pairing.join().pairing.confirmation : [UInt8](repeating: 0, count: 32)
        let slot = PairingSlot(offer.slot.session, .answer)
        let back = PairingMessage(slot, PairingVersions(), share: offer.share, confirmation: proof)
        #expect(Self.rule { _ = try pairing.answer(back.bytes) } == .wrongDigits)
    }

    @Test("A newcomer's own proof sent back to it in a welcome ends the pairing")
    func reflectedWelcome() throws {
        let pairing = try Self.pairing()
        let answer = try pairing.join().pairing
        let slot = PairingSlot(answer.slot.session, .welcome)
        let back = PairingMessage(
            slot, PairingVersions(), confirmation: answer.confirmation, box: [UInt8](repeating: 0, count: 100))
        #expect(Self.rule { _ = try pairing.newcomer.connection.finishPairing(back.bytes) } == .wrongDigits)
        #expect(Self.rule { _ = try pairing.newcomer.connection.finishPairing(back.bytes) } == .noPairing)
    }

    @Test("A share that is no point of the curve gets no answer, and ends the pairing where it is the answer")
    func noPoints() throws {
        let pairing = try Self.pairing()
        let offer = try pairing.offer.pairing
        let bad: [[UInt8]] = [
            [UInt8](repeating: 0, count: 65), [4] + [UInt8](repeating: 0xff, count: 64), offer.share.changed(at: 64),
        ]
        for share in bad {
            let bent = PairingMessage(offer.slot, offer.versions, share: share)
            #expect(Self.rule { _ = try pairing.join(bent.bytes) } == .malformedBatch)
        }
        let answer = try pairing.join().pairing
        let bent = PairingMessage(
            answer.slot, answer.versions, share: bad[2], confirmation: answer.confirmation)
        #expect(Self.rule { _ = try pairing.answer(bent.bytes) } == .wrongDigits)
        for cut in [pairing.offer + [0], Array(pairing.offer.dropLast()), []] {
            #expect(Self.rule { _ = try pairing.join(cut) } == .malformedBatch)
        }
    }

    @Test("Versions that were altered on the way are noticed, of the offer, the answer and the welcome")
    func versions() throws {
        let newest = 24
        let offered = try Self.pairing()
        let altered = offered.offer.changed(at: newest, by: 1)
        #expect(try altered.pairing.versions == PairingVersions(least: 1, most: 3))
        #expect(Self.rule { _ = try offered.answer(try offered.join(altered)) } == .wrongDigits)
        let answered = try Self.pairing()
        let bent = try answered.join().changed(at: newest, by: 1)
        #expect(Self.rule { _ = try answered.answer(bent) } == .wrongDigits)
        let pairing = try Self.pairing()
        let welcome = try pairing.answer(try pairing.join())
        let newcomer = pairing.newcomer.connection
        #expect(Self.rule { _ = try newcomer.finishPairing(welcome.changed(at: newest, by: 1)) } == .malformedBatch)
        _ = try newcomer.finishPairing(welcome)
        let later = try Self.pairing()
        let demanding = PairingMessage(
            try later.offer.pairing.slot, PairingVersions(least: 3, most: 3), share: try later.offer.pairing.share)
        #expect(Self.rule { _ = try later.join(demanding.bytes) } == .laterBatch)
    }

    @Test("Neither the circle in a welcome nor the name in an introduction can be changed on the way")
    func contents() throws {
        let pairing = try Self.pairing()
        let welcome = try pairing.answer(try pairing.join())
        let newcomer = pairing.newcomer.connection
        for place in [PairingMessage.headSize + 32, welcome.count - 1, welcome.count / 2] {
            #expect(Self.rule { _ = try newcomer.finishPairing(welcome.changed(at: place)) } == .malformedBatch)
        }
        _ = try newcomer.finishPairing(welcome)
        // A circle other than the one that the member has named.
        _ = try pairing.newcomer.enter(CircleID([9]))
        #expect(Self.rule { _ = try newcomer.introduce(name: "laptop") } == .noPairing)
        for name in ["", String(repeating: "x", count: 65)] {
            #expect(Self.rule { _ = try newcomer.introduce(name: name) } == .wrongValue)
        }
    }

    @Test("After ten minutes a pairing is over, at every step", arguments: 0..<4)
    func timeOut(_ steps: Int) throws {
        let pairing = try Self.pairing()
        let late = {
            for machine in [pairing.member, pairing.newcomer] { machine.served.device.clock.advance(by: 601) }
        }
        let answer = try pairing.join()
        if steps == 0 { late() }
        guard steps > 0 else {
            #expect(Self.rule { _ = try pairing.answer(answer) } == .noPairing)
            return
        }
        let welcome = try pairing.answer(answer)
        if steps == 1 { late() }
        guard steps > 1 else {
            #expect(Self.rule { _ = try pairing.newcomer.connection.finishPairing(welcome) } == .noPairing)
            return
        }
        let circle = try pairing.newcomer.connection.finishPairing(welcome).circle
        _ = try pairing.newcomer.enter(circle)
        if steps == 2 { late() }
        guard steps > 2 else {
            #expect(Self.rule { _ = try pairing.newcomer.connection.introduce(name: "laptop") } == .noPairing)
            return
        }
        let introduction = try pairing.newcomer.connection.introduce(name: "laptop")
        late()
        #expect(Self.rule { _ = try pairing.add(introduction) } == .noPairing)
    }

    @Test("A lock ends a pairing, and so does another one")
    func ends() throws {
        let pairing = try Self.pairing()
        let answer = try pairing.join()
        try pairing.member.connection.lock()
        #expect(Self.rule { _ = try pairing.answer(answer) } == .noPairing)
        let first = try Self.pairing()
        let early = try first.join()
        _ = try TestPairing(first.member, try CircleMachine())
        #expect(Self.rule { _ = try first.answer(early) } == .malformedBatch)
    }
}
