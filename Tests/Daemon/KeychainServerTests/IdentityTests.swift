import KeychainModel
import KeychainPolicy
import KeychainServer
import KeychainWire
import LinuxSystem
import ServerTestSupport
import Synchronization
import TestSupport
import Testing

@Suite("Callers are identified once, when they connect or at their first request")
struct IdentityTests {
    private final class Counter: Sendable {
        let count = Atomic(0)
    }

    @Test("A connection that asks for nothing costs no identification, one that asks often costs one")
    func identifiesOnce() throws {
        let counter = Counter()
        let server = try RunningServer { _ in
            counter.count.add(1, ordering: .relaxed)
            return .known(IdentifiedCaller(lasting: RunningServer.caller))
        }
        let (client, idle) = (try server.connect(), try server.connect())
        for id in 1...5 { #expect(try client.ask(Frames.search(id: UInt32(id)))?.status == 0) }
        #expect(counter.count.load(ordering: .relaxed) == 1)
        #expect(try idle.ask(Frames.device(.status))?.status == 0)
        #expect(counter.count.load(ordering: .relaxed) == 2)
    }

    @Test("Who is known when it connects stays that, and is identified no more")
    func knownAtOnce() throws {
        let server = try RunningServer(
            identify: { _ throws(Refusal) in
                throw Refusal(.missingEntitlement, .foreignGroup, "uid", "Not you.", do: "Go.")
            }, recognize: { _ in RunningServer.caller })
        let client = try server.connect()
        for _ in 0..<2 { #expect(try client.ask(Frames.device(.lock))?.status == 0) }
        #expect(server.identifications == 0)
        #expect(server.standIn.record.deviceCallers == [RunningServer.caller, RunningServer.caller])
    }

    @Test("A device request brings the caller with it")
    func bringsCaller() throws {
        let server = try RunningServer()
        #expect(try server.connect().ask(Frames.device(.lock))?.status == 0)
        #expect(server.standIn.record.deviceCallers == [RunningServer.caller])
    }

    @Test(
        "Who cannot be identified is refused everything, and may stay",
        arguments: [Frames.search(), Frames.device(.lock)])
    func refusesUnknown(frame: [UInt8]) throws {
        let refusal = Refusal(.missingEntitlement, .foreignGroup, "uid", "Not you.", do: "Go.")
        let server = try RunningServer { _ throws(Refusal) in throw refusal }
        let client = try server.connect()
        for _ in 0..<2 { #expect(try client.ask(frame)?.refusal == refusal) }
        #expect(server.standIn.record.searches.isEmpty && server.standIn.record.devices.isEmpty)
    }
}
