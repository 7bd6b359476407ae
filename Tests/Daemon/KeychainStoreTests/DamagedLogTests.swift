import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainStore

/// The damage that SQLite would silently pass over is noticed, and the end of a log after a power cut is not taken for
/// damage.
@Suite("A log that is damaged before its end")
struct DamagedLogTests {
    private static let frame = 24 + 4096
    private let directory: TemporaryDirectory
    private var path: String { directory.file("keychain.db") }
    private var log: String { path + "-wal" }
    private var copy: String { path + "-wal.damaged" }

    init() throws { directory = try TemporaryDirectory() }

    /// A store whose log has so many commits of several frames, and nobody who has it open.
    private func leaveLog(_ commits: Int) throws {
        _ = try FileDescriptor.open(path, 0o102)
        let database = try Database(path: path, sharing: .shared)
        try database.execute("PRAGMA journal_mode = WAL; CREATE TABLE things (content BLOB)", "")
        for _ in 0..<commits { try database.execute("INSERT INTO things VALUES (randomblob(9000))", "") }
    }

    private func content(_ path: String) throws -> [UInt8] { try AtomicFile.read(path, limit: 1 << 24) }

    /// The index of the frame behind each commit.
    private func ends(_ log: [UInt8]) -> [Int] {
        let count = (log.count - 32) / Self.frame
        return (0..<count).filter { index in
            log[(32 + index * Self.frame + 4)..<(32 + index * Self.frame + 8)] != [0, 0, 0, 0]
        }
        .map { $0 + 1 }
    }

    private func change(_ offsets: Range<Int>, to change: (UInt8) -> UInt8) throws {
        var bytes = try content(log)
        for offset in offsets { bytes[offset] = change(bytes[offset]) }
        try AtomicFile.replace(log, with: bytes.span)
    }

    private var isKept: Bool { get throws { try DamagedLog.keep(of: path); return DamagedLog.isKept(besides: path) } }

    @Test("Any byte of it, but in its last commit, is noticed, and a copy kept as it was", arguments: 0..<40)
    func flipped(_ seed: Int) throws {
        try leaveLog(4)
        let whole = try content(log)
        let last = try #require(ends(whole).dropLast().last)
        var random = SplitMix64(seed: UInt64(seed))
        // Headers are small; every other flip is in one.
        let frame = 32 + Int.random(in: 0..<last, using: &random) * Self.frame
        let offset =
            seed % 4 == 0
            ? Int.random(in: 0..<32, using: &random)
            : frame + Int.random(in: seed % 2 == 0 ? 0..<24 : 24..<Self.frame, using: &random)
        try change(offset..<(offset + 1)) { $0 ^ 1 << UInt8(seed % 8) }
        #expect(try isKept, "offset \(offset)")
        #expect(try content(copy) == content(log))
        #expect(try #require(try FileStatus(ofLink: copy)).mode & 0o777 == 0o600)
    }

    @Test("A whole one is none, nor one that is missing, empty or no log at all", arguments: [0, 1, 31, 32, 40, 5000])
    func none(_ size: Int) throws {
        #expect(try !isKept)
        try leaveLog(3)
        #expect(try !isKept)
        let whole = try content(log)
        try AtomicFile.replace(log, with: whole.span.extracting(..<size))
        #expect(try !isKept)
        try AtomicFile.replace(log, with: [UInt8](repeating: 0xA5, count: size).span)
        #expect(try !isKept)
    }

    @Test("A size of pages that no database has ends no process", arguments: [513, 515, 1000, 65535])
    func pageSize(size: Int) throws {
        try leaveLog(2)
        var bytes = try content(path)
        (bytes[16], bytes[17]) = (UInt8(size >> 8), UInt8(size & 0xff))
        try AtomicFile.replace(path, with: bytes.span)
        #expect(try !isKept)
    }

    @Test("A last commit of which any sectors are missing was interrupted", arguments: 0..<20)
    func torn(_ seed: Int) throws {
        try leaveLog(4)
        let (bytes, random) = (try content(log), Monitor(SplitMix64(seed: UInt64(seed))))
        let start = 32 + (try #require(ends(bytes).dropLast().last)) * Self.frame
        for sector in (start + 511) / 512..<bytes.count / 512 where random.update({ Bool.random(using: &$0) }) {
            try change(sector * 512..<(sector + 1) * 512) { _ in 0 }
        }
        #expect(try !isKept)
    }

    @Test("Frames of a log from before the last checkpoint are none of this one")
    func earlier() throws {
        _ = try FileDescriptor.open(path, 0o102)
        let database = try Database(path: path, sharing: .shared)
        try database.execute("PRAGMA journal_mode = WAL; CREATE TABLE things (content BLOB)", "")
        for _ in 0..<20 { try database.execute("INSERT INTO things VALUES (randomblob(9000))", "") }
        #expect(try database.checkpoint(by: .never))
        try database.execute("INSERT INTO things VALUES (1)", "")
        #expect(try !isKept)
    }

    @Test("Frames of a larger change that was rolled back, behind smaller commits, are none of this one")
    func rolledBack() throws {
        _ = try FileDescriptor.open(path, 0o102)
        let database = try Database(path: path, sharing: .shared)
        try database.execute("PRAGMA journal_mode = WAL; CREATE TABLE things (content BLOB); PRAGMA cache_size = 4", "")
        try database.execute("BEGIN; INSERT INTO things VALUES (randomblob(400000)); ROLLBACK", "")
        for _ in 0..<3 { try database.execute("INSERT INTO things VALUES (randomblob(9000))", "") }
        #expect(try content(log).count > 60 * Self.frame)
        #expect(try !isKept)
    }

    @Test("The first copy stays until it is forgotten")
    func first() throws {
        try leaveLog(4)
        try change(5000..<5001) { $0 ^ 1 }
        #expect(try isKept)
        let kept = try content(copy)
        try change(9000..<9001) { $0 ^ 1 }
        #expect(try isKept)
        #expect(try content(copy) == kept)
        try DamagedLog.forget(besides: path)
        #expect(!DamagedLog.isKept(besides: path))
        try DamagedLog.forget(besides: path)
    }

    @Test("A store of which no copy can be kept is not opened")
    func noCopy() throws {
        try leaveLog(4)
        try change(5000..<5001) { $0 ^ 1 }
        #expect(unsafe mkdir(copy, 0o700) == 0)
        #expect(throws: SystemError.self) { try DamagedLog.keep(of: path) }
    }
}
