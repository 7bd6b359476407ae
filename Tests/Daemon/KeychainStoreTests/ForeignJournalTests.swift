import Glibc
import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainStore

@Suite("A rollback journal beside a store")
struct ForeignJournalTests {
    @Test("A journal, or a pipe in its place, keeps a store that has been made from being opened, and is named")
    func refused() throws {
        let directory = try TemporaryDirectory()
        let folder = directory.file("keychain")
        _ = try ItemStore(folder: folder, prefersExclusive: false)
        let journal = "\(folder)/keychain.db-journal"
        let makers: [() throws -> Void] = [
            { try AtomicFile.replace(journal, with: [UInt8](repeating: 0, count: 512).span) },
            { #expect(unsafe mkfifo(journal, 0o600) == 0) },
        ]
        for make in makers {
            try make()
            let refusal = #expect(throws: Refusal.self) {
                _ = try ItemStore(folder: folder, prefersExclusive: false)
            }
            #expect(refusal?.rule == .damaged && refusal?.problem.contains(journal) == true)
            #expect(unsafe unlink(journal) == 0)
        }
        _ = try ItemStore(folder: folder, prefersExclusive: false)
    }
}
