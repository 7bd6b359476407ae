import EmbeddedKeychain
import KeychainClient
import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@Suite("A program with the keychain inside, beside a daemon")
struct ProgramKeychainTests {
    private let fixture: DaemonFixture
    /// How long each try to open the store would wait.
    private let tries = Monitor<[Int]>([])

    init() throws { fixture = try DaemonFixture() }

    private func program() throws(Refusal) -> ProgramKeychain {
        let (folder, tries) = (fixture.configuration.folder, self.tries)
        return try ProgramKeychain(fixture.configuration) { patience throws(Refusal) in
            tries.update { $0.append(patience) }
            return try EmbeddedKeychain(folder: folder, patience: patience)
        }
    }

    @Test("A store that a daemon keeps is not waited for: the daemon is asked")
    func asksDaemon() throws {
        try #require(try fixture.reach()).add("alice")
        #expect(try program().has("alice"))
        #expect(tries.update { $0 } == [ProgramKeychain.patienceBesideDaemon])
    }

    @Test("Where no daemon has the store, it is waited for as long as a process may take that opens it")
    func waitsAlone() throws {
        try PrivateDirectory.ensure(fixture.configuration.folder)
        try program().add("alice")
        let found = tries.update { $0 }
        #expect(found.count == 1 && found[0] > ProgramKeychain.patienceBesideDaemon)
    }
}
