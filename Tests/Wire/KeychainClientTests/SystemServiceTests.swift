import Glibc
import KeychainClient
import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@Suite("Programs find the system service by themselves")
struct SystemServiceTests {
    private let directory: TemporaryDirectory
    private var folder: String { directory.file("run") }

    init() throws { directory = try TemporaryDirectory() }

    private func configuration(_ more: [String: String] = [:]) throws(Refusal) -> Configuration {
        let environment = ["HOME": directory.file("home"), "XDG_RUNTIME_DIR": directory.file("x")].merging(more) { $1 }
        return try Configuration(environment: { environment[$0] }, serviceFolder: folder)
    }

    private func makeService(mode: mode_t = 0o755) throws -> UnixSocket {
        _ = unsafe mkdir(folder, mode)
        _ = unsafe chmod(folder, mode)
        return try UnixSocket.listen(at: folder + "/socket")
    }

    @Test("Its socket comes before a daemon of the user's own", .enabled(if: geteuid() == 0))
    func isFound() throws {
        let listener = try makeService()
        let found = try configuration()
        #expect(found.socket == folder + "/socket" && found.usesSystemService)
        withExtendedLifetime(listener) {}
    }

    @Test(
        "What was stored before it is looked for below the home, by programs that use it", .enabled(if: geteuid() == 0))
    func findsOlderStore() throws {
        #expect(OlderStore(try configuration()) == nil)
        let listener = try makeService()
        let older = try #require(OlderStore(try configuration()))
        #expect(older.folder == directory.file("home") + "/.local/share/keychain" && !older.isMade)
        try PrivateDirectory.ensure(older.folder)
        try AtomicFile.replace(older.folder + "/keychain.db", with: [1].span)
        #expect(older.isThere)
        try older.note(isEmptied: true)
        #expect(!older.isThere && older.isMade)
        try older.note(isEmptied: false)
        #expect(older.isThere)
        #expect(OlderStore(try configuration(["KEYCHAIN_HOME": directory.file("own")])) == nil)
        #expect(OlderStore(try configuration(["KEYCHAIN_SOCKET": folder + "/socket"])) == nil)
        #expect(OlderStore(try Configuration(ofMarkedProgram: folder)) == nil)
        withExtendedLifetime(listener) {}
    }

    @Test("A keychain or socket of one's own comes before it", .enabled(if: geteuid() == 0))
    func yields() throws {
        let listener = try makeService()
        #expect(try !configuration(["KEYCHAIN_HOME": directory.file("own")]).usesSystemService)
        #expect(try configuration(["KEYCHAIN_SOCKET": directory.file("s")]).socket == directory.file("s"))
        #expect(try configuration(["KEYCHAIN_SOCKET": folder + "/system"]).usesSystemService)
        withExtendedLifetime(listener) {}
    }

    @Test("A folder that others can put sockets into is not believed", arguments: [mode_t(0o777), 0o775, 0o757])
    func distrusts(mode: mode_t) throws {
        let listener = try makeService(mode: mode)
        #expect(try !configuration().usesSystemService)
        withExtendedLifetime(listener) {}
    }

    @Test("What is no socket is none")
    func needsSocket() throws {
        _ = unsafe mkdir(folder, 0o755)
        try AtomicFile.replace(folder + "/socket", with: [1].span)
        #expect(try !configuration().usesSystemService)
    }

    @Test("A program that the kernel marks uses it and nothing else, and starts none", .enabled(if: geteuid() == 0))
    func isAllThatMarkedProgramsUse() throws {
        do { _ = try makeService() }
        let found = try Configuration(ofMarkedProgram: folder)
        #expect(found.socket == folder + "/socket" && found.usesSystemService && found.mode == .daemon)
        #expect(found.daemon == nil && !found.socketIsGiven && found.interaction == .auto)
        let refusal = failure { () throws(Refusal) in try Connection.reach(found) }
        #expect(refusal?.status == .notAvailable && refusal?.problem.contains("service does not run") == true)
    }

    @Test("A program that the kernel marks is refused where it is not, or where others can put a socket")
    func isNeededByMarkedPrograms() throws {
        let missing = failure { () throws(Refusal) in try Configuration(ofMarkedProgram: folder) }
        #expect(missing?.status == .notAvailable && missing?.subject == folder)
        let listener = try makeService(mode: 0o777)
        #expect(failure { () throws(Refusal) in try Configuration(ofMarkedProgram: folder) }?.status == .notAvailable)
        withExtendedLifetime(listener) {}
    }

    @Test("When it does not run, no daemon is started in its place", .enabled(if: geteuid() == 0))
    func startsNone() throws {
        do { _ = try makeService() }
        let configuration = try configuration(["KEYCHAIN_DAEMON": "/bin/false"])
        let refusal = failure { () throws(Refusal) in try Connection.reach(configuration) }
        #expect(refusal?.status == .notAvailable && refusal?.problem.contains("service does not run") == true)
    }
}
