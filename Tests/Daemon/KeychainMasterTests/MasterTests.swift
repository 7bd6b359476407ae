import Glibc
import KeychainMaster
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

/// A master at a socket of the test's own, whose daemons are small scripts.
private final class Fixture {
    let directory: TemporaryDirectory
    let end: Wakeup
    let log = Monitor<[String]>([])
    private let thread: Thread

    /// Takes connections and tells each its process; `go` on one of them makes it offer to end.
    private static let script = """
        import array, os, socket, struct, sys
        control = socket.socket(fileno=3)
        count = 0
        while True:
            handed, fds, _, _ = socket.recv_fds(control, 18, 2)
            if not handed: sys.exit(0)
            count += 1
            if handed[0] == 3:
                os.write(fds[0], struct.pack('<I', os.getpid()))
                continue
            connection = socket.socket(fileno=fds[0])
            connection.setblocking(True)
            connection.sendall(struct.pack('<I', os.getpid()))
            word = connection.recv(1)
            if word == b'o': control.sendall(struct.pack('<Q', count))
            if word == b's': control.sendall(struct.pack('<Q', count + 1))
            if word == b'x': os._exit(1)
            connection.close()
        """

    /// - Parameter hasIdentifier: whether it asks for channels to one, at the socket `identifier`.
    init(mostUserDaemons: Int = 8, hasIdentifier: Bool = false) throws {
        directory = try TemporaryDirectory()
        end = try Wakeup()
        let socket = try UnixSocket.listen(at: directory.file("socket"))
        let system = try UnixSocket.listen(at: directory.file("system"))
        let (end, log) = (end, log)
        let identifier = hasIdentifier ? directory.file("identifier") : nil
        thread = try Thread(named: "master") {
            let master = try? Master(
                [.init(socket, for: .personal), .init(system, for: .system)], mostUserDaemons: mostUserDaemons,
                start: { (_, control) throws(SystemError) in
                    try ChildProcess.start("/usr/bin/python3", ["-c", Self.script], handing: [control.descriptor])
                }, identifier: identifier, log: { line in log.update { $0.append(line) } })
            try? master?.run(until: end.descriptor)
        }
    }

    /// Asks the master to end and waits until all daemons have.
    func finish() {
        end.signal()
        thread.join()
    }

    deinit { finish() }

    /// Connects, says a word, and gives the process that answered; nil when the connection was closed.
    func ask(_ word: String = ".", at name: String = "socket") throws -> Int32? {
        let connection = try UnixSocket.connect(to: directory.file(name), deadline: soon)
        var bytes = [UInt8](repeating: 0, count: 4)
        var span = bytes.mutableSpan
        guard try connection.receiveFully(into: &span, deadline: soon) == 4 else { return nil }
        try connection.sendFully(Array(word.utf8).span, deadline: soon)
        // Its end says that the daemon has read the word.
        var rest: [UInt8] = [0]
        var restSpan = rest.mutableSpan
        _ = try? connection.receiveFully(into: &restSpan, deadline: soon)
        return Int32(bitPattern: bytes.span.littleEndian(UInt32.self, at: 0))
    }
}

@Suite("The master hands each connection to the daemon of its keychain")
struct MasterTests {
    @Test("One user's connections go to one daemon, the system's to another")
    func sorts() throws {
        let fixture = try Fixture()
        let first = try #require(try fixture.ask())
        #expect(try fixture.ask() == first)
        let system = try #require(try fixture.ask(at: "system"))
        #expect(system != first)
        #expect(try fixture.ask(at: "system") == system)
    }

    @Test("A daemon that offers to end is let go, and the next connection starts another one")
    func letsGo() throws {
        let fixture = try Fixture()
        let first = try #require(try fixture.ask("o"))
        var next = try #require(try fixture.ask())
        // The offer may be on its way while the connection is.
        for _ in 0..<100 where next == first { next = try #require(try fixture.ask("o")) }
        #expect(next != first)
        #expect(kill(first, 0) == -1)
    }

    @Test("An offer that does not count every connection is turned down: none is lost on the way")
    func ignoresStaleOffer() throws {
        let fixture = try Fixture()
        let first = try #require(try fixture.ask("s"))
        for _ in 0..<5 { #expect(try fixture.ask() == first) }
    }

    @Test("A daemon that dies is started again at the next connection, and the log says so")
    func restarts() throws {
        let fixture = try Fixture()
        let first = try #require(try fixture.ask("x"))
        var next: Int32?
        for _ in 0..<100 where next == nil || next == first { next = try fixture.ask() }
        #expect(next != nil && next != first)
        #expect(fixture.log.update { $0 }.contains { $0.contains("has failed") })
    }

    @Test("One that dies again and again is started all the same, only later")
    func failsOftenAndIsStarted() throws {
        let fixture = try Fixture()
        var daemons: Set<Int32> = []
        while daemons.count < 4 { if let daemon = try fixture.ask("x") { daemons.insert(daemon) } }
        var next: Int32?
        for _ in 0..<100 where next == nil || daemons.contains(next ?? 0) { next = try fixture.ask() }
        #expect(next != nil && !daemons.contains(next ?? 0))
    }

    @Test("Each daemon gets a channel to the identifier, and another one when that has ended")
    func introduces() throws {
        let fixture = try Fixture(hasIdentifier: true)
        let path = fixture.directory.file("identifier")
        var daemon: Int32?
        for _ in 0..<2 {
            // Nobody listens at first.
            if daemon == nil { #expect(try fixture.ask() != nil) }
            let listener = try UnixSocket.listen(at: path)
            try listener.descriptor.wait(for: .readable, deadline: soon)
            let master = try #require(try listener.accept())
            try master.descriptor.wait(for: .readable, deadline: soon)
            let handed = try #require(try IdentifierHandover.receive(from: master))
            #expect(handed.owner == .user(CurrentProcess.user))
            var bytes = [UInt8](repeating: 0, count: 4)
            var span = bytes.mutableSpan
            #expect(try handed.channel.receiveFully(into: &span, deadline: soon) == 4)
            let said = Int32(bitPattern: bytes.span.littleEndian(UInt32.self, at: 0))
            #expect(try fixture.ask() == said && daemon ?? said == said)
            daemon = said
        }
    }

    @Test("A daemon whose channel has ended gets another one to the same identifier")
    func introducesAgain() throws {
        let fixture = try Fixture(hasIdentifier: true)
        let listener = try UnixSocket.listen(at: fixture.directory.file("identifier"))
        #expect(try fixture.ask() != nil)
        try listener.descriptor.wait(for: .readable, deadline: soon)
        let master = try #require(try listener.accept())
        for _ in 0..<3 {
            try master.descriptor.wait(for: .readable, deadline: soon)
            let handed = try #require(try IdentifierHandover.receive(from: master))
            #expect(handed.owner == .user(CurrentProcess.user))
            // The daemon writes there when it has got it.
            try handed.channel.descriptor.wait(for: .readable, deadline: soon)
            shutdown(handed.channel.descriptor.number, CInt(SHUT_RDWR))
        }
    }

    @Test("Connections to more keychains than may be open are closed")
    func limits() throws {
        let fixture = try Fixture(mostUserDaemons: 1)
        #expect(try fixture.ask() != nil)
        #expect(try fixture.ask(at: "system") == nil)
    }

    @Test("At its end all daemons have ended and are no zombies")
    func ends() throws {
        let fixture = try Fixture()
        let daemon = try #require(try fixture.ask())
        fixture.finish()
        #expect(kill(daemon, 0) == -1 && errno == ESRCH)
    }
}
