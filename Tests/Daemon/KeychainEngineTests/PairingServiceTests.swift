import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import SecureEnclave
import SyncFormat
import TestSupport
import Testing

@testable import KeychainEngine
@testable import SyncService

@Suite("Machines that pair, with their daemons and enclaves, over a place that is not trusted")
struct PairingServiceTests {
    let circle: SyncedMachines
    let played = PlayedPairing()
    let newcomer: SyncedMachine
    var member: SyncedMachine { circle.first }

    init() throws {
        circle = try SyncedMachines(1)
        newcomer = try SyncedMachine("laptop")
    }

    private func begin() throws -> (member: PlayedPairing.Side, newcomer: PlayedPairing.Side) {
        let first = try played.invite(member)
        return (first, try played.seek(newcomer, at: circle.folder.path))
    }

    private func wrong(_ digits: String) -> String { digits == "0000 0000" ? "0000 0001" : "0000 0000" }

    /// Whether a machine belongs to no circle.
    private func isOutside(_ machine: SyncedMachine) throws -> Bool {
        guard case .status(let status) = try machine.service.answer(.status, []) else { return false }
        return status == nil
    }

    @Test("A keychain without a passcode is refused before it waits for another machine")
    func withoutPasscode() throws {
        let passcode = try PasscodeFile.make(SecretBytes(copying: Array(ConsentingUser.passcode.utf8).span))
        try newcomer.engine.enclave.removePasscode(passcode)
        for request in [
            SyncRequest.seek(place: circle.folder.path, name: "laptop"),
            .recover(place: circle.folder.path, name: "laptop"),
        ] {
            #expect(refusal { _ = try newcomer.service.answer(request, []) }?.rule == .passcodeNotSet)
        }
    }

    @Test("A machine whose user enters the digits is in, and both know each other's name", .patient)
    func pairs() throws {
        try member.keychain.add("before", value: "1")
        try circle.exchange(1)
        let sides = try begin()
        newcomer.user.enter(member.user.shownDigits)
        #expect(try played.carry([member, newcomer]) { sides.member.hasEnded && sides.newcomer.hasEnded })
        let (status, entered) = (try #require(try sides.member.end()), try #require(try sides.newcomer.end()))
        #expect(status.machines.contains { $0.id == entered.me && $0.name == "laptop" })
        #expect(entered.circle == status.circle && entered.standing == .waitsToBeAdded)
        #expect(entered.machines.first { $0.id == status.me }?.name == "machine 0")
        #expect(member.user.kinds == [.passcode, .shownDigits, .passcode])
        #expect(newcomer.user.kinds == [.digits, .passcode])
        for machine in [member, newcomer] {
            #expect(machine.user.questions.allSatisfy { $0.prompt.item == circle.folder.path })
        }
        circle.joined(newcomer)
        try circle.exchange()
        #expect(try newcomer.keychain.values() == ["before": "1"])
        #expect(try newcomer.status.standing == .isIn)
        for machine in [member, newcomer] { #expect(try played.view(machine) == nil) }
    }

    @Test("A machine that another one has brought in knows the name of the machine that began the circle", .patient)
    func nameOfTheFirst() throws {
        let two = try SyncedMachines()
        let second = two.second
        let inviting = try played.invite(second)
        let seeking = try played.seek(newcomer, at: two.folder.path)
        newcomer.user.enter(second.user.shownDigits)
        #expect(try played.carry([second, newcomer]) { inviting.hasEnded && seeking.hasEnded })
        #expect(try inviting.end()?.machines.count == 3 && seeking.end() != nil)
        two.joined(newcomer)
        try two.exchange()
        let names = try newcomer.status.machines.map(\.name).sorted()
        #expect(names == ["laptop", "machine 0", "machine 1"], "\(names)")
        #expect(try newcomer.status.standing == .isIn)
    }

    @Test("Wrong digits end it on both machines, nothing is changed, and the next pairing has other digits", .patient)
    func wrongDigits() throws {
        let sides = try begin()
        let digits = member.user.shownDigits
        newcomer.user.enter(wrong(digits))
        #expect(try played.carry([member, newcomer]) { sides.member.hasEnded })
        #expect(sides.member.rule == .wrongDigits)
        #expect(try played.view(member) == nil)
        played.clear()
        #expect(try played.carry([newcomer]) { sides.newcomer.hasEnded })
        #expect(sides.newcomer.rule == .wrongDigits)
        #expect(try isOutside(newcomer) && member.status.machines.count == 1)
        let again = try begin()
        let shown = { member.user.questions.filter { $0.kind == .shownDigits }.map(\.digits) }
        #expect(eventually { shown().count == 2 })
        newcomer.user.enter(shown()[1])
        #expect(try played.carry([member, newcomer]) { again.member.hasEnded && again.newcomer.hasEnded })
        #expect(try again.newcomer.end() != nil && member.status.machines.count == 2)
    }

    @Test("Of two machines that answer at once one is added, and the other one is told", .patient)
    func twoNewcomers() throws {
        let other = try SyncedMachine("tower")
        let sides = try begin()
        let late = try played.seek(other, at: circle.folder.path)
        let digits = member.user.shownDigits
        try played.carry(member)
        for machine in [newcomer, other] { try played.show(machine) }
        for machine in [newcomer, other] { #expect(eventually { machine.user.kinds == [.digits] }) }
        for machine in [newcomer, other] { machine.user.enter(digits) }
        for machine in [newcomer, other] {
            #expect(try eventually { try played.view(machine)?.messages.count == 1 })
        }
        #expect(try played.carry([newcomer, other]) { late.hasEnded })
        #expect(late.rule == .noPairing)
        #expect(try isOutside(other))
        #expect(try played.carry([member, newcomer]) { sides.member.hasEnded && sides.newcomer.hasEnded })
        #expect(try sides.member.end()?.machines.count == 2)
    }

    @Test(
        "A place that puts another message into the pairing gets nobody added", .patient,
        arguments: [PairingSlot.Step.answer, .welcome, .introduction])
    func swaps(step: PairingSlot.Step) throws {
        let sides = try begin()
        newcomer.user.enter(member.user.shownDigits)
        #expect(
            try played.carry([member, newcomer]) {
                guard let slot = played.place.keys.first(where: { $0.step == step }),
                    let message = played.place[slot]
                else { return sides.member.hasEnded || sides.newcomer.hasEnded }
                var bytes = message.bytes
                bytes[bytes.count - 1] ^= 1
                played.place[slot] = try PairingMessage(decoding: bytes)
                return sides.member.hasEnded || sides.newcomer.hasEnded
            })
        #expect(try member.status.machines.count == 1)
        try end(sides.member, member)
        newcomer.service.withdraw(sides.newcomer.question.context)
        try newcomer.engine.enclave.invalidate(sides.newcomer.question.context)
        // A newcomer that has introduced itself learns later that nobody was added.
        #expect(sides.newcomer.rule != nil || step == .introduction)
    }

    @Test("Messages of an earlier pairing, shown once more, add nobody and answer nothing", .patient)
    func replays() throws {
        let first = try begin()
        newcomer.user.enter(wrong(member.user.shownDigits))
        #expect(try played.carry([member, newcomer]) { first.member.hasEnded })
        let old = played.place
        played.clear()
        #expect(try played.carry([newcomer]) { first.newcomer.hasEnded })
        played.place = old
        let second = try played.invite(member)
        #expect(eventually { member.user.kinds.filter { $0 == .shownDigits }.count == 2 })
        for _ in 0..<3 { try played.carry(member) }
        #expect(!second.hasEnded && !played.has(.welcome))
        #expect(try member.status.machines.count == 1)
        try end(second, member)
    }

    /// Ends a command as Ctrl-C does.
    private func end(_ side: PlayedPairing.Side, _ machine: SyncedMachine) throws {
        try machine.engine.enclave.invalidate(side.question.context)
        machine.service.withdraw(side.question.context)
        #expect(side.rule != nil)
        #expect(try played.view(machine) == nil)
    }

    @Test("A place that holds messages back adds nobody, and a command that goes ends the pairing", .patient)
    func holdsBack() throws {
        let sides = try begin()
        newcomer.user.enter(member.user.shownDigits)
        #expect(try played.carry([member, newcomer]) { played.has(.answer) })
        try end(sides.newcomer, newcomer)
        try end(sides.member, member)
        #expect(try isOutside(newcomer) && member.status.machines.count == 1)
    }

    @Test("While several machines show digits at one place, a newcomer answers none of them", .patient)
    func severalOffers() throws {
        let other = try SyncedMachines(1)
        let first = try played.invite(member)
        let second = try played.invite(other.first)
        let late = try played.seek(newcomer, at: circle.folder.path)
        for machine in [member, other.first, newcomer] { try played.carry(machine) }
        #expect(newcomer.user.questions.isEmpty)
        _ = other.first.user.shownDigits
        try end(second, other.first)
        let session = try #require(try played.view(member)).session
        played.place = played.place.filter { $0.key.session == session }
        newcomer.user.enter(member.user.shownDigits)
        #expect(try played.carry([member, newcomer]) { first.hasEnded && late.hasEnded })
        #expect(try member.status.machines.count == 2)
    }

    @Test("A daemon that is killed in the middle leaves nothing that hinders the next pairing", .patient)
    func killed() throws {
        let sides = try begin()
        newcomer.user.enter(member.user.shownDigits)
        // The newcomer has entered the circle; nobody has added it.
        #expect(try played.carry([newcomer, member]) { try !isOutside(newcomer) })
        try newcomer.restart()
        try member.restart()
        for side in [sides.member, sides.newcomer] { side.service.withdraw(side.question.context) }
        #expect(try newcomer.status.standing == .waitsToBeAdded && member.status.machines.count == 1)
        #expect(refusal { _ = try member.change(.pair) }?.rule == .noPairing)
        played.clear()
        let again = try begin()
        #expect(eventually { member.user.kinds.filter { $0 == .shownDigits }.count == 2 })
        newcomer.user.enter(member.user.shownDigits)
        #expect(try played.carry([member, newcomer]) { again.member.hasEnded && again.newcomer.hasEnded })
        circle.joined(newcomer)
        try circle.exchange()
        #expect(try newcomer.status.standing == .isIn)
    }

    @Test("An enclave that begins no pairing is heard with its reason; only what is no message is no pairing")
    func enclaveFails() throws {
        let told = refusal {
            _ = try CircleService.offer { () throws(Refusal) in
                throw Refusal(.interactionNotAllowed, .unavailable, "enclave", "It is closed.", do: "Open it.")
            }
        }
        #expect(told?.rule == .unavailable && told?.status == .interactionNotAllowed)
        #expect(refusal { _ = try CircleService.offer { () throws(Refusal) in [1] } }?.rule == .noPairing)
    }

    @Test("A command that goes before its pairing is its own ends it, and no later one")
    func goesEarly() throws {
        let (first, second) = (SyncedMachine.question, SyncedMachine.question)
        _ = try member.service.answer(.invite, [])
        member.service.withdraw(first.context)
        #expect(refusal { _ = try member.service.change(.pair, asking: first, by: soon) }?.rule == .noPairing)
        #expect(try played.view(member) == nil)
        member.service.withdraw(second.context)
        _ = try member.service.answer(.invite, [])
        #expect(refusal { _ = try member.service.change(.pair, asking: second, by: soon) }?.rule == .noPairing)
        #expect(try played.view(member) != nil)
    }

    @Test("A locked member begins a pairing, which needs its passcode to end", .patient)
    func lockedMember() throws {
        try member.lock()
        let side = try played.invite(member)
        _ = member.user.shownDigits
        try end(side, member)
        #expect(try member.status.machines.count == 1)
    }

    @Test("A problem of the place ends the pairing with its words, and the question that is open", .patient)
    func placeFails() throws {
        let side = try played.invite(member)
        _ = member.user.shownDigits
        _ = try member.service.answer(.pairing(.fails("there is no folder /gone")), [])
        #expect(refusal { _ = try side.end() }?.problem.contains("/gone") == true)
    }
}
