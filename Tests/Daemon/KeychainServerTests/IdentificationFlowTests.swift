import KeychainModel
import KeychainPolicy
import KeychainServer
import KeychainWire
import LinuxSystem
import ServerTestSupport
import TestSupport
import Testing

@Suite("A caller whose program is read for the first time waits, and holds up nobody else")
struct IdentificationFlowTests {
    /// A registry whose first callers take until they are let go.
    private final class Door: Sendable {
        private let state = Monitor((isOpen: false, asked: 0, begun: 0))
        let outcome: Result<CallerIdentity, Refusal>

        init(_ outcome: Result<CallerIdentity, Refusal> = .success(RunningServer.caller)) { self.outcome = outcome }

        /// Slow for the first callers, at once for those after.
        func identify(slow count: Int) -> Registry.Identify {
            { [self] _ throws(Refusal) in
                let number = state.update { state in
                    state.asked += 1
                    return state.asked
                }
                guard number <= count else { return .known(IdentifiedCaller(lasting: RunningServer.caller)) }
                return .slow(SlowIdentification { [self] () throws(Refusal) in try pass() })
            }
        }

        private func pass() throws(Refusal) -> IdentifiedCaller {
            state.update { $0.begun += 1 }
            _ = state.wait(deadline: soon) { $0.isOpen ? true : nil }
            return IdentifiedCaller(lasting: try outcome.get())
        }

        func open() { state.update { $0.isOpen = true } }
        var asked: Int { state.update { $0.asked } }
        /// Waits until so many are being identified.
        func waits(for count: Int) -> Bool { state.wait(deadline: soon) { $0.begun >= count ? true : nil } ?? false }
    }

    @Test("Others are served meanwhile; what the caller has sent is answered afterwards, in its order")
    func holdsUpNobody() throws {
        let door = Door()
        let server = try RunningServer(identify: door.identify(slow: 1))
        let (slow, other) = (try server.connect(), try server.connect())
        try slow.send(Frames.search(id: 1) + Frames.add(id: 2) + Frames.search(id: 3))
        #expect(door.waits(for: 1))
        for id: UInt32 in 10...12 { #expect(try other.ask(Frames.search(id: id))?.id == id) }
        #expect(try other.ask(Frames.add(id: 13))?.id == 13)
        #expect(server.standIn.record.searches == [10, 11, 12])
        door.open()
        #expect(Set(try (0..<3).map { _ in try slow.receive()?.id }) == [1, 2, 3])
        #expect(try slow.ask(Frames.search(id: 4))?.id == 4)
        #expect(server.standIn.record.searches == [10, 11, 12, 1, 3, 4])
        #expect(door.asked == 2)
    }

    @Test("A caller that goes away meanwhile is forgotten, and nothing is done for it")
    func goesAway() throws {
        let door = Door()
        let server = try RunningServer(identify: door.identify(slow: 1))
        do {
            let slow = try server.connect()
            try slow.send(Frames.search(id: 1) + Frames.add(id: 2))
            #expect(door.waits(for: 1))
        }
        let other = try server.connect()
        let hasGone = try eventually {
            try other.ask(Frames.search(id: 9))?.id == 9 && server.server.connections == 1
        }
        #expect(hasGone)
        door.open()
        #expect(try other.ask(Frames.add(id: 10))?.id == 10)
        server.stop()
        #expect(!server.standIn.record.searches.contains(1) && server.standIn.record.batches == [[10]])
    }

    @Test("What the identification is refused with, the request is; the next request asks again")
    func refusal() throws {
        let refusal = Refusal(.missingEntitlement, .init(rawValue: "code.changed"), "signature", "No.", do: "Sign it.")
        let door = Door(.failure(refusal))
        door.open()
        let server = try RunningServer(identify: door.identify(slow: 2))
        let client = try server.connect()
        for id: UInt32 in 1...2 {
            let answer = try #require(try client.ask(Frames.search(id: id)))
            #expect(answer.id == id && answer.refusal == refusal)
        }
        #expect(try client.ask(Frames.search(id: 3))?.status == 0)
        #expect(door.asked == 3)
    }

    @Test("Files that came with the request wait with it")
    func descriptors() throws {
        let door = Door()
        let server = try RunningServer(identify: door.identify(slow: 1))
        let client = try server.connect()
        let passcode = try FileDescriptor.holding("secret")
        try client.send(Frames.device(.unlock, id: 1, descriptors: 1), attaching: [passcode])
        #expect(door.waits(for: 1))
        door.open()
        #expect(try client.receive()?.status == 0)
        #expect(server.standIn.record.passcodes == ["secret"])
    }

    @Test("A request whose time is over when it is known who asks is not performed")
    func deadline() throws {
        let door = Door()
        let server = try RunningServer(identify: door.identify(slow: 1))
        let (slow, other) = (try server.connect(), try server.connect())
        try slow.send(Frames.add(id: 1, deadline: 1))
        #expect(door.waits(for: 1))
        let start = Clock.monotonicNanoseconds
        while Clock.monotonicNanoseconds - start < 3_000_000 { _ = try other.ask(Frames.search(id: 2)) }
        door.open()
        #expect(try slow.receive()?.refusal?.rule == .deadline)
        #expect(server.standIn.record.batches.isEmpty)
    }

    @Test("So many callers may wait to be identified; the next one is told that there are too many")
    func isBounded() throws {
        var limits = ServerLimits()
        (limits.identityWorkers, limits.queuedIdentities) = (1, 1)
        let door = Door()
        let server = try RunningServer(limits: limits, identify: door.identify(slow: 3))
        let clients = try (0..<3).map { _ in try server.connect() }
        try clients[0].send(Frames.search(id: 1))
        #expect(door.waits(for: 1))
        try clients[1].send(Frames.search(id: 2))
        #expect(eventually { door.asked >= 2 })
        #expect(try clients[2].ask(Frames.search(id: 3))?.refusal?.rule == .unavailable)
        door.open()
        for client in clients.prefix(2) { #expect(try client.receive()?.status == 0) }
    }

    @Test("A caller that may be known does not wait behind others that are not")
    func isRecognized() throws {
        let (asked, open) = (Monitor(0), Monitor<[SlowIdentification.Delivery]>([]))
        let unknown = Result<IdentifiedCaller, Refusal>.failure(.malformed("a caller that is not known"))
        let most = ServerLimits().identitiesOfTurn
        let server = try RunningServer(identify: { _ in
            let number = asked.update { count in
                count += 1
                return count
            }
            // The answers about the first ones come when the test ends.
            if number <= most {
                return .slow(SlowIdentification(asking: { deliver in open.update { $0.append(deliver) } }))
            }
            let known = number == most + 1 ? IdentifiedCaller(lasting: RunningServer.caller) : nil
            return .slow(SlowIdentification(asking: { $0(unknown) }, recognition: { deliver in deliver(known) }))
        })
        defer { for deliver in open.update({ $0 }) { deliver(unknown) } }
        let clients = try (0..<most + 2).map { _ in try server.connect() }
        for client in clients.prefix(most) { try client.send(Frames.search(id: 1)) }
        #expect(asked.wait(deadline: soon) { $0 == most ? true : nil } == true)
        #expect(try clients[most].ask(Frames.search(id: 2))?.status == 0)
        try clients[most + 1].send(Frames.search(id: 3))
        #expect(asked.wait(deadline: soon) { $0 == most + 2 ? true : nil } == true)
        #expect(try clients[most].ask(Frames.search(id: 4))?.status == 0)
        // A worker asks a moment after it was told to.
        #expect(open.wait(deadline: soon) { $0.count >= most ? $0.count : nil } == most)
        #expect(server.standIn.record.searches == [2, 4])
    }

    @Test("A part of the next request may be on its way as long as the caller is being identified")
    func partialFrame() throws {
        var limits = ServerLimits()
        limits.stall = 20
        let door = Door()
        let server = try RunningServer(limits: limits, identify: door.identify(slow: 1))
        let (slow, other) = (try server.connect(), try server.connect())
        let next = Frames.search(id: 2)
        try slow.send(Frames.search(id: 1) + next.prefix(10))
        #expect(door.waits(for: 1))
        let start = Clock.monotonicNanoseconds
        while Clock.monotonicNanoseconds - start < 60_000_000 { _ = try other.ask(Frames.search(id: 9)) }
        try slow.send(Array(next.dropFirst(10)))
        door.open()
        #expect(try (0..<2).map { _ in try slow.receive()?.id } == [1, 2])
    }

    @Test("A server that stops finishes what waits for an identification")
    func stops() throws {
        let door = Door()
        let server = try RunningServer(identify: door.identify(slow: 1))
        let client = try server.connect()
        try client.send(Frames.search(id: 1))
        #expect(door.waits(for: 1))
        let opener = try Thread(named: "opener") { door.open() }
        server.stop()
        opener.join()
        #expect(try client.receive()?.id == 1)
    }

    @Test("What a program file would be given is asked of who identifies callers, and not of the engine")
    func examination() throws {
        let server = try RunningServer()
        let client = try server.connect()
        let file = try FileDescriptor.holding("a program")
        let answer = try #require(
            try client.ask(Frames.device(.examine, id: 1, descriptors: 1), attaching: [file]))
        var reader = WireReader(answer.body)
        _ = try reader.notice()
        #expect(try CallerReport(from: &reader).program == "a program")
        #expect(server.standIn.record.devices.isEmpty)
    }
}
