import CallerIdentification
import Glibc
import KeychainModel
import KeychainPolicy
import LinuxSystem
import TestSupport
import Testing

@Suite("Programs that would like to be others")
struct HostileCallerTests {
    private let door: Doorway

    init() throws { door = try Doorway() }

    static let canMount: Bool =
        (try? RunningProgram("/usr/bin/bwrap", ["--bind", "/", "/", "true"]).waitForExit()) == 0

    private func own(_ name: String) -> [String] { ["program:" + door.file(name)] }

    @Test(
        "a copy, a link and another name are other programs, a symbolic link is the same",
        .rule("access-groups.unsigned.names"))
    func names() throws {
        try door.copy("honest")
        try door.copy("copy", of: door.file("honest"))
        try door.run(["ln", door.file("honest"), door.file("hard")])
        try door.run(["ln", "-s", door.file("honest"), door.file("soft")])
        for name in ["honest", "copy", "hard"] {
            let caller = try door.identify(door.file(name))
            #expect(caller.groups == own(name) && caller.provenance == .unsigned)
        }
        #expect(try door.identify(door.file("soft")).groups == own("honest"))
    }

    @Test("A program that is renamed, replaced or deleted while it runs keeps to its last name")
    func changesWhileItRuns() throws {
        try door.copy("before")
        let visitor = try door.start([door.file("before")])
        try door.run(["mv", door.file("before"), door.file("after")])
        #expect(try door.identify(visitor.peer).groups == own("after"))
        try door.copy("after", of: "/bin/cat")
        #expect(try door.identify(visitor.peer).groups == own("after"))
        try door.run(["rm", door.file("after")])
        #expect(try door.identify(visitor.peer).groups == own("after"))
    }

    @Test("A file mounted over another's name is not that program, not even once it is deleted", .enabled(if: canMount))
    func mountedOver() throws {
        try door.copy("honest")
        let evil = try door.copy("evil")
        let mounted = [
            "/usr/bin/bwrap", "--dev-bind", "/", "/", "--bind", evil, door.file("honest"), door.file("honest"),
        ]
        let visitor = try door.start(mounted)
        #expect(door.refusal(visitor.peer)?.rule == .forgedName)
        // A deleted file has no name to compare with.
        try door.run(["rm", evil])
        #expect(door.refusal(visitor.peer)?.rule == .forgedName)
        // Where nothing is mounted over it, a namespace of its own does no harm.
        let plain = ["/usr/bin/bwrap", "--dev-bind", "/", "/", door.file("honest")]
        #expect(try door.identify(try door.start(plain).peer).groups == own("honest"))
    }

    @Test(
        "a signed program is known by its content, under any name and in any mount namespace",
        .rule("access-groups.team.content"))
    func signed() throws {
        let team = try Team()
        let path = try door.sign("app", with: team, groups: ["shared"])
        try door.copy("copy", of: path)
        for name in ["app", "copy"] {
            let caller = try door.identify(door.file(name))
            #expect(caller.provenance == .signed(team: team.id, identifier: "org.example.app"))
            #expect(caller.groups == ["\(team.id).shared", "\(team.id).org.example.app"])
        }
        guard Self.canMount else { return }
        let honest = try door.copy("honest")
        let visitor = try door.start(["/usr/bin/bwrap", "--dev-bind", "/", "/", "--bind", path, honest, honest])
        #expect(try door.identify(visitor.peer).program == "org.example.app")
    }

    @Test(
        "two programs of one team share a group, and a third one of another team has no part in it",
        .rule("access-groups.team.sharing", "access-groups.team.suite"))
    func teams() throws {
        let (team, other) = (try Team(), try Team())
        let callers = try [("a", team), ("b", team), ("c", other)].map { name, team in
            try door.identify(door.sign(name, with: team, groups: ["shared"]))
        }
        #expect(callers[0].groups.first == callers[1].groups.first)
        #expect(callers[0].groups.first != callers[2].groups.first)
    }

    @Test("A signed program that was changed is refused and not taken for unsigned, and so is one with a broken note")
    func changed() throws {
        let path = try door.sign("app", with: try Team())
        var bytes = try AtomicFile.read(path, limit: 64 << 20)
        let text = try #require(bytes.firstRange(of: Array("Usage: %s".utf8)))
        bytes[text.lowerBound] ^= 0x20
        try AtomicFile.replace(door.file("data"), with: bytes.span)
        try door.copy("changed", of: door.file("data"))
        let visitor = try door.start([door.file("changed")])
        let found = try #require(door.refusal(visitor.peer))
        #expect(found.rule.rawValue == "code.changed" && found.status == .missingEntitlement)
    }

    @Test("A program whose file is replaced while it runs is what it was started as")
    func replaced() throws {
        let team = try Team()
        let visitor = try door.start([try door.sign("app", with: team)])
        try door.copy("app")
        #expect(try door.identify(visitor.peer).program == "org.example.app")
        #expect(try door.identify(door.file("app")).groups == own("app"))
    }

    @Test("Who connects and becomes another program is the program it is when it first asks")
    func executesAfterConnecting() throws {
        let visitor = try door.start([door.copy("first")])
        try door.copy("second", of: "/bin/cat")
        try visitor.become(door.file("second"))
        #expect(try door.identify(visitor.peer).groups == own("second"))
    }

    @Test("A connection that another process has inherited is its maker's; when that has ended, nobody's")
    func inherited() throws {
        let visitor = try door.start([door.copy("maker")])
        try visitor.perform("$child = fork; unless ($child) { sleep 1000 }")
        #expect(try door.identify(visitor.peer).process == visitor.program.process)
        try visitor.perform("open F, '>', '\(door.file("child"))'; print F $child; close F")
        let child = try #require(Int32(String(decoding: AtomicFile.read(door.file("child"), limit: 16), as: UTF8.self)))
        defer { kill(child, SIGKILL) }
        kill(visitor.program.process, SIGKILL)
        _ = visitor.program.waitForExit()
        #expect(door.refusal(visitor.peer)?.rule == .unidentifiedCaller)
    }

    @Test("The program of this very process is known without a connection, and the same as with one")
    func thisProcess() throws {
        let (own, peer) = (try door.identifier.identifyThisProcess(), try UnixSocket.pair())
        #expect(try door.identify(peer.0) == own)
        #expect(own.process == getpid() && own.provenance == .unsigned)
    }

    @Test("A program that is known is identified at once")
    func atOnce() throws {
        let peer = try UnixSocket.pair()
        _ = try door.identify(peer.0)
        guard case .known = try door.identifier.identify(peer.0) else {
            // A test program that was built in the last two seconds is read every time.
            let own = try ProcessView(getpid()).executable()
            #expect(!own.version.isSettled())
            return
        }
    }
}
