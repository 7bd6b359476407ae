import Glibc
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@Suite("The first client starts the daemon")
struct LaunchTests {
    @Test("It starts, serves, and the next client finds it running")
    func starts() throws {
        let fixture = try DaemonFixture()
        let connection = try #require(try fixture.reach())
        try connection.add("alice")
        let process = try fixture.process().process
        #expect(try fixture.reach()?.has("alice") == true)
        #expect(try fixture.process().process == process)
    }

    @Test("It is nobody's child and has a session of its own, so the program that started it may end or be interrupted")
    func isDetached() throws {
        let fixture = try DaemonFixture()
        _ = try fixture.reach()
        let daemon = try fixture.process().process
        #expect(waitpid(daemon, nil, WNOHANG) == -1)
        #expect(getsid(daemon) == daemon)
    }

    @Test("Clients that start it at the same time all get the one daemon that wins")
    func resolvesRace() throws {
        let fixture = try DaemonFixture()
        let configuration = fixture.configuration
        let served = Monitor(0)
        let threads = try (0..<6).map { number in
            try Thread(named: "client") {
                guard let connection = try? Connection.reach(configuration) else { return }
                if (try? connection.add("account \(number)")) != nil { served.update { $0 += 1 } }
            }
        }
        for thread in threads { thread.join() }
        #expect(served.update { $0 } == 6)
        let connection = try #require(try fixture.reach())
        for number in 0..<6 { #expect(try connection.has("account \(number)")) }
    }

    @Test("A client whose daemon was ended starts another one, and nothing is lost", arguments: [SIGTERM, SIGKILL])
    func survivesEnd(signal: CInt) throws {
        let fixture = try DaemonFixture()
        let connection = try #require(try fixture.reach())
        try connection.add("alice")
        let first = try fixture.process().process
        try fixture.stop(with: signal)
        #expect(try connection.has("alice"))
        try connection.add("bob")
        #expect(try fixture.process().process != first)
    }

    @Test("Where none runs and none is installed, the engine is to run in the calling process")
    func embeds() throws {
        let fixture = try DaemonFixture()
        fixture.configuration.mode = .embedded
        #expect(try fixture.reach() == nil)
        #expect((try? fixture.process()) == nil)
    }

    @Test(
        "A daemon that cannot be run, or ends at once, is told with its path",
        arguments: ["/nonexistent/keychaind", "/bin/false"])
    func refusesBrokenDaemon(program: String) throws {
        let fixture = try DaemonFixture()
        fixture.configuration.daemon = program
        #expect(failure { () throws(Refusal) in try Connection.reach(fixture.configuration) }?.subject == program)
    }

    @Test("A client waits no longer for a daemon that starts than its request may take")
    func limitsStart() throws {
        let fixture = try DaemonFixture()
        let program = fixture.directory.file("slow")
        let started = fixture.directory.file("started")
        let script = "#!/bin/sh\nsleep 1000 >/dev/null 2>&1 &\necho $! >\(started)\n"
        try AtomicFile.replace(program, with: Array(script.utf8).span)
        unsafe chmod(program, 0o700)
        defer { if let process = try? Self.number(in: started) { kill(process, SIGKILL) } }
        (fixture.configuration.daemon, fixture.configuration.timeout) = (program, 200)
        let begun = Clock.monotonicNanoseconds
        #expect(failure { () throws(Refusal) in try Connection.reach(fixture.configuration) }?.status == .notAvailable)
        // A debug build that did not look at the time of the request would wait for a minute.
        #expect(Clock.monotonicNanoseconds - begun < 45_000_000_000)
    }

    private static func number(in path: String) throws -> Int32? {
        Int32(String(decoding: try AtomicFile.read(path, limit: 16), as: UTF8.self).dropLast())
    }

    @Test("A daemon that cannot open its store says why in its log, and the client says where that is")
    func logsReason() throws {
        let fixture = try DaemonFixture()
        try PrivateDirectory.ensure(fixture.configuration.folder)
        let nonsense = [UInt8](repeating: 7, count: 8192)
        try AtomicFile.replace(fixture.configuration.folder + "/keychain.db", with: nonsense.span)
        let refusal = failure { () throws(Refusal) in try Connection.reach(fixture.configuration) }
        #expect(refusal?.status == .notAvailable)
        #expect(refusal?.remedy.contains(fixture.configuration.folder + "/keychaind.log") == true)
        // The client may have given up before a slow daemon came to that.
        eventually { !fixture.log.isEmpty }
        #expect(fixture.log.hasPrefix("keychaind: "))
    }
}
