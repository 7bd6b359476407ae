import CircleCarrier
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncTransports
import TestSupport
import Testing

/// A loop on a thread of its own.
private final class RunningLoop: Sendable {
    private let outcome = Monitor<Result<Void, any Error>?>(nil)
    let lines = Lock<[String]>([])
    private let thread = Lock<Thread?>(nil)

    init(_ daemon: PlayedDaemon, _ circle: CarriedCircle, over transport: (any SyncTransport)? = nil) throws {
        let positions = try #require(try daemon.positions())
        let schedule = CarrierSchedule(now: CarrierLoop.now, firstPause: 8)
        let transport = try transport ?? circle.transport(of: daemon)
        let loop = CarrierLoop(daemon, transport, positions, schedule: schedule) { [self] line in
            lines.withLock { $0.append(line) }
        }
        let started = try Thread(named: "loop") { [self] in
            let ended = Result { try loop.run() }
            outcome.update { $0 = ended }
        }
        thread.withLock { $0 = started }
    }

    /// The outcome of the loop, when it has ended.
    func end() -> Result<Void, any Error>? { outcome.wait(deadline: soon) { $0 } }
}

@Suite("A carrier goes round whenever something happens")
struct CarrierLoopTests {
    let circle: CarriedCircle
    init() throws { circle = try CarriedCircle() }

    /// Ends the loops of these daemons.
    private func leave(_ loops: [(PlayedDaemon, RunningLoop)]) throws {
        for (daemon, _) in loops { daemon.change { $0.positions = nil } }
        for (_, loop) in loops { try #require(loop.end()).get() }
    }

    @Test("A change on either machine reaches the other, without anybody asking it", .patient)
    func carries() throws {
        let loops = try [circle.one, circle.other].map { ($0, try RunningLoop($0, circle)) }
        circle.one.say("first")
        #expect(eventually { circle.other.read(circle.one) == ["first"] })
        circle.other.say("answer")
        #expect(eventually { circle.one.read(circle.other) == ["answer"] })
        circle.one.say("in its own time", isWanted: false)
        #expect(eventually { circle.other.read(circle.one).count == 2 })
        try leave(loops)
    }

    @Test("While paused, nothing is written or read; afterwards all of it is", .patient)
    func pauses() throws {
        circle.one.change { $0.positions?.isPaused = true }
        let loops = try [circle.one, circle.other].map { ($0, try RunningLoop($0, circle)) }
        #expect(eventually { circle.other.state.update { $0.looks } > 0 })
        circle.one.say("kept back")
        circle.other.say("first")
        #expect(eventually { circle.has(circle.other.slot(1)) })
        #expect(!circle.has(circle.one.slot(1)))
        #expect(circle.one.state.update { $0.looks } == 0)
        circle.one.change { $0.positions?.isPaused = false }
        #expect(eventually { circle.other.read(circle.one) == ["kept back"] })
        #expect(eventually { circle.one.read(circle.other) == ["first"] })
        try leave(loops)
    }

    @Test("A folder that comes back is found when the user asks, and its absence was told", .patient)
    func comesBack() throws {
        let place = circle.directory.path
        circle.unmount()
        let loop = try RunningLoop(circle.one, circle)
        #expect(eventually { circle.one.state.update { !$0.view.problem.isEmpty } })
        #expect(eventually { loop.lines.withLock { $0.contains { $0.contains(place) } } })
        circle.mount()
        circle.one.say("first")
        #expect(eventually { circle.has(circle.one.slot(1)) })
        #expect(circle.one.state.update { $0.view.problem.isEmpty })
        try leave([(circle.one, loop)])
    }

    @Test("A transport that cannot wait for news is looked at soon, until it can", .patient)
    func losesNews() throws {
        let server = PlayedServer(try circle.transport(of: circle.one))
        server.losses.withLock { $0 = 4 }
        let loop = try RunningLoop(circle.one, circle, over: server)
        #expect(eventually { server.losses.withLock { $0 < 0 } })
        #expect(circle.one.state.update { $0.looks } >= 4)
        try leave([(circle.one, loop)])
    }

    @Test("A daemon that has gone ends the loop with its refusal", .patient)
    func daemonGone() throws {
        let loop = try RunningLoop(circle.one, circle)
        #expect(eventually { circle.one.state.update { $0.looks } > 0 })
        circle.one.change { $0.isGone = true }
        let end = try #require(loop.end())
        #expect(throws: Refusal.played) { try end.get() }
    }

    @Test("A keychain that is in another circle, or has another place, ends the loop", .patient)
    func leaves() throws {
        for place in [nil, "/elsewhere"] {
            let daemon = PlayedDaemon(circle.circle, 4, at: circle.directory.path)
            let loop = try RunningLoop(daemon, circle)
            daemon.change { state in
                state.positions = place.map {
                    SyncPositions(number: 5, circle: circle.circle, me: daemon.me, place: $0)
                }
            }
            try #require(loop.end()).get()
        }
    }
}
