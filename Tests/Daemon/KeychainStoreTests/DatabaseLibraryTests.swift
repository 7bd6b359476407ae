import LinuxSystem
import TestSupport
import Testing

@testable import KeychainStore

@Suite("SQLite in a process")
struct DatabaseLibraryTests {
    private static func useDatabase() throws -> Database {
        let directory = try TemporaryDirectory()
        _ = try FileDescriptor.open(directory.file("keychain.db"), 0o102)
        let database = try Database(path: directory.file("keychain.db"), sharing: .exclusive)
        try database.execute("CREATE TABLE things (id INTEGER PRIMARY KEY)", "")
        return database
    }

    @Test("A process that it belongs to has it count no memory")
    func ownProcess() async {
        await #expect(processExitsWith: .success) { () throws in
            #expect(DatabaseLibrary.belongsToThisProcess())
            let database = try Self.useDatabase()
            withExtendedLifetime(database) { #expect(DatabaseLibrary.countedMemory == 0) }
        }
    }

    @Test("Once it is in use it stays as it is")
    func usedBefore() async {
        await #expect(processExitsWith: .success) { () throws in
            let database = try Self.useDatabase()
            #expect(!DatabaseLibrary.belongsToThisProcess())
            withExtendedLifetime(database) { #expect(DatabaseLibrary.countedMemory > 0) }
        }
    }
}
