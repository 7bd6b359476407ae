import CallerIdentification
import Glibc
import KeychainModel
import KeychainPolicy
import LinuxSystem
import TestSupport
import Testing

@Suite("Processes that connect more than once")
struct KnownProcessTests {
    private let door: Doorway

    init() throws { door = try Doorway() }

    private func own(_ name: String) -> [String] { ["program:" + door.file(name)] }

    /// A program whose process is known from its next connection on.
    private func meet(_ name: String) throws -> Visitor {
        let visitor = try door.start([door.settled(name)])
        #expect(try door.identifyAgain(visitor.peer).groups == own(name))
        try door.seeNobody()
        return visitor
    }

    @Test("Who connects again is known, and is who it was")
    func again() throws {
        let visitor = try meet("app")
        for _ in 0..<3 {
            let peer = try door.connectAgain(visitor)
            #expect(try door.knows(peer))
            #expect(try door.identify(peer) == door.identify(visitor.peer))
            try door.seeNobody()
        }
    }

    @Test("Who is known is so as soon as it has connected; whose program has to be read first is not")
    func recognized() throws {
        let visitor = try door.start([door.settled("app")])
        #expect(door.identifier.recognize(visitor.peer) == nil)
        let caller = try door.identifyAgain(visitor.peer)
        try door.seeNobody()
        #expect(door.identifier.recognize(try door.connectAgain(visitor))?.identity == caller)
    }

    @Test("A connection that may have been made before the process was seen says nothing about it")
    func early() throws {
        let visitor = try door.start([door.settled("app")])
        let peer = try door.connectAgain(visitor)
        _ = try door.identifyAgain(visitor.peer)
        #expect(try !door.knows(peer))
        // Nor one of which no such time is known.
        try door.seeNobody()
        #expect(try !door.knows(UnixSocket(door.connectAgain(visitor).descriptor)))
    }

    @Test(
        "a process that executes another program is that program from then on, also with the old file back",
        .rule("access-groups.list.process"))
    func executesAnother() throws {
        let visitor = try meet("first")
        try door.copy("second")
        let peer = try door.become(door.file("second"), visitor)
        #expect(try PeerNumbers(of: peer) == PeerNumbers(of: visitor.peer))
        #expect(try !door.knows(peer) && door.identify(peer).groups == own("second"))
        try door.seeNobody()
        #expect(try door.identify(door.become(door.file("first"), visitor)).groups == own("first"))
    }

    @Test(
        "so is one of which another thread than its first has executed that program",
        .rule("access-groups.list.process"))
    func threadExecutesAnother() throws {
        let python = try door.copy("python", of: "/usr/bin/python3")
        try door.settle(python)
        let visitor = try door.startPython(python)
        #expect(try door.identifyAgain(visitor.peer).groups == own("python"))
        try door.seeNobody()
        let second = try door.copy("second")
        let peer = try door.becomeInThread(second, visitor)
        #expect(try PeerNumbers(of: peer) == PeerNumbers(of: visitor.peer))
        #expect(try !door.knows(peer) && door.identify(peer).groups == own("second"))
    }

    @Test(
        "a hard link that a process executes instead of its program is another program",
        .rule("access-groups.unsigned.names"))
    func executesLink() throws {
        let path = try door.copy("first")
        try door.run(["ln", path, door.file("second")])
        try door.settle(path)
        let visitor = try door.start([path])
        #expect(try door.identifyAgain(visitor.peer).groups == own("first"))
        try door.seeNobody()
        let peer = try door.become(door.file("second"), visitor)
        #expect(try !door.knows(peer) && door.identify(peer).groups == own("second"))
    }

    @Test("A link that is made later, a new content and new permissions all end what is known")
    func fileChanges() throws {
        let changes = [["ln", "app", "link"], ["chmod", "700", "app"], ["touch", "-d", "2001-01-01", "app"]]
        for words in changes {
            let visitor = try meet("app")
            try door.run([words[0]] + words.dropFirst().map { ["app", "link"].contains($0) ? door.file($0) : $0 })
            #expect(try !door.knows(door.connectAgain(visitor)))
            try door.run(["rm", "-f", door.file("link"), door.file("app")])
        }
    }

    @Test("A process that executes what an update has put in its program's place is looked at again")
    func updated() throws {
        let visitor = try meet("app")
        try door.copy("app")
        let peer = try door.connectAgain(visitor)
        // Its own file has lost its name.
        #expect(try !door.knows(peer))
        try door.seeNobody()
        #expect(try !door.knows(door.become(door.file("app"), visitor)))
    }

    @Test("What was changed just now is not remembered: its next change might not show")
    func unsettled() throws {
        // Here a day counts as just now.
        let door = try Doorway(tick: 86_400_000_000_000)
        let visitor = try door.start([door.copy("app")])
        _ = try door.identifyAgain(visitor.peer)
        try door.seeNobody()
        #expect(try !door.knows(door.connectAgain(visitor)))
    }

    @Test("A process that connects with another group is looked at again", .enabled(if: getuid() == 0))
    func otherGroup() throws {
        let visitor = try meet("app")
        try visitor.perform("$) = 12345")
        #expect(try !door.knows(door.connectAgain(visitor)))
    }

    @Test("A signed program is known again, and by no other signature than its own")
    func signed() throws {
        let (team, other) = (try Team(), try Team())
        let (first, second) = (try door.sign("first", with: team), try door.sign("second", with: other))
        for path in [first, second] { try door.settle(path) }
        let visitor = try door.start([first])
        let caller = try door.identifyAgain(visitor.peer)
        try door.seeNobody()
        let again = try door.connectAgain(visitor)
        #expect(try door.knows(again) && door.identify(again) == caller)
        try door.seeNobody()
        let peer = try door.become(second, visitor)
        #expect(try door.identify(peer).provenance == .signed(team: other.id, identifier: "org.example.app"))
    }

    @Test("No more processes are known than have room")
    func capacity() throws {
        let path = try door.settled("app")
        for _ in 0..<KnownProcesses.capacity + 3 {
            _ = try door.identifyAgain(door.start([path]).peer)
        }
        #expect(door.processes.count == KnownProcesses.capacity)
    }

    @Test("A note is taken of a process that comes again, and not of one that comes once")
    func comesAgain() throws {
        let path = try door.settled("app")
        let visitor = try door.start([path])
        _ = try door.identify(visitor.peer)
        for _ in 0..<3 { _ = try door.identify(door.start([path]).peer) }
        #expect(door.processes.count == 0)
        try door.seeNobody()
        let second = try door.connectAgain(visitor)
        #expect(try !door.knows(second))
        _ = try door.identify(second)
        #expect(door.processes.count == 1)
        try door.seeNobody()
        #expect(try door.knows(door.connectAgain(visitor)))
    }
}
