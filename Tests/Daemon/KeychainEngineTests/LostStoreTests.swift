import Glibc
import KeychainEngine
import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainStore

@Suite("A store that does not open is never replaced")
struct LostStoreTests {
    /// Accidents of a store, and the part of the file that is left then.
    enum Loss: String, CaseIterable {
        case deleted, emptied, overwritten, cutShort, vaultDeleted
    }

    @Test("It is refused with what to do, and nothing is put in its place", arguments: Loss.allCases)
    func refused(_ loss: Loss) throws {
        let directory = try TemporaryDirectory()
        var path = ""
        do {
            let engine = try TestEngine(in: directory)
            for number in 0..<50 { try engine.add("\(number)", String(repeating: "x", count: 2000)) }
            engine.engine.maintain()
            path = "\(engine.folder)/keychain.db"
        }
        try Self.inflict(loss, on: path)
        let before = try? AtomicFile.read(path, limit: 1 << 22)
        let refusal = #expect(throws: Refusal.self) { _ = try TestEngine(in: directory) }
        #expect(refusal?.remedy.isEmpty == false)
        #expect((try? AtomicFile.read(path, limit: 1 << 22)) == before)
    }

    private static func inflict(_ loss: Loss, on path: String) throws {
        for suffix in ["-wal", "-shm"] { unsafe unlink(path + suffix) }
        switch loss {
        case .deleted: unsafe unlink(path)
        case .emptied: try AtomicFile.replace(path, with: [UInt8]().span)
        case .overwritten:
            let junk = [UInt8](repeating: 0x5A, count: 20_000)
            try AtomicFile.replace(path, with: junk.span)
        case .cutShort: unsafe truncate(path, 8192)
        case .vaultDeleted: unsafe unlink(String(path.dropLast("keychain.db".count)) + "vault")
        }
    }

    @Test("A store of a newer release is left alone")
    func newerRelease() throws {
        let directory = try TemporaryDirectory()
        do {
            let engine = try TestEngine(in: directory)
            try engine.add("a", "value")
            try engine.tamper("PRAGMA user_version = 99")
        }
        let refusal = #expect(throws: Refusal.self) { _ = try TestEngine(in: directory) }
        #expect(refusal?.problem.contains("newer release") == true)
    }
}
