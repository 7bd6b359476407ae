import CircleCarrier
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncTransports
import TestSupport
import Testing

/// Machines of a circle in one folder.
struct CarriedCircle {
    let directory: TemporaryDirectory
    let circle = CircleID(number: 9)
    let one: PlayedDaemon
    let other: PlayedDaemon

    init() throws {
        directory = try TemporaryDirectory()
        one = PlayedDaemon(circle, 1, at: directory.path)
        other = PlayedDaemon(circle, 2, at: "folder:\(directory.path)")
        try transport(of: one).found()
    }

    func transport(of daemon: PlayedDaemon) throws -> any SyncTransport {
        let place = daemon.state.update { $0.positions?.place ?? "" }
        return try CarrierPlace.transport(place, circle: circle, me: daemon.me, secret: nil)
    }

    /// Whether the folder has a slot.
    func has(_ slot: SyncSlot) -> Bool { ((try? transport(of: one).read(slot)) ?? nil) != nil }

    /// Unmounts the disk that the folder is on, and mounts it again.
    func unmount() { #expect(unsafe rename(directory.path, away) == 0) }
    func mount() { #expect(unsafe rename(away, directory.path) == 0) }
    private var away: String { directory.path + ".away" }

    @discardableResult
    func round(_ daemon: PlayedDaemon) throws -> CarrierRound.Outcome {
        let positions = try #require(try daemon.positions())
        return try CarrierRound(daemon, try transport(of: daemon)).run(positions)
    }
}

@Suite("A carrier goes round between a daemon and a folder")
struct CarrierRoundTests {
    let circle: CarriedCircle
    init() throws { circle = try CarriedCircle() }

    @Test("What one machine says arrives at the other, in its order")
    func arrives() throws {
        for text in ["first", "second", "third"] { circle.one.say(text) }
        circle.other.say("answer")
        #expect(try circle.round(circle.one).committed == 3)
        let outcome = try circle.round(circle.other)
        #expect(outcome.taken == 3 && outcome.committed == 1 && outcome.refused == 0)
        try circle.round(circle.one)
        #expect(circle.other.read(circle.one) == ["first", "second", "third"])
        #expect(circle.one.read(circle.other) == ["answer"])
        #expect(circle.one.state.update { $0.view.ends } == [circle.one.me: 3, circle.other.me: 1])
    }

    @Test("A round with nothing new moves nothing")
    func idle() throws {
        circle.one.say("first")
        try circle.round(circle.one)
        try circle.round(circle.other)
        #expect(try circle.round(circle.one) == CarrierRound.Outcome())
        #expect(try circle.round(circle.other) == CarrierRound.Outcome())
    }

    @Test("A change is one look and one commit for its author, and one look for another machine")
    func requests() throws {
        circle.one.say("first")
        for (daemon, commits) in [(circle.one, 1), (circle.other, 0), (circle.other, 0)] {
            let server = PlayedServer(try circle.transport(of: daemon))
            _ = try CarrierRound(daemon, server).run(try #require(try daemon.positions()))
            #expect(server.looks.withLock { $0 } == 1)
            #expect(server.calls.withLock { $0 } == Array(repeating: "commit", count: commits))
        }
        #expect(circle.other.read(circle.one) == ["first"])
    }

    @Test("A batch that waits holds up no other log, and is given again in the next round")
    func waits() throws {
        let third = PlayedDaemon(circle.circle, 3, at: circle.directory.path)
        for text in ["key", "later"] { circle.one.say(text) }
        third.say("free")
        try circle.round(circle.one)
        try circle.round(third)
        circle.other.state.update { $0.waiting = [Array("key".utf8)] }
        try circle.round(circle.other)
        #expect(circle.other.read(circle.one).isEmpty && circle.other.read(third) == ["free"])
        circle.other.state.update { $0.waiting = [] }
        try circle.round(circle.other)
        #expect(circle.other.read(circle.one) == ["key", "later"])
    }

    @Test("A commit whose report was lost is found by the next look")
    func cutOff() throws {
        circle.one.say("first")
        circle.one.state.update { $0.losesReport = true }
        #expect(throws: CarrierRound.Failure.daemon(.played)) { try circle.round(circle.one) }
        #expect(circle.one.state.update { $0.view.problem } == "The daemon has gone. Start it.")
        #expect(try circle.round(circle.one).committed == 0)
        #expect(circle.one.state.update { $0.view.problem.isEmpty })
        #expect(circle.one.state.update { $0.occupied.isEmpty && $0.outgoing.isEmpty })
        try circle.round(circle.other)
        #expect(circle.other.read(circle.one) == ["first"])
    }

    @Test("A slot that has other bytes is reported with them, and nothing follows before another look")
    func occupied() throws {
        let clone = PlayedDaemon(circle.circle, 1, at: circle.directory.path)
        clone.say("of the clone")
        try circle.round(clone)
        // The folder shows the log to the first machine only after it has tried.
        for text in ["mine", "more"] { circle.one.say(text) }
        circle.one.state.update { $0.waiting = [Array("of the clone".utf8)] }
        let outcome = try circle.round(circle.one)
        #expect(outcome.committed == 0 && !outcome.hasMore)
        let told = circle.one.state.update { $0.occupied }
        #expect(told.allSatisfy { $0 == .occupied(Array("of the clone".utf8)) } && !told.isEmpty)
        #expect(circle.one.state.update { $0.looks } == told.count)
    }

    @Test("A slot that somebody else's file has does not keep the carrier busy, and is used when it is free")
    func stuck() throws {
        let slot = circle.one.slot(1)
        let folder = "\(circle.directory.path)/\(circle.circle.text)/log/\(circle.one.me.text)"
        _ = try HeldFolder(circle.directory.path).folder(circle.circle.text)?.folder("log")?
            .makeFolder(circle.one.me.text)
        #expect(unsafe mkdir("\(folder)/\(String(slot.text.suffix(16)))", 0o700) == 0)
        circle.one.say("first")
        let outcome = try circle.round(circle.one)
        #expect(!outcome.hasMore && outcome.committed == 0)
        #expect(circle.one.state.update { $0.occupied } == [.occupied(nil), .occupied(nil)])
        #expect(unsafe rmdir("\(folder)/\(String(slot.text.suffix(16)))") == 0)
        #expect(try circle.round(circle.one).committed == 1)
    }

    @Test("Parts that a machine wants are read by their names, and slots that a snapshot covers go")
    func snapshots() throws {
        let transport = try circle.transport(of: circle.one)
        for number in UInt32(0)...1 { _ = try transport.commit([UInt8(number)], in: circle.one.part(number)) }
        for text in ["first", "second"] { circle.one.say(text) }
        try circle.round(circle.one)
        let wanted = [circle.one.part(0), circle.one.part(1)]
        circle.other.state.update { $0.positions?.wanted = wanted }
        try circle.round(circle.other)
        #expect(circle.other.state.update { $0.takenParts } == wanted)
        circle.one.state.update { $0.positions?.discarding = [circle.one.slot(1)] }
        try circle.round(circle.one)
        #expect(!circle.has(circle.one.slot(1)))
        #expect(circle.one.state.update { $0.discarded } == [circle.one.slot(1)])
        #expect(circle.has(circle.one.slot(2)))
    }

    @Test("Parts that the place has not are asked for once in a round, and the round ends")
    func missingParts() throws {
        circle.other.state.update { $0.positions?.wanted = [circle.one.part(0)] }
        let outcome = try circle.round(circle.other)
        #expect(!outcome.hasMore && outcome.taken == 0)
        #expect(circle.other.state.update { $0.looks } == 1)
    }

    @Test("A folder that is not there is a problem that the daemon hears of, and nothing is made")
    func missing() throws {
        circle.one.say("first")
        try circle.round(circle.one)
        let place = circle.directory.path
        circle.unmount()
        #expect(throws: CarrierRound.Failure.self) { try circle.round(circle.one) }
        #expect(circle.one.state.update { $0.view.problem.contains(place) })
        #expect(try FileStatus(at: place) == nil)
        circle.mount()
        try circle.round(circle.one)
        #expect(circle.one.state.update { $0.view.problem.isEmpty })
    }

    @Test(
        "What is no place is refused",
        arguments: [
            "relative/path", "postgresql://me:secret@host/base", "https://key:secret@host/bucket", "", "folder:",
            "file:/tmp",
        ])
    func places(place: String) {
        #expect(throws: Refusal.self) {
            try CarrierPlace.transport(place, circle: circle.circle, me: circle.one.me, secret: nil)
        }
    }

    @Test("A server for which nothing is kept, or whose URL asks for less than TLS, is a problem that is told")
    func unusable() throws {
        let token = SecretBytes(copying: Randomness.bytes(32).span)
        for (url, secret, words) in [
            ("postgresql://me@host/base", nil, "no token"),
            ("postgresql://me@host/base", SecretBytes(count: 31), "no token"),
            ("postgresql://me@host/base?sslmode=require", token, "verify-full"),
            ("https://host/bucket", nil, "no keys"),
            ("https://host/bucket", SecretBytes(copying: Array("AKEY".utf8).span), "secret key"),
            ("https://host/bucket?verify=no", SecretBytes(copying: Array("AKEY\nSKEY".utf8).span), "authorities="),
            ("https://host/bucket?region=a:b", SecretBytes(copying: Array("AKEY\nSKEY".utf8).span), "region="),
        ] {
            let daemon = PlayedDaemon(circle.circle, 7, at: url)
            let transport = try CarrierPlace.transport(url, circle: circle.circle, me: daemon.me, secret: secret)
            let positions = try #require(try daemon.positions())
            #expect(throws: CarrierRound.Failure.self) { try CarrierRound(daemon, transport).run(positions) }
            #expect(daemon.state.update { $0.view.problem.contains(words) }, "\(url)")
        }
    }

    @Test("Removed machines are dismissed after the batch that says so, by the next round where one is cut off")
    func dismisses() throws {
        let place = PlayedServer(try circle.transport(of: circle.one))
        circle.one.say("removes")
        let (one, other) = (circle.one.me, circle.other.me)
        circle.one.state.update { $0.positions?.removed = [other] }
        circle.one.state.update { $0.positions?.members = [one] }
        let positions = try #require(try circle.one.positions())
        // This one ends between the batch and the dismissal, and the next has nothing to say.
        place.losesDismissal.withLock { $0 = true }
        #expect(throws: CarrierRound.Failure.self) { try CarrierRound(circle.one, place).run(positions) }
        #expect(place.calls.withLock { $0 } == ["commit"])
        #expect(circle.one.state.update { $0.view.problem } == "it is away")
        place.losesDismissal.withLock { $0 = false }
        let next = try #require(try circle.one.positions())
        _ = try CarrierRound(circle.one, place).run(next)
        let dismissal = "dismiss [\"\(other.text)\"] keeping [\"\(one.text)\"]"
        #expect(place.calls.withLock { $0 } == ["commit", dismissal, dismissal])
    }

    @Test("A removed machine that has filled the place is dismissed before a batch is refused")
    func dismissesFirst() throws {
        let place = PlayedServer(try circle.transport(of: circle.one))
        circle.one.say("knows of the removal")
        circle.one.state.update { $0.positions?.removed = [circle.other.me] }
        place.isFull.withLock { $0 = true }
        let positions = try #require(try circle.one.positions())
        #expect(throws: CarrierRound.Failure.self) { try CarrierRound(circle.one, place).run(positions) }
        #expect(place.calls.withLock { $0 } == ["dismiss [\"\(circle.other.me.text)\"] keeping []"])
    }

    @Test("A place that is still to be made is made by the first round that reaches it, once")
    func invited() throws {
        let server = PlayedServer(try circle.transport(of: circle.one))
        let taken = Lock(0)
        let transport = InvitedTransport(server) { taken.withLock { $0 += 1 } }
        let positions = try #require(try circle.one.positions())
        server.isAway.withLock { $0 = true }
        #expect(throws: CarrierRound.Failure.self) { try CarrierRound(circle.one, transport).run(positions) }
        #expect(taken.withLock { $0 } == 0)
        server.isAway.withLock { $0 = false }
        for _ in 1...2 { _ = try CarrierRound(circle.one, transport).run(positions) }
        #expect(taken.withLock { $0 } == 1)
        #expect(server.calls.withLock { $0.filter { $0 == "found" } } == ["found"])
    }

    @Test("An invitation into a circle is taken with the first batch: a machine that has nothing to say keeps it")
    func visits() throws {
        let server = PlayedServer(try circle.transport(of: circle.one))
        let transport = InvitedTransport(server, visitor: try circle.transport(of: circle.other)) {}
        let positions = try #require(try circle.one.positions())
        _ = try CarrierRound(circle.one, transport).run(positions)
        #expect(server.calls.withLock { $0 }.isEmpty)
        circle.one.say("its add")
        _ = try CarrierRound(circle.one, transport).run(positions)
        #expect(server.calls.withLock { $0 } == ["found", "commit"])
    }

    @Test("A visit that does not reach its place, or is refused there, keeps the invitation")
    func visitsLater() throws {
        let server = PlayedServer(try circle.transport(of: circle.one))
        let visitor = PlayedServer(try circle.transport(of: circle.other))
        let transport = InvitedTransport(server, visitor: visitor) {}
        let positions = try #require(try circle.one.positions())
        for problem in [TransportProblem.unreachable("it is away"), .refused("it is out of memory")] {
            visitor.refusesLooks.withLock { $0 = problem }
            #expect(throws: CarrierRound.Failure.transport(problem)) {
                try CarrierRound(circle.one, transport).run(positions)
            }
        }
        visitor.refusesLooks.withLock { $0 = nil }
        _ = try CarrierRound(circle.one, transport).run(positions)
        #expect(server.calls.withLock { $0 }.isEmpty)
    }

    @Test("An invitation that lets into no circle is taken for a new one by the first look")
    func visitsNowhere() throws {
        let server = PlayedServer(try circle.transport(of: circle.one))
        let visitor = PlayedServer(try circle.transport(of: circle.other))
        visitor.refusesLooks.withLock { $0 = .noEntrance("it is for a new circle") }
        let positions = try #require(try circle.one.positions())
        _ = try CarrierRound(circle.one, InvitedTransport(server, visitor: visitor) {}).run(positions)
        #expect(server.calls.withLock { $0 } == ["found"])
    }
}
