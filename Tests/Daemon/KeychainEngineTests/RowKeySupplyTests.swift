import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

@Suite("Row keys that are ready before they are needed")
struct RowKeySupplyTests {
    /// As a daemon does after writes, on two threads.
    private func prepare(_ engine: TestEngine) {
        if engine.engine.prepareForWrites() { engine.engine.prepareBeside() }
    }

    @Test("Each is given out once, and the items that are added with them open")
    func once() throws {
        let directory = try TemporaryDirectory()
        let engine = try TestEngine(in: directory, exclusive: true)
        for number in 0..<3 {
            try engine.add("\(number)", "value")
            prepare(engine)
        }
        #expect(try engine.addTogether(["a", "b", "c"]) == [0, 0, 0])
        prepare(engine)
        for number in 3..<9 { try engine.add("\(number)", "value") }
        #expect(try engine.values().count == 12)
        #expect(try engine.verify().damage.isEmpty)
    }

    @Test("The names of rows that were made together begin alike, and no two are the same")
    func neighbours() throws {
        let directory = try TemporaryDirectory()
        let engine = try TestEngine(in: directory, exclusive: true)
        let supply = try #require(engine.engine.exclusively { $0.supply })
        var names: [[UInt8]] = []
        for _ in 0..<2 {
            try supply.fill(.whenUnlocked, upTo: 64)
            while let key = supply.take(for: .whenUnlocked) { names.append(key.uuid) }
        }
        #expect(names.count == 128 && Set(names).count == 128)
        #expect(Set(names[..<64].map { $0[..<8] }).count == 1)
        #expect(Set(names[64...].map { $0[..<8] }).count == 1)
        #expect(Set(names.map { $0[..<8] }).count == 2)
        #expect(Set(names.map { $0[8...] }).count == 128)
    }

    @Test("More are fetched beside the writes before they run out, and no more than are kept")
    func refilled() throws {
        let directory = try TemporaryDirectory()
        let engine = try TestEngine(in: directory, exclusive: true)
        let supply = try #require(engine.engine.exclusively { $0.supply })
        try engine.add("first", "value")
        #expect(engine.engine.prepareForWrites())
        engine.engine.prepareBeside()
        #expect(!engine.engine.prepareForWrites())
        for number in 0..<32 { try engine.add("\(number)", "value") }
        #expect(!engine.engine.prepareForWrites())
        try engine.add("last", "value")
        #expect(engine.engine.prepareForWrites())
        for _ in 0..<3 { engine.engine.prepareBeside() }
        var count = 0
        while supply.take(for: .whenUnlocked) != nil { count += 1 }
        #expect(count == 64)
    }

    @Test("Threads that take and fetch at the same time are never given the same one")
    func manyThreads() throws {
        let directory = try TemporaryDirectory()
        let engine = try TestEngine(in: directory, exclusive: true)
        let supply = try #require(engine.engine.exclusively { $0.supply })
        let names = Lock(Set<[UInt8]>())
        let threads = try (0..<4).map { number in
            try Thread(named: "taker") {
                for _ in 0..<300 {
                    try? supply.fill(.whenUnlocked, upTo: number == 0 ? 64 : 1)
                    guard let key = supply.take(for: .whenUnlocked) else { continue }
                    let isNew = names.withLock { $0.insert(key.uuid).inserted }
                    #expect(isNew)
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(names.withLock { $0.count } > 300)
    }

    @Test("A locked device takes them away with the class they are for")
    func locked() throws {
        let directory = try TemporaryDirectory()
        let engine = try TestEngine(in: directory, exclusive: true)
        try engine.add("before", "value")
        prepare(engine)
        try engine.device(.setPasscode, "1")
        prepare(engine)
        try engine.device(.lock)
        #expect(throws: Refusal.self) { try engine.add("locked", "value") }
        prepare(engine)
        try engine.add("always", "value", more: ["pdmn": .string("dk")])
        try engine.device(.unlock, "1")
        try engine.add("after", "value")
        #expect(try Set(engine.values().keys) == ["before", "always", "after"])
        #expect(try engine.verify().damage.isEmpty)
    }

    @Test("The owner's log has room beforehand, and what was committed to it is found by whoever comes after a crash")
    func roomInTheLog() throws {
        let (directory, other) = (try TemporaryDirectory(), try TemporaryDirectory())
        let engine = try TestEngine(in: directory, exclusive: true)
        try engine.add("kept", "value")
        let size = try FileStatus(at: "\(engine.folder)/keychain.db-wal")?.size
        #expect(try #require(size) >= WriteAheadLog.room)
        // As a crash leaves them.
        try PrivateDirectory.ensure("\(other.path)/keychain")
        for file in ["keychain.db", "keychain.db-wal", "keychain.made", "vault"] {
            let bytes = try AtomicFile.read("\(engine.folder)/\(file)", limit: 16 << 20)
            try AtomicFile.replace("\(other.path)/keychain/\(file)", with: bytes.span)
        }
        for isOwner in [false, true] {
            let later = try TestEngine(in: other, exclusive: isOwner)
            #expect(try later.values() == ["kept": "value"])
        }
    }
}
