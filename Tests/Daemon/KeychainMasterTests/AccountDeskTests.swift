import Glibc
import KeychainMaster
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

/// A master whose clerk is a small script, and a user who is not root.
private final class Lookup {
    let directory: TemporaryDirectory
    let end: Wakeup
    let log = Monitor<[String]>([])
    let clerks = Monitor(0)
    private let thread: Thread

    /// Says to each connection that it was taken.
    private static let daemon = """
        import socket
        control = socket.socket(fileno=3)
        while True:
            handed, fds, _, _ = socket.recv_fds(control, 64, 4)
            if not handed: break
            connection = socket.socket(fileno=fds[0])
            connection.setblocking(True)
            connection.sendall(b'x')
            connection.close()
        """

    /// Connects as a user; its end says whether it was served.
    private static let client = """
        import os, socket, sys
        user = int(sys.argv[2])
        if os.getuid() == 0: os.setgroups([]); os.setresgid(user, user, user); os.setresuid(user, user, user)
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(sys.argv[1])
        sys.exit(0 if connection.recv(1) == b'x' else 1)
        """

    /// - Parameters:
    ///   - clerk: what the clerk does with each question, in Python.
    ///   - longest: how long it may take: milliseconds.
    init(clerk: String, hasKeychain: Bool = false, longest: Int = patience) throws {
        directory = try TemporaryDirectory()
        unsafe chmod(directory.path, 0o755)
        end = try Wakeup()
        let socket = try UnixSocket.listen(at: directory.file("socket"), mode: 0o666)
        let script = """
            import os, socket
            channel = socket.socket(fileno=3)
            while True:
                question = channel.recv(4)
                if not question: break
                user = int.from_bytes(question, 'little')
                \(clerk)
            """
        let (end, log, clerks) = (end, log, clerks)
        thread = try Thread(named: "master") {
            let master = try? Master(
                [.init(socket, for: .personal)],
                start: { (_, control) throws(SystemError) in
                    try ChildProcess.start("/usr/bin/python3", ["-c", Self.daemon], handing: [control.descriptor])
                },
                clerk: { (channel) throws(SystemError) in
                    clerks.update { $0 += 1 }
                    return try ChildProcess.start("/usr/bin/python3", ["-c", script], handing: [channel.descriptor])
                },
                longestLookup: longest, hasKeychain: { _ in hasKeychain },
                log: { line in log.update { $0.append(line) } })
            try? master?.run(until: end.descriptor)
        }
    }

    deinit {
        end.signal()
        thread.join()
    }

    /// Whether a user is served.
    func serves(_ number: UInt32 = 61_240) throws -> Bool {
        let user = CurrentProcess.user == 0 ? number : CurrentProcess.user
        let path = directory.file("socket")
        let client = try ChildProcess.start("/usr/bin/python3", ["-c", Self.client, path, "\(user)"], handing: [])
        return client.reap(timeout: patience) == 0
    }

    func says(_ text: String) -> Bool { log.update { $0 }.contains { $0.contains(text) } }
}

@Suite("A number without an account has no keychain")
struct AccountDeskTests {
    @Test("Who has an account is handed over, and while the daemon runs nobody is looked up again")
    func account() throws {
        let lookup = try Lookup(clerk: "channel.sendall(b'\\x01')")
        #expect(try lookup.serves() && lookup.serves())
        #expect(lookup.clerks.update { $0 } == 1)
    }

    @Test("Who has none is not, whatever there is of a keychain, and the log says so")
    func stranger() throws {
        let lookup = try Lookup(clerk: "channel.sendall(b'\\x00')", hasKeychain: true)
        #expect(try !lookup.serves() && !lookup.serves())
        #expect(lookup.says("who has no account"))
    }

    @Test("A look-up that fails is no \"no\": who has a keychain is served", arguments: [true, false])
    func failed(hasKeychain: Bool) throws {
        let lookup = try Lookup(clerk: "channel.sendall(b'\\x02')", hasKeychain: hasKeychain)
        #expect(try lookup.serves() == hasKeychain)
        #expect(lookup.says("cannot be found out now") != hasKeychain)
    }

    @Test("A clerk that ends without an answer has said nothing, and the next question has the next one")
    func broken() throws {
        let lookup = try Lookup(clerk: "os._exit(1)")
        #expect(try !lookup.serves())
        #expect(lookup.says("cannot be found out now"))
        #expect(try !lookup.serves(61_241))
        #expect(lookup.clerks.update { $0 } == 2)
    }

    @Test("A clerk that says nothing is ended after its time, and what waited is let go")
    func silent() throws {
        let lookup = try Lookup(clerk: "pass", longest: 100)
        #expect(try !lookup.serves())
        #expect(lookup.says("cannot be found out now"))
    }
}
