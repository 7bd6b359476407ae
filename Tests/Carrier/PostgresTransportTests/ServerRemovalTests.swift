import LinuxSystem
import SyncFormat
import SyncTransports
import TestSupport
import Testing

@testable import PostgresTransport

/// A circle of which a member in wrong hands, the second, has registered further machines.
final class InfiltratedCircle {
    let hosted: HostedCircle
    let puppets = (11...13).map { MemberID(number: UInt128($0)) }

    /// The third puppet is the first one's, and registers the others once more.
    init() throws {
        hosted = try HostedCircle()
        for (puppet, sponsor) in [(0, hosted.second), (1, hosted.second), (2, puppets[0])] {
            try hosted.admit(puppets[puppet], by: sponsor)
        }
        for puppet in puppets.dropLast() { try hosted.admit(puppet, by: puppets[2]) }
        _ = try hosted.machine(hosted.first).commit([1], in: hosted.slot(hosted.first, 1))
    }

    func dismiss(cut: [MemberID] = [], keeping members: [MemberID] = []) throws {
        try hosted.machine(hosted.first).dismiss([hosted.second], cut: cut, keeping: [hosted.first] + members)
    }

    /// Whether a machine reads, writes, and lets others in.
    func isIn(_ device: MemberID) throws -> Bool {
        let machine = try hosted.machine(device)
        let calls: [() throws -> Void] = [
            { [hosted] in _ = try machine.read(hosted.slot(hosted.first, 1)) },
            { _ = try machine.changes(after: [:], atMost: 1) },
            { [hosted] in _ = try machine.commit([3], in: hosted.slot(device, 1)) },
            { [hosted] in try hosted.admit(device, by: device) },
            { [hosted] in try hosted.unregister(MemberID(number: 99), by: device) },
            { try machine.dismiss([MemberID(number: 99)], cut: [], keeping: []) },
        ]
        let outcomes = Set(calls.map { call in (try? call()) != nil })
        #expect(outcomes.count == 1)
        return outcomes.contains(true)
    }
}

extension HostedCircle {
    /// The call by which programs of releases before version 5 end a token.
    func unregister(_ gone: MemberID, by device: MemberID) throws {
        let words = [circle.text, device.text].map { "'\\x\($0)'" }.joined(separator: ", ")
        try server.psql(
            "SELECT keychain_sync.unregister(\(words), '\(Self.token(of: device))', '\\x\(gone.text)')", as: "alice")
    }

    /// The machines whose tokens are good.
    func tokens() throws -> [UInt128] {
        let listed = try server.psql(
            "SELECT encode(device, 'hex') FROM keychain_sync.devices WHERE removed IS NULL ORDER BY device")
        return listed.split(separator: "\n").compactMap { UInt128($0, radix: 16) }
    }
}

@Suite("A removal ends what a machine has let into its circle", .enabled(if: PostgresServer.isHere), .serialized)
struct ServerRemovalTests {
    let infiltrated: InfiltratedCircle
    let hosted: HostedCircle
    let third = MemberID(number: 3)
    let fourth = MemberID(number: 4)

    init() throws {
        infiltrated = try InfiltratedCircle()
        hosted = infiltrated.hosted
    }

    @Test("What a removed member has registered, and what that has, neither reads nor writes nor ends anybody")
    func puppets() throws {
        for puppet in infiltrated.puppets { #expect(try infiltrated.isIn(puppet)) }
        try infiltrated.dismiss()
        for puppet in infiltrated.puppets { #expect(try !infiltrated.isIn(puppet)) }
        #expect(try !infiltrated.isIn(hosted.second))
        #expect(try infiltrated.isIn(hosted.first))
        #expect(try hosted.tokens() == [1])
    }

    @Test("A member that the removed one has let in goes on where others keep it, and so do those that it lets in")
    func kept() throws {
        try hosted.admit(third, by: hosted.second)
        try hosted.admit(fourth, by: third)
        try infiltrated.dismiss(keeping: [third])
        #expect(try infiltrated.isIn(third))
        #expect(try infiltrated.isIn(fourth))
        #expect(try hosted.tokens() == [1, 3, 4])
    }

    @Test("A newcomer of another member goes on before it was read of, also where the removed one has registered it")
    func newcomers() throws {
        try hosted.admit(third, by: hosted.first)
        try hosted.admit(fourth, by: hosted.second)
        try hosted.admit(fourth, by: third)
        let fifth = MemberID(number: 5)
        try hosted.machine(fifth, invitation: try hosted.inviteBack()).found()
        try infiltrated.dismiss()
        for newcomer in [third, fourth, fifth] { #expect(try infiltrated.isIn(newcomer)) }
        #expect(try hosted.tokens() == [1, 3, 4, 5])
    }

    @Test("A newcomer that two have registered goes on where the second one's word was not read yet")
    func twoSponsors() throws {
        try hosted.admit(third, by: hosted.first)
        for sponsor in [hosted.second, third] { try hosted.admit(fourth, by: sponsor) }
        try infiltrated.dismiss(cut: [fourth], keeping: [third])
        #expect(try infiltrated.isIn(fourth))
        try hosted.machine(third).dismiss([hosted.second], cut: [fourth], keeping: [])
        #expect(try hosted.tokens() == [1, 3, 4])
    }

    @Test("A machine that is out with the removed one goes where nobody knows who has registered it")
    func unknownRegistrars() throws {
        for device in [third, fourth] { try hosted.admit(device, by: hosted.second) }
        try hosted.server.psql("UPDATE keychain_sync.devices SET registrars = NULL")
        try infiltrated.dismiss(cut: [third] + infiltrated.puppets)
        #expect(try hosted.tokens() == [1, 4])
    }

    @Test("A machine that is out with the removed one comes back where another member registers it, and that one never")
    func comesBack() throws {
        for device in [third, fourth] { try hosted.admit(device, by: hosted.second) }
        try infiltrated.dismiss(cut: [third, fourth])
        #expect(try hosted.tokens() == [1])
        try hosted.admit(third, by: hosted.first)
        #expect(try infiltrated.isIn(third))
        #expect(throws: TransportProblem.self) { try hosted.admit(hosted.second, by: hosted.first) }
        try infiltrated.dismiss(keeping: [third])
        #expect(try hosted.tokens() == [1, 3])
        // It was removed by name since.
        try hosted.machine(hosted.first).dismiss([hosted.second, fourth], cut: [], keeping: [hosted.first, third])
        #expect(throws: TransportProblem.self) { try hosted.admit(fourth, by: hosted.first) }
        #expect(try hosted.tokens() == [1, 3])
    }

    @Test("A registration that is repeated writes nothing")
    func registeredAgain() throws {
        let rows = "SELECT device, xmin FROM keychain_sync.devices ORDER BY device"
        let before = try hosted.server.psql(rows)
        try hosted.admit(infiltrated.puppets[2], by: infiltrated.puppets[0])
        #expect(try hosted.server.psql(rows) == before)
        try hosted.admit(infiltrated.puppets[2], by: hosted.first)
        #expect(try hosted.server.psql(rows) != before)
    }

    @Test("A removal that is told again changes nothing, and ends a machine that is no member any more")
    func repeated() throws {
        let machine = try hosted.machine(hosted.first)
        func dismiss(keeping members: [MemberID]) throws -> String {
            try machine.dismiss([hosted.second], cut: [], keeping: members)
            return try hosted.server.psql("SELECT xmin FROM keychain_sync.circles")
        }
        let first = try dismiss(keeping: [hosted.first, infiltrated.puppets[0]])
        #expect(try dismiss(keeping: [hosted.first, infiltrated.puppets[0]]) == first)
        #expect(try hosted.tokens() == [1, 11, 12, 13])
        #expect(try dismiss(keeping: [hosted.first]) != first)
        #expect(try hosted.tokens() == [1])
        let ends = try hosted.server.psql("SELECT device, removed FROM keychain_sync.devices ORDER BY device")
        try infiltrated.dismiss()
        #expect(try hosted.server.psql("SELECT device, removed FROM keychain_sync.devices ORDER BY device") == ends)
    }

    @Test("A machine that says nothing of members keeps its own place")
    func itself() throws {
        try hosted.admit(third, by: hosted.second)
        try hosted.machine(third).dismiss([hosted.second], cut: [], keeping: [hosted.first])
        #expect(try hosted.tokens() == [1, 3])
    }

    @Test("A machine that does not know all members yet ends the tokens of those alone that it knows to be out")
    func membersUnknown() throws {
        try hosted.machine(hosted.first).dismiss([hosted.second], cut: [], keeping: [])
        #expect(try hosted.tokens() == [1, 11, 12, 13])
        // Another one has registered it, which may be a member.
        try hosted.machine(hosted.first).dismiss([hosted.second], cut: [infiltrated.puppets[1]], keeping: [])
        #expect(try hosted.tokens() == [1, 11, 12, 13])
        try hosted.machine(hosted.first).dismiss([hosted.second], cut: infiltrated.puppets, keeping: [])
        #expect(try hosted.tokens() == [1])
        try infiltrated.dismiss()
        #expect(try hosted.tokens() == [1])
    }

    @Test("A token that the administrator has ended takes no other one along before its member is removed")
    func administered() throws {
        let second = "device = decode('\(hosted.second.text)', 'hex')"
        try hosted.admit(third, by: hosted.second)
        try hosted.server.psql("UPDATE keychain_sync.devices SET removed = now() WHERE \(second)")
        try hosted.machine(hosted.first).dismiss([fourth], cut: [], keeping: [hosted.first])
        #expect(try hosted.tokens() == [1, 3, 11, 12, 13])
        try infiltrated.dismiss(keeping: [third])
        #expect(try hosted.tokens() == [1, 3])
    }

    @Test("A program of an older release ends one token, and this one the others")
    func olderProgram() throws {
        try hosted.unregister(hosted.second, by: hosted.first)
        #expect(try hosted.tokens() == [1, 11, 12, 13])
        try infiltrated.dismiss()
        #expect(try hosted.tokens() == [1])
    }

    @Test("A member in wrong hands that is still in ends the others' tokens, until the administrator gives them back")
    func stillIn() throws {
        try hosted.machine(hosted.second).dismiss([hosted.first], cut: [], keeping: [])
        #expect(try !infiltrated.isIn(hosted.first))
        let first = "device = decode('\(hosted.first.text)', 'hex')"
        try hosted.server.psql("UPDATE keychain_sync.devices SET removed = NULL WHERE \(first)")
        try infiltrated.dismiss()
        #expect(try infiltrated.isIn(hosted.first))
        #expect(try hosted.tokens() == [1])
    }
}

@Suite("A server of version 4 that is in use", .enabled(if: PostgresServer.isHere), .serialized)
struct ServerUpgradeTests {
    let hosted: HostedCircle
    let third = MemberID(number: 3)
    /// Machines that are registered before the upgrade and after it.
    private let early = MemberID(number: 11)
    private let late = MemberID(number: 12)

    init() throws {
        hosted = try HostedCircle()
        try hosted.server.becomeOlder()
        _ = try hosted.machine(hosted.second).commit([1], in: hosted.slot(hosted.second, 1))
        try hosted.admit(third, by: hosted.first)
    }

    @Test("It ends the token of a removed machine alone, and takes no circle more")
    func older() throws {
        try hosted.admit(early, by: hosted.second)
        for _ in 1...2 {
            try hosted.machine(hosted.first).dismiss([hosted.second], cut: [], keeping: [hosted.first, third])
        }
        #expect(try hosted.tokens() == [1, 3, 11])
        let words = "the server is of an older release: its administrator has to install this one"
        let machine = try hosted.machine(hosted.first)
        #expect(throws: TransportProblem.refused(words)) { try machine.check() }
    }

    @Test("It keeps machines and batches when it becomes this one, and ends what is registered from then on")
    func upgraded() throws {
        let one = try hosted.machine(hosted.first)
        try hosted.admit(early, by: third)
        try one.dismiss([hosted.second], cut: [], keeping: [hosted.first, third])
        for _ in 1...2 { try ServerInstallation(try hosted.server.address("owner")).install() }
        #expect(try hosted.tokens() == [1, 3, 11])
        #expect(try one.read(hosted.slot(hosted.second, 1)) == [1])
        try hosted.admit(late, by: third)
        try one.dismiss([hosted.second, third], cut: [], keeping: [hosted.first])
        // Nobody knows who has registered that one: it may be the newcomer of a machine that is in.
        #expect(try hosted.tokens() == [1, 11])
        try one.check()
    }

    @Test("A removal that it was told is told again when it has become this one")
    func toldAgain() throws {
        let one = try hosted.machine(hosted.first)
        try one.dismiss([third], cut: [], keeping: [hosted.first, hosted.second])
        try ServerInstallation(try hosted.server.address("owner")).install()
        // As if the one that was removed had come to this before.
        try hosted.admit(late, by: hosted.first)
        try hosted.server.psql(
            "UPDATE keychain_sync.devices SET registrars = ARRAY[decode('\(third.text)', 'hex')] "
                + "WHERE device = decode('\(late.text)', 'hex')")
        try one.dismiss([third], cut: [], keeping: [hosted.first, hosted.second])
        #expect(try hosted.tokens() == [1, 2])
    }
}
