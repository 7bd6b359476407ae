import Glibc
import KeychainModel
import KeychainServer
import KeychainWire
import LinuxSystem
import ServerTestSupport
import TestSupport
import Testing

@Suite("Writes share commits and have deadlines")
struct CommitTests {
    @Test("Writes that come while a commit is under way share the next one")
    func groups() throws {
        let server = try RunningServer()
        let clients = try Self.holdingFirst(of: 16, at: server)
        server.standIn.release()
        for client in clients { #expect(try client.receive()?.status == 0) }
        let batches = server.standIn.record.batches
        #expect(batches.map(\.count) == [1, 15])
        #expect(Set(batches[1]) == Set((1..<16).map { UInt32($0) }))
    }

    @Test("A write whose deadline passes while it waits is refused with keychain.deadline and not performed")
    func expires() throws {
        let server = try RunningServer()
        let clients = try Self.holdingFirst(of: 2, at: server, deadline: 1)
        #expect(throws: SystemError(code: ETIMEDOUT, call: "poll")) {
            try clients[1].socket.descriptor.wait(for: .readable, deadline: .after(milliseconds: 10))
        }
        server.standIn.release()
        #expect(try clients[1].receive()?.refusal?.rule == .deadline)
        #expect(server.standIn.record.batches == [[0]])
    }

    @Test("A deletion whose program has gone is not performed; what it wanted to add is added")
    func abandons() throws {
        let server = try RunningServer()
        let first = try Self.holdingFirst(of: 1, at: server)[0]
        var gone = [try server.connect()]
        let frames = Frames.add(id: 1) + Frames.item(Frames.request(.delete, account: "a"), id: 2)
        #expect(try gone[0].ask(frames + Frames.search(id: 3))?.id == 3)
        gone.removeAll()
        #expect(eventually { server.server.connections == 1 })
        server.standIn.release()
        #expect(try first.receive()?.status == 0)
        #expect(try first.ask(Frames.add(id: 4))?.status == 0)
        #expect(server.standIn.record.batches.flatMap(\.self) == [0, 1, 4])
    }

    @Test("A device request whose deadline passes while it waits is refused and not performed")
    func expiresDevice() throws {
        var limits = ServerLimits()
        limits.workers = 1
        let server = try RunningServer(limits: limits)
        server.standIn.hold([.device])
        let client = try server.connect()
        try client.send(Frames.device(.snapshot, id: 1))
        #expect(server.standIn.waits { !$0.devices.isEmpty })
        try client.send(Frames.device(.verify(from: .start), id: 2, deadline: 1))
        #expect(try client.ask(Frames.search(id: 3))?.id == 3)
        #expect(throws: SystemError(code: ETIMEDOUT, call: "poll")) {
            try client.socket.descriptor.wait(for: .readable, deadline: .after(milliseconds: 10))
        }
        server.standIn.release()
        #expect(try client.receive()?.id == 1)
        #expect(try client.receive()?.refusal?.rule == .deadline)
        #expect(server.standIn.record.devices == [.snapshot])
    }

    @Test("Writes beyond what may wait are refused and not performed; so are device requests")
    func boundsQueues() throws {
        var limits = ServerLimits()
        (limits.queuedWrites, limits.queuedDevice, limits.workers) = (10_000, 1, 1)
        let server = try RunningServer(limits: limits)
        let client = try Self.holdingFirst(of: 1, at: server)[0]
        #expect(try client.ask(Frames.add(String(repeating: "x", count: 20_000), id: 1))?.refusal?.rule == .unavailable)
        server.standIn.hold([.device, .write])
        try client.send(Frames.device(.lock, id: 2))
        #expect(server.standIn.waits { !$0.devices.isEmpty })
        try client.send(Frames.device(.lock, id: 3))
        #expect(try client.ask(Frames.device(.lock, id: 4))?.refusal?.rule == .unavailable)
        server.standIn.release()
        #expect(Set(try (0..<3).map { _ in try client.receive()?.id }) == [0, 2, 3])
        #expect(server.standIn.record.batches == [[0]])
    }

    @Test("The log's length is looked at after every commit that was answered, and the store is tidied up at the end")
    func maintains() throws {
        let server = try RunningServer()
        let client = try server.connect()
        for id in 1...7 { #expect(try client.ask(Frames.add(id: UInt32(id)))?.status == 0) }
        server.stop()
        #expect(server.standIn.record.checkpoints == 7)
        #expect(server.standIn.record.maintained == 1)
    }

    /// Clients whose writes wait behind the first one's, which is held in its commit.
    static func holdingFirst(of count: Int, at server: RunningServer, deadline: UInt32 = 0) throws -> [RawClient] {
        server.standIn.hold([.write])
        let clients = try (0..<count).map { _ in try server.connect() }
        try clients[0].send(Frames.add(id: 0))
        #expect(server.standIn.waits { $0.batches == [[0]] })
        for (id, client) in clients.enumerated().dropFirst() {
            // The answer to the search shows that the write before it is in the queue.
            let search = try client.ask(Frames.add(id: UInt32(id), deadline: deadline) + Frames.search(id: 1000))
            #expect(search?.id == 1000)
        }
        return clients
    }
}
