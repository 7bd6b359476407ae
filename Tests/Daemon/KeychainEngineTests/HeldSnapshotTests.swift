import KeychainModel
import KeychainWire
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// A lane that reads again and again holds what it sees; nobody may be the worse for it.
@Suite("A held snapshot")
struct HeldSnapshotTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine
    private let lane: EngineLane

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory, exclusive: true)
        try engine.add("a", "0")
        lane = try engine.engine.makeLane()
    }

    private static func request(_ operation: ItemRequest.Operation, _ more: [String: RawValue]) throws -> ItemRequest {
        var builder = ItemRequestBuilder(operation)
        try builder.set("class", .string("genp"))
        for (key, raw) in more { try builder.set(key, raw) }
        return try builder.build()
    }

    private static func read(
        _ lane: EngineLane, _ request: ItemRequest, by deadline: Deadline = .never
    ) throws -> ItemResponse {
        let writer = ResponseWriter()
        lane.read(request, from: TestEngine.caller, id: 1, by: deadline, into: writer)
        let answer = writer.complete()
        return try ItemResponse(status: answer.status, body: answer.body)
    }

    /// The value of the item "a".
    private static func value(in lane: EngineLane) throws -> Int? {
        let lookup = try request(.copyMatching, ["acct": .string("a"), "r_Data": .boolean(true)])
        return try read(lane, lookup).items.first?.attributes[.valueData]?.string.flatMap { Int($0) }
    }

    private var isHeld: Bool { lane.reader.database.isInTransaction }

    @Test("It begins with the second read of the same state, and ends when its thread rests")
    func begins() throws {
        _ = try Self.value(in: lane)
        #expect(!isHeld)
        _ = try Self.value(in: lane)
        #expect(isHeld)
        lane.dropOutdated()
        #expect(isHeld)
        lane.rest()
        #expect(!isHeld)
        _ = try Self.value(in: lane)
        #expect(!isHeld)
    }

    @Test("A read after a write sees it, and is not held before it is repeated")
    func seesWrites() throws {
        for value in 1...20 {
            for _ in 0..<value % 4 { _ = try Self.value(in: lane) }
            try engine.update("a", to: "\(value)")
            #expect(try Self.value(in: lane) == value)
            #expect(!isHeld)
        }
    }

    @Test("It is let go once the store has changed, also when nobody reads")
    func outdated() throws {
        for _ in 0..<2 { _ = try Self.value(in: lane) }
        try engine.update("a", to: "1")
        #expect(isHeld)
        lane.dropOutdated()
        #expect(!isHeld)
        for _ in 0..<2 { _ = try Self.value(in: lane) }
        engine.engine.maintain()
        lane.dropOutdated()
        #expect(!isHeld)
    }

    @Test("A read that is interrupted ends it, and the next one is answered")
    func interrupted() throws {
        _ = try engine.addTogether((0..<4000).map { "\($0)" })
        let none = try Self.request(.copyMatching, ["desc": .string("none")])
        for _ in 0..<2 { _ = try Self.value(in: lane) }
        #expect(isHeld)
        #expect(refusal { _ = try Self.read(lane, none, by: .now) }?.rule == .deadline)
        #expect(!isHeld)
        #expect(try Self.value(in: lane) == 0)
    }

    @Test("In a store that other processes change, nothing is held")
    func shared() throws {
        let directory = try TemporaryDirectory()
        let engine = try TestEngine(in: directory)
        try engine.add("a", "0")
        let lane = try engine.engine.makeLane()
        for _ in 0..<3 { _ = try Self.value(in: lane) }
        #expect(!lane.reader.database.isInTransaction)
    }

    @Test("Lanes of several threads see every write that was acknowledged before they read")
    func manyLanes() throws {
        let acknowledged = Atomic<Int>(0)
        let isDone = Atomic(false)
        let reads = Atomic<Int>(0)
        let stale = Atomic<Int>(0)
        let threads = try (0..<3).map { number in
            let lane = try engine.engine.makeLane()
            nonisolated(unsafe) let owned = lane
            return try Thread(named: "reader") {
                var count = 0
                while !isDone.load(ordering: .acquiring) {
                    let least = acknowledged.load(ordering: .acquiring)
                    let value = (try? Self.value(in: unsafe owned)) ?? -1
                    if value < least { stale.add(1, ordering: .relaxed) }
                    count += 1
                    if count % (5 + 20 * number) == 0 { unsafe owned.rest() }
                }
                reads.add(count, ordering: .relaxed)
            }
        }
        for value in 1...400 {
            try engine.update("a", to: "\(value)")
            acknowledged.store(value, ordering: .releasing)
            if value % 50 == 0 { engine.engine.maintain() }
        }
        isDone.store(true, ordering: .releasing)
        for thread in threads { thread.join() }
        #expect(stale.load(ordering: .relaxed) == 0)
        #expect(reads.load(ordering: .relaxed) > 0)
    }

    // MARK: - The log

    /// Writes so many batches of 128 KiB, with what lies between two commits, and gives the log's size at the end. The log is made
    /// for 32 of them.
    private func fill(_ batches: Range<Int>, tidyingUp: Bool = true, _ between: (Int) throws -> Void) throws -> Int {
        let content = [UInt8](repeating: 7, count: 16_000)
        for batch in batches {
            let writes = try (0..<8).map { number in
                var builder = ItemRequestBuilder(.add)
                try builder.set("class", .string("genp"))
                try builder.set("acct", .string("filling \(batch) \(number)"))
                try builder.set("v_Data", data: content.span)
                return PendingWrite(try builder.build(), from: TestEngine.caller, id: 1, by: .never)
            }
            engine.engine.write(writes)
            if tidyingUp { engine.engine.prepareForWrites() }
            try between(batch)
        }
        return try #require(try FileStatus(at: "\(engine.folder)/keychain.db-wal")).size
    }

    private func readWithoutHolding() {
        for _ in 0..<3 { _ = try? Self.value(in: lane) }
        #expect(!isHeld)
    }

    private func readThrice() throws {
        for _ in 0..<3 { _ = try Self.value(in: lane) }
        #expect(isHeld)
    }

    @Test("A lane that reads after every change lets the log be moved, and begin anew")
    func logBesideReads() throws {
        let size = try fill(0..<100, tidyingUp: false) { _ in
            try readThrice()
            try engine.engine.exclusively { writer in
                Result {
                    guard writer.store.isDueForTidying else { return }
                    try writer.store.checkpoint(after: readWithoutHolding)
                    try readThrice()
                }
            }.get()
        }
        #expect(size == WriteAheadLog.room)
    }

    @Test("A lane that has read and rests keeps no log")
    func logBesideRest() throws {
        let size = try fill(0..<100) { batch in
            if batch == 0 { try readThrice() }
            lane.rest()
        }
        #expect(size == WriteAheadLog.room)
    }

    @Test("A lane whose loop has other things to do keeps no log")
    func logBesideTurns() throws {
        let size = try fill(0..<100) { batch in
            if batch == 0 { try readThrice() }
            lane.dropOutdated()
        }
        #expect(size == WriteAheadLog.room)
    }

    @Test("A lane that is told nothing keeps the log from beginning anew, until it is told")
    func logBesideForgottenLane() throws {
        let size = try fill(0..<100) { batch in
            if batch == 0 { try readThrice() }
        }
        #expect(isHeld)
        #expect(size > 2 * WriteAheadLog.room)
        lane.rest()
        #expect(try fill(100..<200) { _ in } < size + WriteAheadLog.room)
    }
}
