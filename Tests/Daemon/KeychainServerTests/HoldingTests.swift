import Glibc
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import ServerTestSupport
import TestSupport
import Testing

@testable import KeychainServer

@Suite("What a connection makes a server hold is counted, and given back")
struct HoldingTests {
    private static func half(_ size: Int, id: UInt32 = 9) -> [UInt8] {
        Array(Frames.add(String(repeating: "x", count: 500_000), id: id).prefix(size))
    }

    /// A server that knows who connects: the first so many are programs with so many connections each, the others
    /// modest.
    private static func server(_ limits: ServerLimits, greedy count: Int, each: Int) throws -> RunningServer {
        let connections = Monitor(0)
        return try RunningServer(
            limits: limits,
            recognize: { _ in
                let number = connections.update { connections in
                    defer { connections += 1 }
                    return connections
                }
                let program = number < count ? "/home/greedy\(number / each)" : "/home/modest"
                return CallerIdentity(user: 1, process: 2, program: program, groups: ["group"])
            })
    }

    @Test("A large frame that was taken is not kept while the rest of the next one is owed")
    func taken() throws {
        var input = FrameInput()
        let large = Frames.add(String(repeating: "x", count: 500_000))
        let both = large + large.prefix(1)
        input.append(both.span)
        #expect(input.count == large.count + 1)
        #expect(try input.next()?.size == large.count)
        #expect(try input.next() == nil)
        #expect(input.count == 1)
        let rest = Array(large.dropFirst())
        input.append(rest.span)
        #expect(try input.next()?.size == large.count)
        #expect(input.isEmpty)
    }

    @Test("A request that waits until it is known who asks counts among what its process holds")
    func parked() throws {
        let isOpen = Monitor(false)
        var limits = ServerLimits()
        limits.heldOfProgram = 30_000
        let server = try RunningServer(
            limits: limits,
            identify: { _ throws(Refusal) in
                .slow(
                    SlowIdentification { () throws(Refusal) in
                        _ = isOpen.wait(deadline: soon) { $0 ? true : nil }
                        return IdentifiedCaller(lasting: RunningServer.caller)
                    })
            })
        let client = try server.connect()
        try client.send(Frames.add(String(repeating: "x", count: 40_000), id: 5))
        let answer = try client.receive()
        #expect(answer?.id == 5 && answer?.refusal?.subject == "memory")
        #expect(try client.isClosed())
        isOpen.update { $0 = true }
    }

    @Test("A page that took long to begin goes on for as long again, and a quick one for a millisecond")
    func slices() {
        var quick = SearchReaders.Slice(from: 1_000_000)
        #expect(!quick.isOver(at: 1_100_000) && !quick.isOver(at: 1_999_999) && quick.isOver(at: 2_000_000))
        var slow = SearchReaders.Slice(from: 1_000_000)
        #expect(!slow.isOver(at: 31_000_000) && !slow.isOver(at: 60_999_999) && slow.isOver(at: 61_000_000))
    }

    @Test("Searches of many bytes count as several of those that wait")
    func searches() throws {
        var limits = ServerLimits()
        limits.queuedSearchesOfProgram = 20
        let server = try RunningServer(limits: limits)
        server.standIn.hold([.listing])
        let clients = try (0..<4).map { _ in try server.connect() }
        try clients[0].send(Frames.item(Frames.request(.copyMatching, account: "a", limit: .all), id: 0))
        #expect(server.standIn.waits { $0.listings == [0] })
        let long = String(repeating: "x", count: 38_000)
        for id in 1...3 {
            try clients[id].send(Frames.item(Frames.request(.copyMatching, account: long, limit: .all), id: UInt32(id)))
        }
        #expect(try clients[3].receive()?.refusal?.rule == .beyondShare)
        server.standIn.release()
        for client in clients.prefix(3) { #expect(try client.receive()?.status == 0) }
    }

    @Test("A connection is closed at once, though an answer for it is still being made")
    func closes() throws {
        var limits = ServerLimits()
        limits.heldOfProgram = 30_000
        let server = try RunningServer(limits: limits)
        server.standIn.hold([.write])
        let client = try server.connect()
        try client.send(Frames.add(id: 1))
        #expect(server.standIn.waits { $0.batches == [[1]] })
        try client.send(Self.half(40_000))
        #expect(try client.receive()?.refusal?.subject == "memory")
        #expect(try client.isClosed())
        server.standIn.release()
    }

    @Test("After a search the next request is performed, though one that was sent earlier goes on")
    func afterSearch() throws {
        let server = try RunningServer()
        let client = try server.connect()
        let epoch = server.standIn.stateEpoch.value
        try client.send(Frames.device(.watch(epoch: epoch, milliseconds: 60_000), id: 1))
        #expect(try client.ask(Frames.item(Frames.request(.copyMatching, account: "a", limit: .all), id: 2))?.id == 2)
        #expect(try client.ask(Frames.search(id: 3))?.id == 3)
        server.standIn.stateEpoch.advance()
        #expect(try client.receive()?.id == 1)
    }

    @Test("Where there is no room, one that is idle is closed of whoever has more than the one that comes, however few")
    func few() throws {
        var limits = ServerLimits()
        limits.connections = 64
        let server = try Self.server(limits, greedy: 64, each: 4)
        let greedy = try (0..<64).map { _ in try server.connect() }
        for client in greedy { #expect(try client.ask(Frames.search())?.status == 0) }
        let modest = try (0..<2).map { _ in try server.connect() }
        for client in modest { #expect(try client.ask(Frames.search())?.status == 0) }
    }

    @Test("Where there is no room, connections that owe the rest of a frame keep nobody out")
    func unfinished() throws {
        var limits = ServerLimits()
        limits.connections = 4
        let server = try Self.server(limits, greedy: 4, each: 4)
        let greedy = try (0..<4).map { _ in try server.connect() }
        for client in greedy {
            #expect(try client.ask(Frames.search() + Self.half(100))?.status == 0)
        }
        #expect(try server.connect().ask(Frames.search())?.status == 0)
    }

    @Test("Programs that share a turn leave connections to those that have their own")
    func turns() throws {
        var limits = ServerLimits()
        (limits.connections, limits.connectionsOfTurn) = (8, 6)
        let connections = Monitor(0)
        let server = try RunningServer(
            limits: limits,
            recognize: { _ in
                let number = connections.update { connections in
                    defer { connections += 1 }
                    return connections
                }
                let program = number < 7 ? "/home/\(number)" : "/usr/bin/installed"
                return CallerIdentity(user: 1, process: 2, program: program, groups: ["group"])
            })
        server.standIn.hold([.device])
        let copies = try (0..<6).map { _ in try server.connect() }
        for client in copies { try client.send(Frames.device(.verify(from: .start))) }
        #expect(server.standIn.waits { $0.devices.count == 3 })
        let late = try server.connect()
        #expect(try late.ask(Frames.search())?.refusal?.subject == "connections")
        #expect(try server.connect().ask(Frames.search())?.status == 0)
        server.standIn.release()
        for client in copies { #expect(try client.receive()?.status == 0) }
    }

    @Test("Several shared turns that are full leave connections to programs that have their own")
    func sharedTurns() throws {
        var limits = ServerLimits()
        (limits.connections, limits.connectionsOfTurn, limits.connectionsOfShared) = (8, 4, 6)
        let connections = Monitor(0)
        let server = try RunningServer(
            limits: limits,
            recognize: { _ in
                let number = connections.update { connections in
                    defer { connections += 1 }
                    return connections
                }
                let isSigned = number % 2 == 0 && number < 7
                return CallerIdentity(
                    user: 1, process: 2, program: number < 7 ? "/home/\(number)" : "/usr/bin/installed",
                    provenance: isSigned ? .signed(team: "team", identifier: "program\(number)") : .unsigned,
                    groups: ["group"])
            })
        server.standIn.hold([.prompt])
        let copies = try (0..<6).map { _ in try server.connect() }
        for client in copies { try client.send(Frames.evaluation(id: 1)) }
        // Three threads are theirs; the others' requests wait.
        #expect(server.standIn.waits { $0.prompts.count >= 3 })
        #expect(try server.connect().ask(Frames.search())?.refusal?.subject == "connections")
        #expect(try server.connect().ask(Frames.search())?.status == 0)
        server.standIn.release()
        for client in copies { #expect(try client.receive()?.status == 0) }
    }
}
