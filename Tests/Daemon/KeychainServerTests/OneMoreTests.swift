import KeychainModel
import KeychainPolicy
import KeychainServer
import KeychainWire
import LinuxSystem
import ServerTestSupport
import TestSupport
import Testing

/// The limits of what waits, each with one more than it takes; those of connections and of bytes are with the sharing
/// of them.
@Suite("One more than may wait is told so at once, and nothing else changes")
struct OneMoreTests {
    /// A server to which each connection is another program, but the first ones.
    private static func server(_ bounds: ServerLimits, firstOfOne count: Int = 1) throws -> RunningServer {
        let connections = Monitor(0)
        return try RunningServer(limits: bounds) { _ in
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

    private static func listing(_ id: UInt32) -> [UInt8] {
        Frames.item(Frames.request(.copyMatching, account: "a", limit: .all), id: id)
    }

    @Test("Watches: of a program, and of all")
    func watches() throws {
        var limits = ServerLimits()
        (limits.watchers, limits.watchersOfProgram) = (3, 2)
        let server = try Self.server(limits)
        let watch = DeviceRequest.watch(epoch: server.standIn.stateEpoch.value, milliseconds: 30_000)
        let clients = try (0..<3).map { _ in try server.connect() }
        try clients[0].send((1...3).flatMap { Frames.device(watch, id: $0) })
        let refused = try clients[0].receive()
        #expect(refused?.id == 3 && refused?.refusal?.rule == .beyondShare)
        #expect(try clients[1].ask(Frames.device(watch, id: 4) + Frames.search(id: 5))?.id == 5)
        #expect(try clients[2].ask(Frames.device(watch, id: 6))?.refusal?.rule == .unavailable)
        #expect(try clients[0].ask(Frames.search(id: 7))?.id == 7)
    }

    @Test("Watches of groups: of a program, and of all")
    func groups() throws {
        var limits = ServerLimits()
        (limits.groupWatchers, limits.groupWatchersOfProgram) = (3, 2)
        let server = try Self.server(limits)
        let watch = DeviceRequest.watchGroups(
            GroupWatch([GroupNumber(group: "group", number: 7)], milliseconds: 30_000))
        let clients = try (0..<3).map { _ in try server.connect() }
        try clients[0].send((1...2).flatMap { Frames.device(watch, id: $0) })
        // Both were looked at, and wait on.
        #expect(server.standIn.waits { $0.looks == 2 })
        #expect(try clients[0].ask(Frames.search(id: 3))?.id == 3)
        let refused = try clients[0].ask(Frames.device(watch, id: 4))
        #expect(refused?.id == 4 && refused?.refusal?.rule == .beyondShare)
        try clients[1].send(Frames.device(watch, id: 5))
        #expect(server.standIn.waits { $0.looks == 3 })
        #expect(try clients[1].ask(Frames.search(id: 6))?.id == 6)
        #expect(try clients[2].ask(Frames.device(watch, id: 7))?.refusal?.rule == .unavailable)
    }

    @Test("Watches of groups count while they are looked at, so that a change makes room for no more")
    func groupsUnderWay() throws {
        var limits = ServerLimits()
        limits.groupWatchersOfProgram = 2
        let server = try Self.server(limits)
        let watch = DeviceRequest.watchGroups(
            GroupWatch([GroupNumber(group: "group", number: 7)], milliseconds: 30_000))
        let client = try server.connect()
        try client.send((1...2).flatMap { Frames.device(watch, id: $0) })
        #expect(server.standIn.waits { $0.looks == 2 })
        server.standIn.hold([.look])
        server.standIn.change("another")
        #expect(server.standIn.waits { $0.begunLooks == 3 })
        let refused = try client.ask(Frames.device(watch, id: 3) + Frames.search(id: 4))
        #expect(refused?.id == 3 && refused?.refusal?.rule == .beyondShare)
        server.standIn.release()
        server.standIn.change("group")
        #expect(Set([try client.receive()?.id, try client.receive()?.id, try client.receive()?.id]) == [1, 2, 4])
    }

    @Test("Watches of groups: programs in places that a user may write to leave room for others")
    func groupsOfTurn() throws {
        var limits = ServerLimits()
        (limits.groupWatchers, limits.groupWatchersOfTurn) = (3, 2)
        let server = try Self.server(limits)
        let watch = DeviceRequest.watchGroups(
            GroupWatch([GroupNumber(group: "group", number: 7)], milliseconds: 30_000))
        let clients = try (0..<3).map { _ in try server.connect() }
        for (index, client) in clients.prefix(2).enumerated() {
            try client.send(Frames.device(watch, id: 1))
            #expect(server.standIn.waits { $0.looks == index + 1 })
        }
        #expect(try clients[2].ask(Frames.device(watch, id: 1))?.refusal?.rule == .unavailable)
        server.standIn.change("group")
        for client in clients.prefix(2) { #expect(try client.receive()?.id == 1) }
        try clients[2].send(Frames.device(watch, id: 2))
        #expect(server.standIn.waits { $0.looks == 5 })
    }

    @Test("Enclave keys: of a program, and of all")
    func keys() throws {
        var limits = ServerLimits()
        (limits.keyWorkers, limits.queuedKeys, limits.queuedKeysOfProgram) = (1, 3, 2)
        let server = try Self.server(limits)
        server.standIn.hold([.key])
        let clients = try (0..<3).map { _ in try server.connect() }
        try clients[0].send(Frames.key(id: 1))
        #expect(server.standIn.waits { $0.keys.count == 1 })
        try clients[0].send((2...4).flatMap { Frames.key(id: $0) })
        let refused = try clients[0].receive()
        #expect(refused?.id == 4 && refused?.refusal?.rule == .beyondShare)
        #expect(try clients[1].ask(Frames.key(id: 5) + Frames.search(id: 6))?.id == 6)
        #expect(try clients[2].ask(Frames.key(id: 7))?.refusal?.rule == .unavailable)
        server.standIn.release()
        #expect(try (1...3).map { _ in try clients[0].receive()?.id } == [1, 2, 3])
        #expect(try clients[1].receive()?.id == 5)
    }

    @Test("Searches: of a program, and of all")
    func searches() throws {
        var limits = ServerLimits()
        (limits.searchWorkers, limits.queuedSearches, limits.queuedSearchesOfProgram) = (1, 3, 2)
        let server = try Self.server(limits, firstOfOne: 4)
        server.standIn.hold([.listing])
        let clients = try (0..<6).map { _ in try server.connect() }
        try clients[0].send(Self.listing(0))
        #expect(server.standIn.waits { $0.listings == [0] })
        // Requests over connections are looked at in the order in which they came.
        for number in 1...2 { try clients[number].send(Self.listing(UInt32(number))) }
        #expect(try clients[3].ask(Self.listing(3))?.refusal?.rule == .beyondShare)
        try clients[4].send(Self.listing(4))
        #expect(try clients[5].ask(Self.listing(5))?.refusal?.rule == .unavailable)
        server.standIn.release()
        for number in [0, 1, 2, 4] { #expect(try clients[number].receive()?.id == UInt32(number)) }
    }

    @Test("Bytes of writes: of a program")
    func writes() throws {
        var limits = ServerLimits()
        (limits.queuedWrites, limits.queuedWritesOfProgram) = (100_000, 10_000)
        let server = try Self.server(limits)
        let clients = try (0..<2).map { _ in try server.connect() }
        let large = String(repeating: "x", count: 20_000)
        #expect(try clients[0].ask(Frames.add(large, id: 1))?.refusal?.rule == .beyondShare)
        #expect(try clients[0].ask(Frames.add(id: 2))?.status == 0)
        #expect(server.standIn.record.batches == [[2]])
    }
}
