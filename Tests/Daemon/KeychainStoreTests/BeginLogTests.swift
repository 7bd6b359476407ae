import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainStore

@Suite("A new store that two processes open")
struct BeginLogTests {
    private let directory: TemporaryDirectory
    private let first, second: Database

    init() throws {
        directory = try TemporaryDirectory()
        let path = directory.file("keychain.db")
        try StoreFile.makePrivate(path)
        (first, second) = (try Database(path: path, sharing: .shared), try Database(path: path, sharing: .shared))
        try first.execute("BEGIN IMMEDIATE; CREATE TABLE things (id)", "be written")
    }

    @Test("The second waits until the first has made it, and then goes on")
    func waits() throws {
        var pauses = 0
        try second.beginLog {
            pauses += 1
            if pauses == 3 { try? first.execute("COMMIT", "be written") }
        }
        #expect(pauses == 3)
        #expect(try second.integer("SELECT count(*) FROM pragma_journal_mode WHERE journal_mode = 'wal'", "") == 1)
        #expect(try second.integer("SELECT count(*) FROM things", "") == 0)
    }

    @Test("It is refused where the first keeps the file, and changes nothing")
    func isRefused() throws {
        let refused = #expect(throws: DatabaseError.self) { try second.beginLog(by: .now) }
        #expect(refused?.primary == 5)
        try first.execute("COMMIT", "be written")
        #expect(try second.integer("SELECT count(*) FROM things", "") == 0)
    }
}
