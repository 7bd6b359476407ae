import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// When versions go: after their days, and where they have more bytes than they may.
extension HistoryTests {
    @Test("A version is past after its days, by the clock that the engine is told")
    func expiry() throws {
        let engine = try TestEngine(in: directory, history: HistoryLimits(days: 2))
        try engine.add("a", "one")
        try update(engine, "a", "two")
        let now = Clock.secondsSinceReferenceDate
        try trim(engine, now + 2 * 86400 - 60)
        #expect(try count(engine) == 1)
        try trim(engine, now + 2 * 86400 + 60)
        #expect(try count(engine) == 0)
    }

    @Test("The oldest versions go where all have more bytes than they may, and counters are those of what is there")
    func bound() throws {
        let engine = try TestEngine(in: directory, history: HistoryLimits(bytes: 4000))
        try engine.add("a", "one")
        for index in 0..<30 { try update(engine, "a", "\(index)") }
        #expect(try count(engine) == 30)
        let oldest = try history(engine)[29].ended
        engine.engine.maintain()
        let size = try count(engine, "SELECT sum(length(wkey) + length(meta) + length(data)) FROM history")
        let kept = try count(engine)
        #expect(size <= 4000 && kept > 1)
        #expect(try history(engine).last?.ended == oldest)
        #expect(try count(engine, "SELECT bytes FROM usage WHERE ownr = x'01'") == size)
        #expect(try count(engine, "SELECT items FROM usage WHERE ownr = x'01'") == kept)
        #expect(try count(engine, UsageCounters.wrongCounters) == 0)
    }

    @Test("Wrong counters of versions are seen, and made anew from what is there")
    func counters() throws {
        let engine = try TestEngine(in: directory)
        try engine.add("a", "one")
        try update(engine, "a", "two")
        #expect(try count(engine, UsageCounters.wrongCounters) == 0)
        try engine.tamper("UPDATE usage SET bytes = bytes + 1 WHERE ownr = x'01'")
        #expect(try count(engine, UsageCounters.wrongCounters) == 1)
        try engine.engine.change { (writer) throws(Refusal) in try writer.store.recount() }
        #expect(try count(engine, UsageCounters.wrongCounters) == 0)
    }

    @Test("Versions count in the quota of who ended them, and go before a write is refused for them")
    func quota() throws {
        let engine = try TestEngine(in: directory, quotas: Quotas(programBytes: 4000))
        try engine.add("a", "one")
        let one = try count(engine, "SELECT bytes FROM usage WHERE ownr = x'00'")
        try update(engine, "a", "two")
        #expect(try count(engine, "SELECT bytes FROM usage WHERE ownr = x'00'") == 2 * one)
        #expect(try count(engine, "SELECT max(bytes) FROM usage WHERE length(ownr) = 16") == 2 * one)
        for index in 0..<30 { try update(engine, "a", "\(index)") }
        #expect(try count(engine, "SELECT bytes FROM usage WHERE ownr = x'00'") <= 4000)
        #expect(try engine.values() == ["a": "29"])
        #expect(refusal { try engine.add("b", String(repeating: "x", count: 5000)) }?.rule == .quota)
        #expect(try count(engine, UsageCounters.wrongCounters) == 0)
    }

    @Test("On a full disk a deletion keeps nothing and drops the oldest versions, and what is kept for deletions stays")
    func fullDisk() throws {
        let engine = try TestEngine(in: directory)
        let large = String(repeating: "x", count: 60_000)
        for account in ["a", "b"] { try engine.add(account, large) }
        for _ in 0..<3 { try update(engine, "b", large) }
        engine.engine.exclusively { writer in
            #expect(throws: Never.self) {
                let database = writer.store.database
                let pages = try database.integer("PRAGMA page_count", "be counted") ?? 0
                try database.execute("PRAGMA max_page_count = \(pages)", "be bounded")
            }
        }
        #expect(refusal { try engine.add("c", large) }?.status == .diskFull)
        try delete(engine, "a")
        #expect(try engine.values().keys.sorted() == ["b"])
        #expect(try history(engine) == [])
        #expect((try? FileStatus(at: "\(engine.folder)/keychain.db-reserve")) != nil)
        #expect(try engine.verify().damage == [])
    }

    @Test("Forgetting drops the versions of what it finds, and of nothing else")
    func forget() throws {
        let engine = try TestEngine(in: directory)
        for account in ["a", "b"] { try engine.add(account, "one") }
        for account in ["a", "b"] { try update(engine, account, "two") }
        _ = try engine.write(try Self.request(.forget, "a"))
        #expect(try history(engine) == [Shown(account: "b", end: .changed)])
        #expect(try engine.values() == ["a": "two", "b": "two"])
        #expect(refusal { _ = try engine.write(try Self.request(.forget, "a")) }?.status == .itemNotFound)
    }

    @Test("Forgetting leaves the versions that the item has in groups which the caller has not")
    func forgetInGroup() throws {
        let engine = try TestEngine(in: directory)
        let both = CallerIdentity(user: 1000, process: 1, program: "/bin/both", groups: ["test", "new"])
        try engine.add("a", "one")
        var builder = ItemRequestBuilder(.update)
        try builder.set("class", .string("genp"))
        try builder.change("agrp", .string("new"))
        _ = try engine.perform(try builder.build(), from: both)
        _ = try engine.perform(try Self.request(.update, "a", changing: "two"), from: both)
        #expect(try count(engine) == 2)
        _ = try engine.write(try Self.request(.forget, "a"))
        #expect(try count(engine) == 1)
        #expect(try history(engine) == [])
        #expect(try history(engine, from: both) == [Shown(account: "a", end: .changed)])
    }

    @Test("One version that a wrong clock dated later does not keep the others from going")
    func wrongClock() throws {
        let engine = try TestEngine(in: directory)
        try engine.add("a", "one")
        try update(engine, "a", "two")
        try update(engine, "a", "three")
        try engine.tamper("UPDATE history SET ended = ended + 400000000000000 WHERE id = (SELECT min(id) FROM history)")
        try trim(engine, Clock.secondsSinceReferenceDate + 31 * 86400)
        #expect(try count(engine) == 1)
    }

    @Test("A wall clock that is set ahead drops nothing in a process that runs; the system's clock counts")
    func clockSetAhead() {
        let (wall, boot) = (Monitor(1_000_000.0), Monitor(50.0))
        let clock = HistoryClock(wall: { wall.update { $0 } }, boot: { boot.update { $0 } })
        wall.update { $0 += 10 * 365 * 86400 }
        #expect(clock.now == 1_000_000)
        boot.update { $0 += 86400 }
        #expect(clock.now == 1_000_000 + 86400)
        wall.update { $0 = 900_000 }
        #expect(clock.now == 900_000)
    }

    @Test("An item that is moved to another group leaves no version in the old one")
    func moved() throws {
        let engine = try TestEngine(in: directory)
        try engine.add("a", "one")
        try update(engine, "a", "two")
        let both = CallerIdentity(user: 1000, process: 1, program: "/bin/both", groups: ["test", "new"])
        _ = try engine.access(.move(GroupMove(from: "test", to: "new")), from: both)
        #expect(try count(engine) == 0)
    }

    private func trim(_ engine: TestEngine, _ now: Double) throws {
        try engine.engine.change { (writer) throws(Refusal) in try writer.trimHistory(now: now) }
    }
}
