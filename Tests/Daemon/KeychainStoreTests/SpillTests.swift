import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainStore

/// After a crash, the log gives back every page that a commit has put into it.
@Suite("The connection that writes")
struct SpillTests {
    private let directory, copy: TemporaryDirectory
    private let writer: StoreWriter
    private var database: Database { writer.database }

    init() throws {
        (directory, copy) = (try TemporaryDirectory(), try TemporaryDirectory())
        let store = try ItemStore(folder: directory.path, prefersExclusive: false)
        writer = try store.makeWriter(indexKey: SecretBytes(count: 32))
    }

    /// A table that is larger than what SQLite is told to keep in memory.
    private func makeTable() throws {
        try database.execute(
            """
            PRAGMA cache_size = 10; CREATE TABLE things (id INTEGER PRIMARY KEY, name UNIQUE, content);
            WITH RECURSIVE row (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM row WHERE n < 1500)
            INSERT INTO things SELECT n, hex(randomblob(9)), zeroblob(CASE n & 1 WHEN 1 THEN 50 ELSE 900 END) FROM row
            """, "")
    }

    /// Changes many rows here and there, undoes that, and commits a few rows.
    private func commitBesideUndone(_ random: inout SplitMix64) throws {
        try database.execute("BEGIN IMMEDIATE", "")
        try database.execute("INSERT INTO things (name) VALUES (hex(randomblob(9))); SAVEPOINT one", "")
        for _ in 0..<Int.random(in: 100..<1500, using: &random) {
            let row = Int.random(in: 1...1500, using: &random)
            try database.execute(
                "UPDATE things SET name = hex(randomblob(9)), content = zeroblob(900) WHERE id = \(row)", "")
        }
        try database.execute("ROLLBACK TO one; RELEASE one", "")
        for _ in 0..<Int.random(in: 1..<40, using: &random) {
            try database.execute("INSERT INTO things (name, content) VALUES (hex(randomblob(9)), zeroblob(900))", "")
        }
        try database.execute("COMMIT", "")
    }

    /// How many rows the next start finds when this process ends now.
    private func countAfterCrash() throws -> Int64? {
        for name in ["keychain.db", "keychain.db-wal"] {
            let content = try AtomicFile.read(directory.file(name), limit: 1 << 27)
            try AtomicFile.replace(copy.file(name), with: content.span)
        }
        try AtomicFile.remove(copy.file("keychain.db-shm"))
        return try Database(path: copy.file("keychain.db"), sharing: .shared).integer("SELECT count(*) FROM things", "")
    }

    @Test("What is committed after a large change was undone is in the log whole", arguments: 0..<4)
    func besideUndone(_ seed: Int) throws {
        var random = SplitMix64(seed: UInt64(seed))
        try makeTable()
        for _ in 0..<5 {
            try commitBesideUndone(&random)
            #expect(try countAfterCrash() == database.integer("SELECT count(*) FROM things", ""))
        }
    }
}
