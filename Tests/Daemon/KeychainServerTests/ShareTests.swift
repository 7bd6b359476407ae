import Glibc
import KeychainModel
import KeychainPolicy
import KeychainServer
import KeychainWire
import LinuxSystem
import ServerTestSupport
import Synchronization
import TestSupport
import Testing

@Suite("Every program has its share, and is told when it is over")
struct ShareTests {
    /// A server that takes the first connections for one program and those that come later for others, each for its
    /// own.
    private static func server(_ limits: ServerLimits, firstOfOne count: Int) throws -> RunningServer {
        let connections = Monitor(0)
        return try RunningServer(limits: limits) { _ in
            let number = connections.update { connections in
                connections += 1
                return connections
            }
            let program = number <= count ? "/home/greedy" : "/home/modest\(number)"
            return .known(
                IdentifiedCaller(
                    lasting: CallerIdentity(user: 1, process: 2, program: program, groups: ["group"])))
        }
    }

    @Test("A listing is read on a thread of its own and holds up no lookup, not even one of its own program")
    func listings() throws {
        let server = try RunningServer()
        server.standIn.hold([.listing])
        let (greedy, modest) = (try server.connect(), try server.connect())
        let listing = Frames.item(Frames.request(.copyMatching, account: "a", limit: .all), id: 7)
        try greedy.send(listing)
        #expect(server.standIn.waits { $0.listings == [7] })
        #expect(try modest.ask(Frames.search(id: 8))?.id == 8)
        #expect(try modest.ask(Frames.add(id: 9))?.id == 9)
        server.standIn.release()
        #expect(try greedy.receive()?.id == 7)
    }

    @Test("A lookup that takes too long is begun anew on a thread of its own, and so are its program's next ones")
    func slowLookup() throws {
        let server = try RunningServer()
        let client = try server.connect()
        #expect(try client.ask(Frames.search("quick", id: 1))?.status == 0)
        #expect(try client.ask(Frames.search("slow", id: 2))?.status == 0)
        #expect(try client.ask(Frames.search("quick", id: 3))?.status == 0)
        #expect(server.standIn.record.searches == [1] && server.standIn.record.listings == [2, 3])
    }

    @Test("A lookup that is late once is tried once more, and its program's next ones stay on the loop")
    func lateLookup() throws {
        let server = try RunningServer()
        let client = try server.connect()
        for id in 1...2 { #expect(try client.ask(Frames.search("late", id: UInt32(id)))?.status == 0) }
        #expect(server.standIn.record.searches == [1, 2] && server.standIn.record.listings.isEmpty)
    }

    @Test("A search that has found nothing goes on in turns while another of its program waits, and is answered once")
    func turns() throws {
        let server = try Self.server(ServerLimits(), firstOfOne: 2)
        let clients = try (0..<2).map { _ in try server.connect() }
        for client in clients { #expect(try client.ask(Frames.search(id: 9))?.status == 0) }
        let long = Frames.item(Frames.request(.copyMatching, account: "long", limit: .all), id: 1)
        try clients[0].send(long)
        #expect(server.standIn.waits { $0.listings == [1] })
        let other = Frames.item(Frames.request(.copyMatching, account: "a", limit: .all), id: 2)
        try clients[1].send(other)
        #expect(try clients[0].receive()?.id == 1)
        #expect(try clients[1].receive()?.id == 2)
        // The other had its turn between the first and the second of the long one.
        #expect(server.standIn.record.listings == [1, 2, 1])
        #expect(server.standIn.record.places == [0, 0, 1])
    }

    @Test("One program's listings leave a thread for those of others")
    func listingsOfOthers() throws {
        let server = try Self.server(ServerLimits(), firstOfOne: 4)
        server.standIn.hold([.listing])
        let greedy = try (0..<4).map { _ in try server.connect() }
        for (id, client) in greedy.enumerated() {
            try client.send(Frames.item(Frames.request(.copyMatching, account: "a", limit: .all), id: UInt32(id)))
            // Until it is known whose it is.
            #expect(try client.isServed(at: server, besides: id))
        }
        let modest = try server.connect()
        try modest.send(Frames.item(Frames.request(.copyMatching, account: "a", limit: .all), id: 50))
        #expect(server.standIn.waits { $0.listings.contains(50) && $0.listings.count == 2 })
        server.standIn.release()
        #expect(try modest.receive()?.id == 50)
        for client in greedy { #expect(try client.receive()?.status == 0) }
    }

    @Test("Nobody searches for a connection that has gone")
    func goneListings() throws {
        let server = try RunningServer()
        server.standIn.hold([.listing])
        let first = try server.connect()
        try first.send(Frames.item(Frames.request(.copyMatching, account: "a", limit: .all), id: 1))
        #expect(server.standIn.waits { $0.listings == [1] })
        do {
            let gone = try server.connect()
            // The answer of the write shows that the listing is waiting.
            try gone.send(
                Frames.add(id: 2) + Frames.item(Frames.request(.copyMatching, account: "a", limit: .all), id: 3))
            #expect(try gone.receive()?.id == 2)
        }
        #expect(eventually { server.server.connections == 1 })
        server.standIn.release()
        #expect(try first.ask(Frames.search(id: 4)) != nil)
        let last = Frames.item(Frames.request(.copyMatching, account: "a", limit: .all), id: 5)
        #expect(try server.connect().ask(last)?.id == 5)
        #expect(server.standIn.record.listings == [1, 5])
    }

    @Test("A commit has so many writes of one program, and those of others beside them")
    func commits() throws {
        var limits = ServerLimits()
        limits.commitOfProgram = 3
        let server = try Self.server(limits, firstOfOne: 10)
        server.standIn.hold([.write])
        let greedy = try (0..<10).map { _ in try server.connect() }
        for (id, client) in greedy.enumerated() {
            #expect(try client.ask(Frames.search())?.status == 0)
            try client.send(Frames.add(id: UInt32(id)))
        }
        #expect(server.standIn.waits { !$0.batches.isEmpty })
        let modest = try server.connect()
        #expect(try modest.ask(Frames.search())?.status == 0)
        try modest.send(Frames.add(id: 99))
        #expect(try modest.ask(Frames.search(id: 98))?.id == 98)
        server.standIn.release()
        #expect(try modest.receive()?.id == 99)
        for client in greedy { #expect(try client.receive()?.status == 0) }
        let batches = server.standIn.record.batches
        let own = try #require(batches.firstIndex { $0.contains(99) })
        #expect(own == 1)
        #expect(batches.allSatisfy { batch in batch.count { $0 != 99 } <= 3 })
    }

    @Test("A large write has a commit of its own")
    func largeWrites() throws {
        var limits = ServerLimits()
        limits.largeWrite = 1000
        let server = try RunningServer(limits: limits)
        server.standIn.hold([.write])
        let clients = try (0..<4).map { _ in try server.connect() }
        try clients[0].send(Frames.add(id: 0))
        #expect(server.standIn.waits { !$0.batches.isEmpty })
        try clients[1].send(Frames.add(String(repeating: "x", count: 2000), id: 1))
        #expect(try clients[1].ask(Frames.search(id: 11))?.id == 11)
        for id in 2...3 { try clients[id].send(Frames.add(id: UInt32(id))) }
        for id in 2...3 { #expect(try clients[id].ask(Frames.search(id: 10))?.id == 10) }
        server.standIn.release()
        for client in clients { #expect(try client.receive()?.status == 0) }
        #expect(server.standIn.record.batches == [[0], [1], [2, 3]])
    }

    @Test("A program that has all the connections it may have is told so, and served again when it closes one")
    func connections() throws {
        var limits = ServerLimits()
        limits.connectionsOfProgram = 3
        let server = try Self.server(limits, firstOfOne: 5)
        var clients = try (0..<3).map { _ in try server.connect() }
        for client in clients { #expect(try client.ask(Frames.search())?.status == 0) }
        let late = try server.connect()
        #expect(try late.ask(Frames.search(id: 4))?.refusal?.rule == .beyondShare)
        #expect(try late.isClosed())
        clients.removeLast()
        #expect(eventually { server.server.connections == 2 })
        #expect(try server.connect().ask(Frames.search(id: 5))?.status == 0)
        // Another program's is served all the time.
        #expect(try server.connect().ask(Frames.search(id: 6))?.status == 0)
        for client in clients { #expect(try client.ask(Frames.search())?.status == 0) }
    }

    @Test("A connection beyond the share that asks for nothing is closed soon; of many, those beyond a few are at once")
    func excess() throws {
        var limits = ServerLimits()
        (limits.connectionsOfProgram, limits.excessOfProgram, limits.excessTime) = (2, 1, 50)
        let server = try RunningServer(limits: limits, recognize: { _ in RunningServer.caller })
        let clients = try (0..<5).map { _ in try server.connect() }
        for client in clients.dropFirst(2) { #expect(try client.isClosed()) }
        for client in clients.prefix(2) { #expect(try client.ask(Frames.search())?.status == 0) }
    }

    @Test("Where there is no room, what has been idle for longest of the program that has most is closed for others")
    func makesWay() throws {
        var limits = ServerLimits()
        limits.connections = 8
        let server = try Self.server(limits, firstOfOne: 7)
        let greedy = try (0..<7).map { _ in try server.connect() }
        for client in greedy { #expect(try client.ask(Frames.search())?.status == 0) }
        #expect(try greedy[0].ask(Frames.search())?.status == 0)
        let others = try (0..<3).map { _ in try server.connect() }
        for other in others { #expect(try other.ask(Frames.search())?.status == 0) }
        for client in greedy[1...2] { #expect(try client.isClosed()) }
        for client in [greedy[0]] + greedy[3...] { #expect(try client.ask(Frames.search())?.status == 0) }
    }

    @Test("Where there is no room and nothing is idle, who comes is told so; what is under way goes on")
    func isFull() throws {
        var limits = ServerLimits()
        limits.connections = 2
        let server = try RunningServer(limits: limits)
        server.standIn.hold([.device])
        let clients = try (0..<2).map { _ in try server.connect() }
        for client in clients { try client.send(Frames.device(.verify(from: .start))) }
        #expect(server.standIn.waits { $0.devices.count == 2 })
        let late = try server.connect()
        let refusal = try late.ask(Frames.search(id: 3))?.refusal
        #expect(refusal?.rule == .unavailable && refusal?.subject == "connections")
        server.standIn.release()
        for client in clients { #expect(try client.receive()?.status == 0) }
    }

    @Test("100 programs with up to 100 connections each are served, all at once")
    func manyPrograms() throws {
        let next = Atomic(0)
        let server = try RunningServer(recognize: { _ in
            let number = next.add(1, ordering: .relaxed).oldValue
            return CallerIdentity(user: 1, process: 2, program: "/home/\(number % 100)", groups: ["group"])
        })
        // The descriptors that this process may open decide how many of them there are: two each, and a quarter for
        // all else.
        let count = min(full(10_000, gate: 300), try Self.openFiles() / 8 * 3)
        let clients = try (0..<count).map { _ in try server.connect() }
        for client in clients { try client.send(Frames.search()) }
        for client in clients { #expect(try client.receive()?.status == 0) }
        #expect(server.server.connections == count)
    }

    private static func openFiles() throws -> Int {
        var limit = rlimit()
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        unsafe getrlimit(resource, &limit)
        limit.rlim_cur = limit.rlim_max
        unsafe setrlimit(resource, &limit)
        return Int(clamping: limit.rlim_cur)
    }

    @Test("Who fills its share of the buffers with an unfinished frame is told so and closed; others are served")
    func heldOfProgram() throws {
        var limits = ServerLimits()
        limits.heldOfProgram = 30_000
        let server = try Self.server(limits, firstOfOne: 2)
        let half = Frames.add(String(repeating: "x", count: 500_000), id: 9).prefix(20_000)
        let clients = try (0..<3).map { _ in try server.connect() }
        // The answer shows that what was sent together with the search is in the buffers.
        for client in clients { #expect(try client.ask(Frames.search() + half)?.status == 0) }
        let refused = try Self.firstAnswered(of: clients)
        let answer = try clients[refused].receive()
        #expect(refused < 2 && answer?.id == 9 && answer?.refusal?.subject == "memory")
        #expect(try clients[refused].isClosed())
        for other in clients.indices where other != refused { #expect(try clients[other].receiveIfAny() == nil) }
    }

    /// Waits for an answer that must come to one of some connections; which one it is.
    private static func firstAnswered(of clients: [RawClient]) throws -> Int {
        var found: Int?
        eventually {
            found = clients.firstIndex {
                (try? $0.socket.descriptor.wait(for: .readable, deadline: .now)) != nil
            }
            return found != nil
        }
        return try #require(found)
    }

    @Test("Who fills everybody's buffers is closed; others are served")
    func held() throws {
        var limits = ServerLimits()
        limits.held = 30_000
        let server = try Self.server(limits, firstOfOne: 2)
        let half = Frames.add(String(repeating: "x", count: 500_000), id: 9).prefix(20_000)
        let clients = try (0..<2).map { _ in try server.connect() }
        for client in clients { #expect(try client.ask(Frames.search() + half)?.status == 0) }
        let refused = try Self.firstAnswered(of: clients)
        #expect(try clients[refused].receive()?.id == 9)
        #expect(try clients[1 - refused].receiveIfAny() == nil)
        #expect(try server.connect().ask(Frames.search())?.status == 0)
    }

    @Test("A program that has too many device requests waiting is told so, and another one's is performed meanwhile")
    func device() throws {
        var limits = ServerLimits()
        (limits.workers, limits.queuedDeviceOfProgram) = (4, 2)
        let server = try Self.server(limits, firstOfOne: 1)
        server.standIn.hold([.device])
        let greedy = try server.connect()
        try greedy.send((1...2).flatMap { Frames.device(.verify(from: .start), id: $0) })
        #expect(server.standIn.waits { $0.devices.count == 2 })
        // Two are under way, two wait.
        try greedy.send((3...5).flatMap { Frames.device(.verify(from: .start), id: $0) })
        let refused = try greedy.receive()
        #expect(refused?.id == 5 && refused?.refusal?.rule == .beyondShare)
        let modest = try server.connect()
        try modest.send(Frames.device(.verify(from: .start), id: 9))
        #expect(server.standIn.waits { $0.devices.count == 3 })
        #expect(server.standIn.record.deviceCallers.map(\.program).last != "/home/greedy")
        server.standIn.release()
        #expect(try modest.receive()?.id == 9)
        for _ in 1...4 { #expect(try greedy.receive()?.status == 0) }
    }

    @Test("A program's prompts leave a thread for another's")
    func prompts() throws {
        var limits = ServerLimits()
        (limits.promptWorkers, limits.queuedPromptsOfProgram) = (4, 2)
        let server = try Self.server(limits, firstOfOne: 1)
        server.standIn.hold([.prompt])
        let greedy = try server.connect()
        try greedy.send((1...2).flatMap { Frames.evaluation(id: $0) })
        #expect(server.standIn.waits { $0.prompts.count == 2 })
        try greedy.send((3...5).flatMap { Frames.evaluation(id: $0) })
        let refused = try greedy.receive()
        #expect(refused?.id == 5 && refused?.refusal?.rule == .beyondShare)
        let modest = try server.connect()
        try modest.send(Frames.evaluation(id: 9))
        #expect(server.standIn.waits { $0.prompts.count == 3 && $0.prompts.last == 9 })
        server.standIn.release()
        #expect(try modest.receive()?.id == 9)
    }

    @Test("Passcodes that never come through their pipes hold up neither the lock nor the state")
    func pipes() throws {
        let server = try RunningServer()
        let (client, other) = (try server.connect(), try server.connect())
        var ends: (reading: FileDescriptor, writing: FileDescriptor)? = try Self.pipe()
        let reading = try #require(ends?.reading)
        for id in 1...8 {
            try client.send(Frames.device(.unlock, id: UInt32(id), descriptors: 1), attaching: [reading])
        }
        #expect(try other.ask(Frames.device(.lock, id: 20))?.status == 0)
        #expect(try other.ask(Frames.device(.status, id: 21))?.status == 0)
        #expect(server.standIn.record.devices == [.lock, .status])
        // Waiting connections go on, to nobody's harm.
        ends = nil
    }

    @Test("A passcode is passed on when its pipe is closed, and refused when it is not in time")
    func pipeEnds() throws {
        var limits = ServerLimits()
        limits.pipe = 100
        let server = try RunningServer(limits: limits)
        let client = try server.connect()
        let (late, open) = try Self.pipe()
        let refused = try client.ask(Frames.device(.unlock, id: 1, descriptors: 1), attaching: [late])
        #expect(refused?.refusal?.rule == .deadline && refused?.refusal?.subject == "passcode")
        #expect(server.standIn.record.devices.isEmpty)
        withExtendedLifetime(open) {}
        let timely = try Self.pipe().0
        #expect(try client.ask(Frames.device(.unlock, id: 2, descriptors: 1), attaching: [timely])?.status == 0)
        #expect(server.standIn.record.devices == [.unlock])
    }

    private static func pipe() throws -> (FileDescriptor, FileDescriptor) {
        var ends: [CInt] = [0, 0]
        try #require(unsafe Glibc.pipe(&ends) == 0)
        return (FileDescriptor(owning: ends[0]), FileDescriptor(owning: ends[1]))
    }
}

extension RawClient {
    /// The next answer, if one has come or the connection was closed; nil otherwise.
    fileprivate func receiveIfAny() throws -> Answer? {
        do throws(SystemError) {
            try socket.descriptor.wait(for: .readable, deadline: .after(milliseconds: 100))
        } catch { return nil }
        return try receive()
    }

    /// Waits until the server knows who so many clients are.
    fileprivate func isServed(at server: RunningServer, besides count: Int) throws -> Bool {
        eventually { server.identifications > count }
    }
}
