import Glibc
import KeychainWire
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// The log is moved into the database by a second thread; what is asked here of one thread it does between two writes.
@Suite("A log that is moved beside its writer")
struct LogMoverTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory, exclusive: true)
        try engine.add("a", "0")
    }

    /// How many bytes the database has, into which the log is moved.
    private func size() throws -> Int { try #require(try FileStatus(at: "\(engine.folder)/keychain.db")).size }

    /// Writes until somebody is to move the log; after how many batches.
    private func fillUntilLong() throws -> Int {
        var (batches, isLong) = (0, false)
        while !isLong, batches < 100 {
            try engine.fill(batches..<batches + 1) { _ in engine.engine.prepareForWrites() }
            isLong = engine.engine.exclusively { $0.store.isLogLong }
            batches += 1
        }
        return batches
    }

    @Test("It is moved before it is full, begins anew with the next writes, and has twice the room")
    func beginsAnew() throws {
        let batches = try fillUntilLong()
        // 32 of them fill the log.
        #expect(16...28 ~= batches)
        let before = try size()
        engine.engine.prepareBeside()
        #expect(try size() > before + (1 << 20))
        try engine.fill(200..<210) { _ in engine.engine.prepareForWrites() }
        #expect(try engine.sizeOfLog() == 2 * WriteAheadLog.room)
        #expect(try engine.verify().checked == 1 + 8 * (batches + 10))
    }

    @Test("What nobody moved is moved by the writer when the log is full")
    func nobodyMoves() throws {
        try engine.fill(0..<300) { _ in engine.engine.prepareForWrites() }
        #expect(try engine.sizeOfLog() == WriteAheadLog.mostRoom)
    }

    @Test("Who was not asked moves nothing, and who was asked does it once")
    func ordered() throws {
        try engine.fill(0..<5) { _ in }
        let before = try size()
        engine.engine.prepareBeside()
        #expect(try size() == before)
        _ = try fillUntilLong()
        engine.engine.prepareBeside()
        let moved = try size()
        try engine.fill(300..<305) { _ in }
        engine.engine.prepareBeside()
        #expect(try size() == moved)
    }

    @Test("While it is moved again and again, nothing that was written is lost, and every reader sees it")
    func besideWrites() throws {
        let isDone = Atomic(false)
        let ordered = Atomic(false)
        let moves = Atomic<Int>(0)
        nonisolated(unsafe) let lane = try engine.engine.makeLane()
        let stale = Atomic<Int>(0)
        let written = Atomic<Int>(0)
        let engine = engine
        let mover = try Thread(named: "mover") {
            while !isDone.load(ordering: .acquiring) {
                guard ordered.exchange(false, ordering: .acquiringAndReleasing) else {
                    sched_yield()
                    continue
                }
                engine.engine.prepareBeside()
                moves.add(1, ordering: .relaxed)
            }
        }
        let reader = try Thread(named: "reader") {
            while !isDone.load(ordering: .acquiring) {
                let least = written.load(ordering: .acquiring)
                if (try? unsafe lane.value()) ?? -1 < least { stale.add(1, ordering: .relaxed) }
                unsafe lane.dropOutdated()
            }
        }
        try engine.fill(0..<200) { batch in
            try engine.update("a", to: "\(batch)")
            written.store(batch, ordering: .releasing)
            if engine.engine.prepareForWrites() { ordered.store(true, ordering: .releasing) }
        }
        isDone.store(true, ordering: .releasing)
        mover.join()
        reader.join()
        #expect(stale.load(ordering: .relaxed) == 0)
        #expect(moves.load(ordering: .relaxed) >= 2)
        #expect(try engine.verify().checked == 1 + 8 * 200)
        // Where somebody reads at the very moment, it begins anew a little later.
        #expect(try engine.sizeOfLog() < 2 * WriteAheadLog.mostRoom)
    }
}
