import Glibc
import KeychainClient
import KeychainModel
import KeychainServer
import KeychainWire
import LinuxSystem
import ServerTestSupport
import TestSupport
import Testing

extension RunningServer {
    /// A client of this server.
    func connection() -> Connection {
        let path = path
        return Connection(timeout: UInt32(patience)) { (_) throws(Refusal) in try Self.open(path) }
    }

    static func open(_ path: String) throws(Refusal) -> UnixSocket {
        do throws(SystemError) { return try UnixSocket.connect(to: path, deadline: soon) } catch {
            throw Refusal(.notAvailable, .unavailable, "test", "\(error)", do: "Start it.")
        }
    }
}

@Suite("A connection to a daemon")
struct ConnectionTests {
    private static let search = Frames.request(.copyMatching, account: "alice")

    @Test("Searches, writes and device requests are answered")
    func answers() throws {
        let server = try RunningServer()
        let connection = server.connection()
        #expect(try connection.send(Self.search).items.first?.attributes[.account] == .string("alice"))
        #expect(try connection.send(Frames.request(.add, account: "bob")).items.count == 1)
        #expect(try connection.device(.status, passcodes: []) == .status(StandIn.status))
        #expect(try connection.verifyAll { _, _ in } == VerificationReport())
        #expect(try connection.device(.lock, passcodes: []) == .done)
    }

    @Test("A program that closes or reuses the descriptor of its connection is served, and its own file stays as it is")
    func reusedDescriptor() throws {
        let server = try RunningServer()
        let path = server.path
        let (own, peer) = try UnixSocket.pair()
        var first: UnixSocket? = try RunningServer.open(path)
        let number = try #require(first?.descriptor.number)
        do {
            let connection = Connection(timeout: UInt32(patience), connected: first) { (_) throws(Refusal) in
                try RunningServer.open(path)
            }
            first = nil
            #expect(try connection.send(Self.search).items.count == 1)
            #expect(dup2(own.descriptor.number, number) == number)
            #expect(try connection.send(Frames.request(.add, account: "bob")).items.count == 1)
        }
        #expect(try FileStatus(ofDescriptor: number).isSameFile(as: FileStatus(of: own.descriptor)))
        close(number)
        try peer.descriptor.setNonBlocking()
        var room = [UInt8](repeating: 0, count: 1)
        var span = room.mutableSpan
        #expect(try peer.descriptor.read(into: &span) == nil)
    }

    @Test("Keys are made and used, and what the enclave cannot take is refused before it is sent")
    func keys() throws {
        let server = try RunningServer()
        let connection = server.connection()
        let binding = KeyBinding(group: "g", accessibility: .always, control: 1)
        guard case .key(let key) = try connection.key(.make(binding)) else { throw Refusal.malformed("the reply") }
        #expect(key.binding == binding)
        guard case .output(let output) = try connection.key(.use(key, KeyUse("a", [1, 2]))) else {
            throw Refusal.malformed("the reply")
        }
        #expect(output.withSpan { $0.array(0, 2) } == [1, 2])
        let large = KeyUse("a", [UInt8](repeating: 0, count: KeyLimits.inputBytes + 1))
        #expect(failure { () throws(Refusal) in try connection.key(.use(key, large)) }?.rule == .tooLarge)
        #expect(server.standIn.record.keys.count == 2)
    }

    @Test("Passcodes travel as memory files, in order")
    func handsPasscodes() throws {
        let server = try RunningServer()
        let files = [try FileDescriptor.holding("old"), try FileDescriptor.holding("new")]
        #expect(try server.connection().device(.setPasscode, passcodes: files) == .done)
        #expect(server.standIn.record.passcodes == ["old", "new"])
    }

    @Test("A number of passcodes that does not fit the request is refused before it is sent", arguments: [0, 2])
    func refusesPasscodes(count: Int) throws {
        let server = try RunningServer()
        let files = try (0..<count).map { _ in try FileDescriptor.holding("x") }
        let refusal = failure { () throws(Refusal) in try server.connection().device(.unlock, passcodes: files) }
        #expect(refusal?.rule == .malformedFrame)
        #expect(server.standIn.record.devices.isEmpty)
    }

    @Test("A refusal arrives with all it says, and the connection stays of use")
    func passesRefusal() throws {
        let sent = Refusal(.missingEntitlement, .foreignGroup, "group", "Not yours.", do: "Ask.")
        let server = try RunningServer { _ throws(Refusal) in throw sent }
        let connection = server.connection()
        for _ in 0..<2 {
            #expect(failure { () throws(Refusal) in try connection.send(Self.search) } == sent)
            #expect(server.server.connections == 1)
        }
    }

    @Test("Large answers and large requests arrive whole")
    func movesLargeMessages() throws {
        let server = try RunningServer()
        let account = String(repeating: "x", count: 1 << 20)
        let response = try server.connection().send(Frames.request(.copyMatching, account: account))
        #expect(response.items.first?.attributes[.account] == .string(account))
    }

    @Test("A request that is larger than a daemon takes is refused before it is sent")
    func refusesTooLarge() throws {
        let server = try RunningServer()
        let large = Frames.request(.add, account: String(repeating: "x", count: WireLimits.requestBody))
        let connection = server.connection()
        #expect(failure { () throws(Refusal) in try connection.send(large) }?.rule == .tooLarge)
        #expect(server.standIn.record.batches.isEmpty)
        #expect(try connection.send(Self.search).items.count == 1)
    }

    @Test("One thread uses one socket, however much it asks")
    func reusesSocket() throws {
        let server = try RunningServer()
        let connection = server.connection()
        for _ in 0..<100 { _ = try connection.send(Self.search) }
        #expect(server.server.connections == 1)
    }

    @Test("Threads that ask at the same time get their own answers, over a socket each")
    func servesThreads() throws {
        let server = try RunningServer()
        let connection = server.connection()
        let mistakes = Monitor(0)
        let threads = try (0..<8).map { number in
            try Thread(named: "client") {
                for round in 0..<50 {
                    let account = "\(number) \(round)"
                    let response = try? connection.send(Frames.request(.copyMatching, account: account))
                    if response?.items.first?.attributes[.account] != .string(account) { mistakes.update { $0 += 1 } }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(mistakes.update { $0 } == 0)
        #expect(server.standIn.record.searches.count == 400)
        #expect((1...8).contains(server.server.connections))
    }

    @Test("A fork's child leaves its parent's socket alone and opens its own")
    func detectsFork() async {
        await #expect(processExitsWith: .success) {
            let server = try RunningServer()
            let connection = server.connection()
            _ = try connection.send(Self.search)
            let child = ForkedChild {
                // A request that the parent made is wiped here, as all that may be a secret.
                let search = Frames.request(.copyMatching, account: "alice")
                let found = try? connection.send(search).items.first?.attributes[.account]
                return found == .string("alice") ? 0 : 1
            }
            #expect(child.waitForExit() == 0)
            // The child's is closed with it; the parent's is still there.
            #expect(server.identifications == 2)
            _ = try connection.send(Self.search)
            #expect(server.identifications == 2)
        }
    }
}
