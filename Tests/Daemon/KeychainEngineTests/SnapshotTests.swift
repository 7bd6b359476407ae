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
            try AtomicFile.replace(name, with: [UInt8]().span)
        }
        let migration = "\(engine.folder)/keychain.db.v4.815000000.snapshot"
        try AtomicFile.replace(migration, with: [UInt8]().span)
        let path = try engine.engine.store.snapshot()
        #expect(try copies.count == ItemStore.keptSnapshots)
        #expect(try copies.last.map { "\(engine.folder)/\($0)" } == path)
        #expect(try copies.first == "keychain.db.20260114T000000Z.snapshot")
        #expect(try FileStatus(at: migration) != nil)
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
