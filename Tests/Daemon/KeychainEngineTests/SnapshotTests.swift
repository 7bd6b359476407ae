import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

@Suite("Snapshots of a store in use")
struct SnapshotTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory, exclusive: true)
    }

    private var copies: [String] {
        get throws { try FolderEntries.names(in: engine.folder).filter(ItemStore.isSnapshot) }
    }

    @Test("A store that is written to is copied once in a day")
    func onceADay() throws {
        try engine.add("a", "1")
        try look(at: noon)
        #expect(try copies == [name(noon)])
        try engine.add("b", "2")
        for later in [1, 600, 3600, day - 1] { try look(at: noon + later) }
        #expect(try copies == [name(noon)])
        try look(at: noon + day)
        #expect(try copies == [name(noon), name(noon + day)])
    }

    @Test("A store that is not written to is copied once in a week")
    func unchanged() throws {
        try engine.add("a", "1")
        try look(at: noon, written: noon - 10)
        for later in 1..<7 { try look(at: noon + later * day, written: noon - 10) }
        #expect(try copies == [name(noon)])
        try look(at: noon + 7 * day, written: noon - 10)
        #expect(try copies == [name(noon), name(noon + 7 * day)])
    }

    @Test("A copy from a day that is yet to come hinders no other, nor does one of this hour for longer than a day")
    func clockThatGoesBack() throws {
        try engine.add("a", "1")
        try look(at: noon + 365 * day)
        try look(at: noon)
        #expect(try copies == [name(noon), name(noon + 365 * day)])
        try look(at: noon - 3600)
        #expect(try copies.count == 2)
        try look(at: noon - day)
        #expect(try copies == [name(noon - day), name(noon), name(noon + 365 * day)])
    }

    @Test("After a clock has gone ahead there is a copy, and one a day from then on")
    func clockThatGoesAhead() throws {
        try engine.add("a", "1")
        for days in [0, 400, 401] { try look(at: noon + days * day) }
        #expect(try copies == [0, 400, 401].map { name(noon + $0 * day) })
    }

    @Test("What was written by a clock that was behind is copied within a week")
    func writtenLongAgo() throws {
        try engine.add("a", "1")
        try look(at: noon, written: noon)
        try engine.add("b", "2")
        for later in 1...7 { try look(at: noon + later * day, written: 1) }
        #expect(try copies == [name(noon), name(noon + 7 * day)])
    }

    @Test("A clock that has not been set begins no copies", arguments: [1, 86400])
    func unsetClock(now: Int) throws {
        try engine.add("a", "1")
        try look(at: now)
        #expect(try FolderEntries.names(in: engine.folder).allSatisfy { !$0.hasSuffix(".snapshot") })
    }

    @Test("A store without items, or with none that are left, is not copied")
    func withoutItems() throws {
        try look(at: noon)
        #expect(try copies.isEmpty)
        try engine.add("a", "1", more: ["sync": .number(1)])
        var deletion = ItemRequestBuilder(.delete)
        try deletion.set("class", .string("genp"))
        try deletion.set("sync", .string("syna"))
        _ = try engine.write(try deletion.build())
        try look(at: noon)
        #expect(try copies.isEmpty)
    }

    @Test("With 0 days of history there are no daily copies, only those that are asked for")
    func switchedOff() throws {
        let other = try TemporaryDirectory()
        let engine = try TestEngine(in: other, exclusive: true, history: HistoryLimits(days: 0))
        try engine.add("a", "1")
        for days in 0..<3 { engine.engine.keepHouse(by: .never, now: noon + days * day) }
        #expect(try FolderEntries.names(in: engine.folder).filter(ItemStore.isSnapshot).isEmpty)
        _ = try engine.engine.store.snapshot()
        #expect(try FolderEntries.names(in: engine.folder).filter(ItemStore.isSnapshot).count == 1)
    }

    @Test("No program's call makes a daily copy: it is made when nothing was written since the last look")
    func idle() throws {
        let housekeeping = Housekeeping(engine.engine)
        try engine.add("a", "1")
        engine.engine.checkpointIfDue()
        engine.engine.maintain()
        #expect(housekeeping.look(now: noon) == 60)
        #expect(try copies.isEmpty)
        #expect(housekeeping.look(now: noon + 60) == 600)
        #expect(try copies == [name(noon + 60)])
        #expect(housekeeping.look(now: noon + 660) == 600)
    }

    @Test("A store that is always written to is copied in the end")
    func busy() throws {
        let housekeeping = Housekeeping(engine.engine)
        for number in 0..<Housekeeping.mostLooksInVain {
            #expect(try copies.isEmpty)
            try engine.add("\(number)", "1")
            _ = housekeeping.look(now: noon + number * 60)
        }
        #expect(try copies.count == 1)
    }

    @Test("A daily copy that cannot be made is logged, leaves nothing behind and ends nothing; the next one is made")
    func impossible() throws {
        let other = try TemporaryDirectory()
        let lines = Lock<[String]>([])
        let engine = try TestEngine(in: other, exclusive: true, log: { line in lines.withLock { $0.append(line) } })
        _ = try engine.addTogether((0..<2000).map { "\($0)" })
        engine.engine.keepHouse(by: .now, now: noon)
        #expect(lines.withLock { $0 }.filter { $0.hasPrefix("The daily copy of the store was not made: ") }.count == 1)
        #expect(try FolderEntries.names(in: engine.folder).allSatisfy { !$0.contains("snapshot") })
        #expect(engine.engine.failure == nil)
        try engine.add("a", "1")
        engine.engine.keepHouse(by: .never, now: noon)
        #expect(try FolderEntries.names(in: engine.folder).filter(ItemStore.isSnapshot) == [name(noon)])
    }

    private let day = 86400
    /// A day after today, so that what the tests write is older.
    private let noon = (time(nil) / 86400 + 1) * 86400 + 43200

    private func name(_ moment: Int) -> String { "\(StoreFile.name).\(ItemStore.moment(moment)).snapshot" }

    /// Has done what is due at a moment, in a store that was last written to just before, or when it says.
    private func look(at now: Int, written: Int? = nil) throws {
        let moment = timeval(tv_sec: written ?? now - 1, tv_usec: 0)
        for name in [StoreFile.name, "\(StoreFile.name)-wal"] {
            #expect(unsafe utimes("\(engine.folder)/\(name)", [moment, moment]) == 0)
        }
        engine.engine.keepHouse(by: .never, now: now)
    }

    @Test("A copy opens in the place of the store, with what there was when it was made")
    func restored() throws {
        try engine.add("a", "1")
        let path = try engine.engine.store.snapshot()
        try engine.add("b", "2")
        let other = try TemporaryDirectory()
        try PrivateDirectory.ensure("\(other.path)/keychain")
        for (from, to) in [(path, "keychain.db"), ("\(engine.folder)/vault", "vault")] {
            let content = try AtomicFile.read(from, limit: 1 << 24)
            try AtomicFile.replace("\(other.path)/keychain/\(to)", with: content.span)
        }
        let again = try TestEngine(in: other)
        #expect(try again.values() == ["a": "1"])
        #expect(try again.verify().damage.isEmpty)
        #expect(try FileStatus(at: path)?.mode == S_IFREG | 0o600)
    }

    @Test("A copy is of one moment, also while others write")
    func whileWriting() throws {
        try engine.add("0", "0")
        let thread = try Thread(named: "writer") { [engine] in
            for number in stride(from: 1, to: 400, by: 2) {
                _ = try? engine.addTogether(["\(number)", "\(number + 1)"])
            }
        }
        var paths: [String] = []
        for _ in 0..<3 { paths.append(try engine.engine.store.snapshot()) }
        thread.join()
        for path in Set(paths) {
            let copy = try Database(path: path, sharing: .shared)
            // The pairs come together or not at all.
            let count = try copy.integer("SELECT count(*) FROM genp", "") ?? 0
            #expect(count % 2 == 1)
            #expect(
                try copy.integer("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'", "") == 1)
        }
        #expect(try engine.values().count == 401)
    }

    @Test("The last seven are kept, and the copies before a migration stay")
    func kept() throws {
        for day in 10..<20 {
            let name = "\(engine.folder)/keychain.db.202601\(day)T000000Z.snapshot"
            try AtomicFile.replace(name, with: [0x53 as UInt8].span)
        }
        let migration = "\(engine.folder)/keychain.db.v4.815000000.snapshot"
        try AtomicFile.replace(migration, with: [0x53 as UInt8].span)
        let path = try engine.engine.store.snapshot()
        #expect(try copies.count == ItemStore.keptSnapshots)
        #expect(try copies.last.map { "\(engine.folder)/\($0)" } == path)
        #expect(try copies.first == "keychain.db.20260114T000000Z.snapshot")
        #expect(try FileStatus(at: migration) != nil)
    }

    @Test("A copy that was just made stays, also beside copies that a wrong clock dated later")
    func datedLater() throws {
        for day in 1...7 {
            try AtomicFile.replace(
                "\(engine.folder)/keychain.db.2999010\(day)T000000Z.snapshot", with: [0x53 as UInt8].span)
        }
        let path = try engine.engine.store.snapshot()
        #expect(try FileStatus(at: path) != nil)
        #expect(try copies.count == ItemStore.keptSnapshots)
        #expect(try copies.last == "keychain.db.29990107T000000Z.snapshot")
    }

    @Test("What has the name of a copy and is none is no reason not to make one, and does not count", arguments: 0..<3)
    func noCopy(_ kind: Int) throws {
        try engine.add("a", "1")
        let now = 820_000_000 + 978_307_200
        let name = "\(engine.folder)/keychain.db.\(ItemStore.moment(now)).snapshot"
        switch kind {
        case 0: try AtomicFile.replace(name, with: [UInt8]().span)
        case 1: #expect(unsafe mkdir(name, 0o700) == 0)
        default: #expect(unsafe mkfifo(name, 0o600) == 0)
        }
        #expect(try engine.engine.store.isSnapshotDue(now: now + 10))
        _ = try engine.engine.store.snapshot(now: now + 10)
        #expect(try !engine.engine.store.isSnapshotDue(now: now + 20))
    }

    @Test("A store with shelves of files and without items is copied as well")
    func shelvesAlone() throws {
        #expect(try !engine.engine.store.isSnapshotDue(now: 820_000_000 + 978_307_200))
        let binding = KeyBinding(group: "test", accessibility: .whenUnlocked, control: 0)
        let place = ShelfPlace(.complete, binding, name: "")
        _ = try engine.key(.file(.make(FileID(), place)))
        #expect(try engine.engine.store.isSnapshotDue(now: 820_000_000 + 978_307_200))
    }

    @Test("One that does not come to its end in time leaves nothing behind")
    func late() throws {
        _ = try engine.addTogether((0..<2000).map { "\($0)" })
        #expect(refusal { _ = try engine.engine.store.snapshot(by: .now) }?.rule == .deadline)
        #expect(try FolderEntries.names(in: engine.folder).allSatisfy { !$0.contains("snapshot") })
    }

    @Test("What a killed process left of its copies is removed after an hour, and is in nobody's way before")
    func abandoned() throws {
        try engine.add("a", "1")
        let old = "\(engine.folder)/keychain.db.v4.815000000.snapshot.4711.unfinished"
        let young = "\(engine.folder)/keychain.db.20260110T000000Z.snapshot.4712.unfinished"
        for path in [old, young] { try AtomicFile.replace(path, with: Array("half".utf8).span) }
        let times = [timeval(tv_sec: time(nil) - 3700, tv_usec: 0), timeval(tv_sec: time(nil) - 3700, tv_usec: 0)]
        #expect(unsafe utimes(old, times) == 0)
        _ = try engine.engine.store.snapshot()
        #expect(try FileStatus(at: old) == nil)
        #expect(try FileStatus(at: young) != nil)
    }
}
