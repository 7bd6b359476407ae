import ObjectTransport
import SyncFormat
import SyncTransports
import Testing

@Suite("An object store that has much to do")
struct BusyStoreTests {
    @Test("A write that meets another one (409) is sent again, and creates the slot")
    func races() throws {
        let bucket = try Bucket("races", "tells")
        let slot = bucket.slot(bucket.first, 1)
        #expect(try bucket.machine().commit([1], in: slot) == .done)
        #expect(try bucket.requests() == "PPD")
        #expect(try bucket.machine().read(slot) == [1])
    }

    @Test("A write that meets another one, which comes first, finds that one's bytes")
    func loses() throws {
        let bucket = try Bucket("loses", "tells")
        let (slot, other) = (bucket.slot(bucket.first, 1), Array("other".utf8))
        #expect(try bucket.machine().commit([1], in: slot) == .occupied(other))
        #expect(try bucket.requests() == "PPGD")
        #expect(try bucket.machine().commit(other, in: slot) == .done)
    }

    @Test("Writes that never come through end after five with the store's answer, and nothing is written")
    func conflicts() throws {
        let bucket = try Bucket("conflicts", "tells")
        let slot = bucket.slot(bucket.first, 1)
        let problem = #expect(throws: TransportProblem.self) { try bucket.machine().commit([1], in: slot) }
        #expect(problem == .refused("the store answers 409: ConditionalRequestConflict"))
        #expect(try bucket.requests() == "PPPPPD")
        #expect(try bucket.machine().read(slot) == nil)
    }

    @Test("A store without time (503) is an error in its own words, and the same call does its work later")
    func busy() throws {
        let bucket = try Bucket("busy")
        let (machine, slot) = (try bucket.machine(), bucket.slot(bucket.first, 1))
        let busy = TransportProblem.refused("the store answers 503: SlowDown")
        #expect(throws: busy) { try machine.commit([1], in: slot) }
        #expect(try machine.commit([1], in: slot) == .done)
        #expect(throws: busy) { try machine.read(slot) }
        #expect(try machine.read(slot) == [1])
        #expect(throws: busy) { try machine.changes(after: [:], atMost: 1) }
        #expect(try machine.changes(after: [:], atMost: 1).batches.map(\.bytes) == [[1]])
        #expect(throws: busy) { try machine.discard([slot]) }
        try machine.discard([slot])
        #expect(try machine.read(slot) == nil)
    }

    @Test("A batch for which the store has no time holds up no other, and comes with the next look")
    func busyRead() throws {
        let bucket = try Bucket("busy")
        let (machine, slots) = (try bucket.machine(), (1...2).map { bucket.slot(bucket.first, $0) })
        for slot in slots {
            _ = try? machine.commit([1], in: slot)
            _ = try machine.commit([1], in: slot)
        }
        _ = try? machine.read(slots[0])
        _ = try? machine.changes(after: [:], atMost: 1)
        let found = try machine.changes(after: [:], atMost: 1 << 20)
        #expect(found.batches.map(\.slot) == [slots[0]] && found.unreadable == [slots[1]])
        #expect(try machine.changes(after: [bucket.first: 1], atMost: 1).batches.map(\.slot) == [slots[1]])
    }
}

@Suite("The requests to an object store")
struct ObjectRequestTests {
    @Test("A change takes a list and a write of its author, and a list and a read of another machine")
    func change() throws {
        let bucket = try Bucket("tells")
        let (one, other) = (try bucket.machine(), try bucket.machine())
        _ = try one.changes(after: [:], atMost: 1 << 20)
        _ = try one.commit([1], in: bucket.slot(bucket.first, 1))
        #expect(try bucket.requests() == "LPD")
        _ = try other.changes(after: [:], atMost: 1 << 20)
        #expect(try bucket.requests() == "LGD")
        _ = try other.changes(after: [bucket.first: 1], atMost: 1 << 20)
        #expect(try bucket.requests() == "LD")
    }

    @Test("A first look takes a list, and a read for each batch")
    func first() throws {
        let bucket = try Bucket("tells")
        for seq in UInt64(1)...12 { _ = try bucket.machine().commit([1], in: bucket.slot(bucket.first, seq)) }
        #expect(try bucket.requests() == String(repeating: "P", count: 12) + "D")
        _ = try bucket.machine().changes(after: [:], atMost: 1 << 20)
        #expect(try bucket.requests() == "L" + String(repeating: "G", count: 12) + "D")
    }
}
