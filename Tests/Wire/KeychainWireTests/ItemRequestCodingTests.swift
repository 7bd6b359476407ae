import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@Suite("Item requests on the wire")
struct ItemRequestCodingTests {
    private static func list(_ values: [(AttributeID, AttributeValue)]) -> AttributeList {
        let buffer = SecretBuffer()
        for (id, value) in values { buffer.append(id, value) }
        return (try? AttributeList(parsing: buffer.copy())) ?? .empty
    }

    private static func encode(_ request: ItemRequest) -> [UInt8] {
        let buffer = SecretBuffer()
        // The lists of a request that was read lie in the middle of its body.
        var request = request
        (request.query, request.changes) = (detached(request.query), detached(request.changes))
        request.append(to: buffer)
        return buffer.withSpan { $0.array(0, $0.count) }
    }

    private static func detached(_ list: AttributeList) -> AttributeList {
        let buffer = SecretBuffer()
        list.storage.withSpan { storage in
            for entry in list.entries {
                buffer.append(entry.id, entry.kind, storage.extracting(entry.offset..<entry.offset + entry.length))
            }
        }
        return (try? AttributeList(parsing: buffer.copy())) ?? .empty
    }

    private static func decode(_ bytes: [UInt8]) throws(Refusal) -> ItemRequest {
        try ItemRequest(decoding: SecretBytes(copying: bytes.span))
    }

    /// A request in which nothing is as it is by default.
    private static let full: ItemRequest = {
        var request = ItemRequest(.update)
        request.itemClass = .internetPassword
        request.returns = [.data, .persistentReference]
        request.limit = .atMost(500)
        request.authenticationUI = .skip
        request.matchKeys = 0b1010
        request.inspectsAllGroups = true
        request.withoutTombstones = true
        request.updatesExisting = true
        request.missesNothing = true
        request.cursor = UInt64(Int64.max)
        request.query = list([(.account, .string("älice")), (.port, .number(-1)), (.valueData, .data([0, 255]))])
        request.changes = list([(.label, .string("")), (.creationDate, .date(0.5))])
        return request
    }()

    @Test("Everything a request says is read as it was written")
    func roundTripsFull() throws {
        let read = try Self.decode(Self.encode(Self.full))
        #expect(read.operation == .update && read.itemClass == .internetPassword)
        #expect(read.returns == [.data, .persistentReference] && read.limit == .atMost(500))
        #expect(read.authenticationUI == .skip && read.matchKeys == 0b1010)
        #expect(
            read.inspectsAllGroups && read.withoutTombstones && read.updatesExisting && read.missesNothing
                && read.cursor == UInt64(Int64.max)
        )
        #expect(read.query[.account] == .string("älice") && read.query[.port] == .number(-1))
        #expect(read.query[.valueData] == .data([0, 255]) && read.query.entries.count == 3)
        #expect(read.changes[.label] == .string("") && read.changes[.creationDate] == .date(0.5))
        #expect(Self.encode(read) == Self.encode(Self.full))
    }

    @Test(
        "A request that says nothing is read as one",
        arguments: [ItemRequest.Operation.add, .copyMatching, .update, .delete])
    func roundTripsEmpty(operation: ItemRequest.Operation) throws {
        let read = try Self.decode(Self.encode(ItemRequest(operation)))
        #expect(read.operation == operation && read.itemClass == nil && read.limit == .one)
        #expect(read.query.entries.isEmpty && read.changes.entries.isEmpty && read.cursor == 0)
    }

    @Test("Every limit is read as it was written", arguments: [ItemRequest.Limit.one, .all, .atMost(2), .atMost(.max)])
    func roundTripsLimit(limit: ItemRequest.Limit) throws {
        var request = ItemRequest(.copyMatching)
        request.limit = limit
        #expect(try Self.decode(Self.encode(request)).limit == limit)
    }

    @Test("A body that is cut anywhere but between two attributes of its last list is refused")
    func refusesCut() throws {
        let whole = Self.encode(Self.full)
        let read = try Self.decode(whole)
        // Where an attribute of the changes ends a shorter list would be whole.
        let ends = Set(read.changes.entries.map { $0.offset + $0.length } + [read.changes.entries[0].offset - 8])
        for count in 0..<whole.count where !ends.contains(count) {
            let refusal = failure { () throws(Refusal) in try Self.decode(Array(whole.prefix(count))) }
            #expect(refusal?.rule == .malformedFrame, "cut after \(count) bytes")
        }
    }

    @Test(
        "A field that means nothing is refused",
        arguments: [
            (0, 0), (0, 8), (1, 6), (2, 16), (3, 3), (4, 32), (5, 1), (6, 1), (7, 1), (19, 0x80), (27, 0x80), (28, 255),
            (31, 255),
        ])
    func refusesField(offset: Int, byte: UInt8) throws {
        var bytes = Self.encode(ItemRequest(.copyMatching))
        bytes[offset] = byte
        #expect(failure { () throws(Refusal) in try Self.decode(bytes) }?.rule == .malformedFrame)
    }

    @Test("No bytes make the decoder crash, and what it takes it writes again in the same bytes")
    func survivesAnything() throws {
        var generator = SplitMix64(seed: 3)
        let sound = Self.encode(Self.full)
        var taken = 0
        for round in 0..<10_000 {
            var bytes = round % 2 == 0 ? generator.bytes(.random(in: 0...100, using: &generator)) : sound
            if round % 2 == 1 { bytes[.random(in: 0..<bytes.count, using: &generator)] ^= 1 << UInt8(round % 8) }
            guard let request = try? Self.decode(bytes) else { continue }
            taken += 1
            #expect(Self.encode(request) == bytes)
            for entry in request.query.entries + request.changes.entries { _ = request.query.value(entry) }
        }
        #expect(taken > 1000)
    }
}
