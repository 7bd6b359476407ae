import Glibc
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// A lane that holds what it sees of a store which others change too; `other` is another user of the same files, who tells
/// it nothing. (Forked processes share a store in `ForkTests`.)
@Suite("A held snapshot of a shared store")
struct SharedSnapshotTests {
    private let directory: TemporaryDirectory
    private let engine, other: TestEngine
    private let lane: EngineLane

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory)
        other = try TestEngine(in: directory)
        try other.add("a", "0")
        lane = try engine.engine.makeLane()
    }

    private func read(times: Int = 60) throws {
        for _ in 0..<times { _ = try lane.value() }
    }

    @Test("It begins when the same state was read many times, and ends when its lane rests")
    func begins() throws {
        try read(times: 10)
        #expect(!lane.isHolding)
        #expect(!lane.holdsSnapshot)
        try read()
        #expect(lane.isHolding)
        #expect(lane.holdsSnapshot)
        lane.dropOutdated()
        #expect(lane.isHolding)
        lane.rest()
        #expect(!lane.isHolding)
        try read(times: 10)
        #expect(!lane.isHolding)
    }

    @Test("The next read sees what another user of the store has changed, and so does the one after it")
    func seesOthers() throws {
        for value in 1...40 {
            try read(times: value % 4 == 0 ? 3 : 60)
            #expect(lane.isHolding == (value % 4 != 0))
            try other.update("a", to: "\(value)")
            #expect(try lane.value() == value)
            #expect(!lane.isHolding)
            #expect(try lane.value() == value)
        }
    }

    @Test("The next read sees what its own process has changed")
    func seesOwn() throws {
        for value in 1...20 {
            try read()
            try engine.update("a", to: "\(value)")
            #expect(lane.isHolding)
            #expect(try lane.value() == value)
        }
    }

    @Test("It is let go when another user has changed the store, also when nobody reads")
    func outdated() throws {
        try read()
        try other.update("a", to: "1")
        #expect(lane.isHolding)
        lane.dropOutdated()
        #expect(!lane.isHolding)
    }

    @Test("Every value that was acknowledged to another thread before a read is seen by it, however long the log")
    func manyWriters() throws {
        let acknowledged = Atomic<Int>(0)
        let isDone = Atomic(false)
        let stale = Atomic<Int>(0)
        let held = Atomic<Int>(0)
        nonisolated(unsafe) let owned = lane
        let reader = try Thread(named: "reader") {
            while !isDone.load(ordering: .acquiring) {
                for _ in 0..<60 {
                    let least = acknowledged.load(ordering: .acquiring)
                    let value = (try? unsafe owned.value()) ?? -1
                    if value < least { stale.add(1, ordering: .relaxed) }
                }
                if unsafe owned.isHolding { held.add(1, ordering: .relaxed) }
            }
        }
        for value in 1...300 {
            try (value.isMultiple(of: 2) ? engine : other).update("a", to: "\(value)")
            acknowledged.store(value, ordering: .releasing)
            // Now and then the reader gets the time to hold this state, unless the log is long just then.
            guard value.isMultiple(of: 30) else { continue }
            let times = held.load(ordering: .relaxed)
            for _ in 0..<300 where held.load(ordering: .relaxed) == times { usleep(1_000) }
        }
        isDone.store(true, ordering: .releasing)
        reader.join()
        #expect(stale.load(ordering: .relaxed) == 0)
        #expect(held.load(ordering: .relaxed) >= 5)
    }

    // MARK: - The log

    /// SQLite has a log moved when a commit leaves it longer than this; the next commit begins anew.
    private static let usualLog = 1000 * 4120

    @Test("A lane that reads without pause lets another user's log begin anew")
    func logBesideReads() throws {
        var times = 0
        try other.fill(0..<100) { _ in
            try read()
            if lane.isHolding { times += 1 }
        }
        #expect(try other.sizeOfLog() < Self.usualLog + (512 << 10))
        #expect(times > 30)
    }

    @Test("A long log is not held, and is held again once it has been moved into the database")
    func longLog() throws {
        // Another one that stays where it is keeps the log from being moved as a whole.
        let obstacle = try engine.engine.makeLane()
        for _ in 0..<60 { _ = try obstacle.value() }
        try other.fill(0..<30) { _ in }
        try read()
        #expect(!lane.isHolding)
        obstacle.rest()
        try other.update("a", to: "1")
        try read()
        #expect(lane.isHolding)
        #expect(try lane.value() == 1)
    }

    @Test("A lane that is told nothing keeps the log from beginning anew, until it is told")
    func logBesideForgottenLane() throws {
        try read()
        try other.fill(0..<100) { _ in }
        let size = try other.sizeOfLog()
        #expect(size > 2 * Self.usualLog)
        lane.rest()
        try other.fill(100..<200) { _ in }
        #expect(try other.sizeOfLog() < size + (512 << 10))
    }
}
