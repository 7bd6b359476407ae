import KeychainModel
import KeychainWire
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// A itemReader that reads again and again holds what it sees; nobody may be the worse for it.
@Suite("A held snapshot")
struct ReadTransactionTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine
    private let itemReader: ItemReader

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory, exclusive: true)
        try engine.add("a", "0")
        itemReader = try engine.engine.makeItemReader()
    }

    private var isHeld: Bool { itemReader.isHolding }

    @Test("It begins with the second read of the same state, and ends when its thread sleeps")
    func begins() throws {
        _ = try itemReader.value()
        #expect(!isHeld)
        _ = try itemReader.value()
        #expect(isHeld)
        itemReader.endIfOutdated()
        #expect(isHeld)
        itemReader.endTransaction()
        #expect(!isHeld)
        _ = try itemReader.value()
        #expect(!isHeld)
    }

    @Test("A read after a write sees it, and is not held before it is repeated")
    func seesWrites() throws {
        for value in 1...20 {
            for _ in 0..<value % 4 { _ = try itemReader.value() }
            try engine.update("a", to: "\(value)")
            #expect(try itemReader.value() == value)
            #expect(!isHeld)
        }
    }

    @Test("It is let go once the store has changed, also when nobody reads")
    func outdated() throws {
        for _ in 0..<2 { _ = try itemReader.value() }
        try engine.update("a", to: "1")
        #expect(isHeld)
        itemReader.endIfOutdated()
        #expect(!isHeld)
        for _ in 0..<2 { _ = try itemReader.value() }
        engine.engine.maintain()
        itemReader.endIfOutdated()
        #expect(!isHeld)
    }

    @Test("A read that is interrupted ends it, and the next one is answered")
    func interrupted() throws {
        _ = try engine.addTogether((0..<4000).map { "\($0)" })
        let none = try ItemReader.lookup(["desc": .string("none")])
        for _ in 0..<2 { _ = try itemReader.value() }
        #expect(isHeld)
        #expect(refusal { _ = try itemReader.answer(none, by: .now) }?.rule == .deadline)
        #expect(!isHeld)
        #expect(try itemReader.value() == 0)
    }

    @Test("Readers of several threads see every write that was acknowledged before they read")
    func manyLanes() throws {
        let acknowledged = Atomic<Int>(0)
        let isDone = Atomic(false)
        let reads = Atomic<Int>(0)
        let stale = Atomic<Int>(0)
        let threads = try (0..<3).map { number in
            let itemReader = try engine.engine.makeItemReader()
            nonisolated(unsafe) let owned = itemReader
            return try Thread(named: "reader") {
                var count = 0
                while !isDone.load(ordering: .acquiring) {
                    let least = acknowledged.load(ordering: .acquiring)
                    let value = (try? unsafe owned.value()) ?? -1
                    if value < least { stale.add(1, ordering: .relaxed) }
                    count += 1
                    if count % (5 + 20 * number) == 0 { unsafe owned.endTransaction() }
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

    /// Writes so many batches, with checkpoints when they are due; gives the length of the log in bytes.
    private func fill(_ batches: Range<Int>, _ between: (Int) throws -> Void) throws -> Int {
        try engine.fill(batches) { batch in
            try between(batch)
            engine.engine.checkpointIfDue()
        }
        return try engine.sizeOfLog()
    }

    private func readThrice() throws {
        for _ in 0..<3 { _ = try itemReader.value() }
        #expect(isHeld)
    }

    /// A checkpoint is due after 4 MB, and a batch is an eighth of one.
    private static let lengthWithCheckpoints = 5 << 20

    @Test("A reader that has read and sleeps keeps no log")
    func logBesideRest() throws {
        let size = try fill(0..<300) { batch in
            if batch == 0 { try readThrice() }
            itemReader.endTransaction()
        }
        #expect(size < Self.lengthWithCheckpoints)
    }

    @Test("A reader whose loop has other things to do keeps no log")
    func logBesideTurns() throws {
        let size = try fill(0..<300) { batch in
            if batch == 0 { try readThrice() }
            itemReader.endIfOutdated()
        }
        #expect(size < Self.lengthWithCheckpoints)
    }

    @Test("A reader that is told nothing keeps the log from beginning again, until it is told")
    func logBesideForgottenLane() throws {
        try readThrice()
        let size = try fill(0..<35) { _ in }
        #expect(isHeld)
        #expect(size > 4 << 20)
        itemReader.endTransaction()
        #expect(try fill(35..<100) { _ in } < size + Self.lengthWithCheckpoints)
    }
}
