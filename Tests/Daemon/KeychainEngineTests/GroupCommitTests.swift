import KeychainModel
import KeychainWire
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@testable import KeychainStore

@Suite("Group commit")
struct GroupCommitTests {
    @Test("Writes of many threads share transactions, and each gets its own answer")
    func manyThreads() throws {
        let directory = try TemporaryDirectory()
        let engine = try TestEngine(in: directory, exclusive: true)
        try engine.add("warm", "up")
        let refused = Atomic<Int>(0)
        let threads = try (0..<16).map { thread in
            try Thread(named: "writer") {
                for number in 0..<20 {
                    // Every account is tried by two threads: one of them must be told that it came second.
                    do throws(Refusal) { try engine.add("\(thread / 2)-\(number)", "value") } catch {
                        if error.status == .duplicateItem { refused.add(1, ordering: .relaxed) }
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(refused.load(ordering: .relaxed) == 160)
        #expect(try engine.values().count == 161)
        #expect(try engine.verify().damage.isEmpty)
    }

    @Test("A refused write leaves the others of its transaction alone")
    func oneRefused() throws {
        let directory = try TemporaryDirectory()
        let engine = try TestEngine(in: directory)
        let statuses = try engine.addTogether(["a", "b", "a", "c"])
        #expect(statuses == [0, 0, KeychainStatus.duplicateItem.rawValue, 0])
        #expect(try Set(engine.values().keys) == ["a", "b", "c"])
    }

    @Test("In a transaction of many, an add takes the place of a damaged row, and one that is refused leaves no trace")
    func besideDamage() throws {
        let directory = try TemporaryDirectory()
        let engine = try TestEngine(in: directory)
        #expect(try engine.addTogether(["a", "b"]) == [0, 0])
        try engine.tamper(TestEngine.flip("meta", 40, ofRow: 1))
        #expect(try engine.addTogether(["c", "a", "b", "d", "a"]) == [0, 0, -25299, 0, -25299])
        #expect(try Set(engine.values().keys) == ["a", "b", "c", "d"])
        #expect(try engine.usage().items == 4)
        let database = try Database(path: "\(engine.folder)/keychain.db", sharing: .shared)
        #expect(try database.integer("SELECT count(*) FROM quarantine", "count") == 1)
    }
}
