import EnclaveWire
import KeychainModel
import LinuxSystem
import SyncFormat
import TestSupport
import Testing

@testable import SecureEnclave

@Suite("Two machines that pair") struct PairingTests {
    private static func rule(_ body: () throws -> Void) -> Refusal.Rule? { refusal(body)?.rule }

    @Test("A newcomer whose user knows the digits is in, under its name and with its keys, and reads what is written")
    func pairs() throws {
        let circle = try TestCircle(1)
        let (member, newcomer) = (circle.machines[0], try CircleMachine())
        let position = SyncPosition(device: try member.id, seq: 1, hash: 7)
        let pairing = try TestPairing(member, newcomer)
        let welcome = try pairing.welcome(positions: [position])
        let state = try member.state
        #expect(welcome.circle == state.circle && welcome.positions == [position])
        #expect(String(decoding: welcome.name, as: UTF8.self) == TestPairing.name)
        #expect(try welcome.member == member.id && welcome.token.isEqual(to: TestPairing.token))
        let statements = try pairing.add(try newcomer.connection.introduce(name: "laptop"))
        guard case .add(let addition) = try #require(statements.first) else { return }
        #expect(try addition.keys == newcomer.state.keys)
        let shared = try member.connection.shareGeneration(circle.current, with: [try newcomer.id])
        let batches = circle.batches + [try member.publish(statements), try member.publish([shared])]
        for batch in batches { try newcomer.take(batch) }
        #expect(try newcomer.read(circle.batches[0]) == "first")
        #expect(try member.state.members.contains { try $0.id == newcomer.id && $0.isIn && $0.name == "laptop" })
    }

    @Test("Users see digits, enter them, and allow the circle on one machine and the newcomer by its name on the other")
    func questions() throws {
        let circle = try TestCircle(1)
        let (member, newcomer) = (circle.machines[0], try CircleMachine())
        let pairing = try TestPairing(member, newcomer)
        _ = try pairing.welcome()
        _ = try pairing.add(try newcomer.connection.introduce(name: "laptop"))
        #expect(member.user.kinds == [.passcode, .shownDigits, .passcode])
        #expect(newcomer.user.kinds == [.digits, .passcode])
        let allowed = try #require(member.user.questions.last?.change)
        #expect(try allowed.kind == .addsMachine && allowed.fingerprint == newcomer.id.fingerprint)
        #expect(allowed.name == "laptop")
        let plain = pairing.digits.filter { $0 != " " }
        #expect(plain.count == 8 && plain.allSatisfy { $0.isASCII && $0.isNumber })
        // Nobody but the member's user is told the digits.
        #expect(newcomer.user.questions.allSatisfy { $0.digits.isEmpty })
    }

    @Test("The digits stay in sight until the newcomer has proved that it knows them")
    func staysInSight() throws {
        let circle = try TestCircle(1)
        let (member, newcomer) = (circle.machines[0], try CircleMachine())
        let connection = member.connection
        let offer = try connection.beginPairing()
        member.user.will(.wait)
        let refused = Lock<Refusal.Rule?>(.unreachable)
        let shows = try Thread(named: "shows") {
            let result = refusal { try connection.showDigits(asking: CircleMachine.question, by: soon) }
            refused.withLock { $0 = result?.rule }
        }
        member.user.wait(for: 2)
        let digits = try #require(member.user.questions.last).digits
        newcomer.user.will(.passcode(digits))
        let answer = try newcomer.connection.joinPairing(offer, asking: CircleMachine.question, by: soon)
        _ = try connection.answerPairing(
            answer, name: TestPairing.name, positions: [], token: TestPairing.token)
        shows.join()
        #expect(refused.withLock { $0 } == nil)
    }

    @Test("Wrong digits end the pairing on the member: it says nothing, and the right ones are too late")
    func wrongDigits() throws {
        let circle = try TestCircle(1)
        let pairing = try TestPairing(circle.machines[0], try CircleMachine())
        let wrong = try pairing.join(entering: pairing.wrongDigits)
        #expect(Self.rule { _ = try pairing.answer(wrong) } == .wrongDigits)
        #expect(Self.rule { _ = try pairing.answer(wrong) } == .noPairing)
        let connection = pairing.member.connection
        #expect(Self.rule { try connection.showDigits(asking: CircleMachine.question, by: soon) } == .noPairing)
        let again = try CircleMachine()
        again.user.will(.passcode(pairing.digits))
        let right = try again.connection.joinPairing(pairing.offer, asking: CircleMachine.question, by: soon)
        #expect(Self.rule { _ = try pairing.answer(right) } == .noPairing)
        #expect(try pairing.member.state.members.count == 1)
    }

    @Test("Spaces and hyphens between the digits do not matter; anything else is asked for again")
    func entering() throws {
        let circle = try TestCircle(1)
        let pairing = try TestPairing(circle.machines[0], try CircleMachine())
        pairing.newcomer.user.will(.passcode("1234567"), .passcode("12345678x"))
        let spelled = pairing.digits.filter { $0 != " " }.map(String.init).joined(separator: "- ")
        let answer = try pairing.join(entering: spelled)
        #expect(try answer.pairing.slot.step == .answer && pairing.answer(answer).pairing.slot.step == .welcome)
        #expect(pairing.newcomer.user.kinds == [.digits, .digits, .digits])

        let other = try TestPairing(circle.machines[0], try CircleMachine())
        other.newcomer.user.will(.passcode(""), .passcode("123456789"))
        #expect(Self.rule { _ = try other.join(entering: "no") } == .wrongDigits)
    }

    @Test("A user who declines the digits, or the newcomer, ends the pairing")
    func declined() throws {
        let circle = try TestCircle(1)
        let member = circle.machines[0]
        _ = try member.connection.beginPairing()
        let show = { try member.connection.showDigits(asking: CircleMachine.question, by: soon) }
        member.user.will(.cancel, .close)
        #expect(Self.rule(show) == .userCanceled)
        #expect(Self.rule(show) == .noPairing)

        let pairing = try TestPairing(member, try CircleMachine())
        _ = try pairing.welcome()
        let introduction = try pairing.newcomer.connection.introduce(name: "laptop")
        member.user.will(.cancel)
        let add = { _ = try member.connection.addPaired(introduction, asking: CircleMachine.question, by: soon) }
        #expect(Self.rule(add) == .userCanceled)
        #expect(Self.rule(add) == .noPairing)
        #expect(try member.state.members.count == 1)
    }

    @Test("A pairing is of a machine in a circle, and of a newcomer with a passcode and without a circle")
    func sides() throws {
        let circle = try TestCircle(1)
        let (member, stranger) = (circle.machines[0], try CircleMachine())
        #expect(Self.rule { _ = try stranger.connection.beginPairing() } == .noCircle)
        let other = try TestCircle(1).machines[0]
        #expect(Self.rule { _ = try TestPairing(member, other).join() } == .contradiction)
        let open = try CircleMachine(passcode: nil)
        #expect(Self.rule { _ = try TestPairing(member, open).join() } == .passcodeNotSet)
    }
}
