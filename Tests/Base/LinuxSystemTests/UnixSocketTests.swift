import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite("UnixSocket")
struct UnixSocketTests {
    let directory = try! TemporaryDirectory()
    var path: String { directory.file("socket") }

    @Test("A client and a server exchange bytes over a path")
    func exchange() throws {
        let listener = try UnixSocket.listen(at: path)
        #expect(try listener.accept() == nil)
        let client = try UnixSocket.connect(to: path, deadline: soon)
        let server = try #require(try listener.accept())
        try client.sendText("question")
        #expect(try server.receiveText(8) == "question")
        try server.sendText("answer")
        #expect(try client.receiveText(6) == "answer")
        #expect(
            listener.descriptor.isNonBlocking && server.descriptor.isNonBlocking && !client.descriptor.isNonBlocking)
        for socket in [listener, client, server] { #expect(socket.descriptor.isClosedOnExec) }
    }

    @Test("More than the socket's buffer goes through when the receiver reads")
    func largeTransfer() throws {
        let (left, right) = try UnixSocket.pair()
        let sent = Randomness.bytes(3 << 20)
        let thread = try Thread(named: "sender") { try? left.sendFully(sent.span, deadline: soon) }
        var received = [UInt8](repeating: 0, count: sent.count)
        var span = received.mutableSpan
        #expect(try right.receiveFully(into: &span, deadline: soon) == sent.count)
        thread.join()
        #expect(received == sent)
    }

    @Test("Where nobody listens, connecting fails at once")
    func nobodyListens() {
        #expect(code { () throws(SystemError) in _ = try UnixSocket.connect(to: path, deadline: soon) } == ENOENT)
    }

    @Test("A listener that takes nobody makes connecting end at its deadline")
    func fullQueue() throws {
        let listener = try UnixSocket.listen(at: path, backlog: 0)
        let first = try UnixSocket.connect(to: path, deadline: soon)
        let failure = code { () throws(SystemError) in
            _ = try UnixSocket.connect(to: path, deadline: .after(milliseconds: 20))
        }
        #expect(failure == ETIMEDOUT)
        _ = (listener, first)
    }

    @Test("An answer that does not come ends the wait at the deadline")
    func receiveDeadline() throws {
        let (left, right) = try UnixSocket.pair()
        var bytes: [UInt8] = [0]
        let failure = code { () throws(SystemError) in
            var span = bytes.mutableSpan
            _ = try left.receiveFully(into: &span, deadline: .after(milliseconds: 20))
        }
        #expect(failure == ETIMEDOUT)
        _ = right
    }

    @Test("A blocking receive gives up after the limit it was given")
    func waitLimit() throws {
        let (left, right) = try UnixSocket.pair()
        try left.limitWaits(milliseconds: 20)
        var bytes: [UInt8] = [0]
        var span = bytes.mutableSpan
        #expect(try left.descriptor.read(into: &span) == nil)
        _ = right
    }

    @Test("Sending to a peer that has gone is an error and not a signal")
    func brokenPipe() throws {
        let left = try UnixSocket.pair().0
        #expect(code { () throws(SystemError) in try left.sendText("x") } == EPIPE)
    }

    @Test("A peer that closes ends the input")
    func endOfInput() throws {
        let left = try UnixSocket.pair().0
        #expect(try left.receiveText(1) == "")
    }
}

@Suite("UnixSocket.listen")
struct UnixListenerTests {
    let directory = try! TemporaryDirectory()
    var path: String { directory.file("socket") }

    @Test("The socket file has exactly the permissions asked for", arguments: [0o600, 0o660, 0o666] as [UInt32])
    func permissions(mode: UInt32) throws {
        let listener = try UnixSocket.listen(at: path, mode: mode)
        let status = try #require(try FileStatus(at: path))
        #expect(status.isSocket)
        #expect(status.mode & 0o777 == mode)
        _ = listener
    }

    @Test("A socket left by a listener that has gone is replaced")
    func staleSocket() throws {
        _ = try UnixSocket.listen(at: path)
        let stale = try #require(try FileStatus(at: path))
        let listener = try UnixSocket.listen(at: path)
        _ = try UnixSocket.connect(to: path, deadline: soon)
        #expect(try listener.accept() != nil)
        #expect(try FileStatus(at: path) != stale)
    }

    @Test("A listener that answers keeps its place")
    func liveSocket() throws {
        let listener = try UnixSocket.listen(at: path)
        let failure = #expect(throws: SystemError.self) { try UnixSocket.listen(at: path) }
        #expect(failure?.code == EADDRINUSE)
        #expect(failure?.advice.contains(path) == true)
        _ = try UnixSocket.connect(to: path, deadline: soon)
        #expect(try listener.accept() != nil)
    }

    @Test("A listener whose queue is full keeps its place too")
    func busySocket() throws {
        let listener = try UnixSocket.listen(at: path, backlog: 0)
        let waiting = try UnixSocket.connect(to: path, deadline: soon)
        #expect(code { () throws(SystemError) in _ = try UnixSocket.listen(at: path) } == EADDRINUSE)
        #expect(try listener.accept() != nil)
        _ = waiting
    }

    @Test("A file that is not a socket is not replaced")
    func otherFile() throws {
        let content = Array("precious".utf8)
        try AtomicFile.replace(path, with: content.span)
        #expect(code { () throws(SystemError) in _ = try UnixSocket.listen(at: path) } == EADDRINUSE)
        #expect(try AtomicFile.read(path, limit: 100) == content)
    }

    @Test("Of several that find a stale socket at once, one listens and the others are told so")
    func race() throws {
        let path = path
        _ = try UnixSocket.listen(at: path)
        let outcomes = Monitor<[Result<UnixSocket, SystemError>]>([])
        let threads = try (0..<8).map { _ in
            try Thread(named: "starter") {
                let outcome = Result { () throws(SystemError) in try UnixSocket.listen(at: path) }
                outcomes.update { $0.append(outcome) }
            }
        }
        for thread in threads { thread.join() }
        let all = outcomes.update { $0 }
        let refused = all.filter { if case .failure(let error) = $0 { error.code == EADDRINUSE } else { false } }
        #expect(all.count == 8 && refused.count == 7)
    }

    @Test("While another process looks whether a socket is stale, nobody replaces it")
    func lock() throws {
        _ = try UnixSocket.listen(at: path)
        let stale = try FileStatus(at: path)
        let lock = try FileLock(path + ".lock", .exclusive, deadline: .now)
        #expect(code { () throws(SystemError) in _ = try UnixSocket.listen(at: path, deadline: .now) } == ETIMEDOUT)
        #expect(try FileStatus(at: path) == stale)
        lock.release()
        _ = try UnixSocket.listen(at: path, deadline: .now)
    }

    @Test("A path may be longer than the kernel's 107 bytes", arguments: [107, 108, 300, 3000])
    func pathLength(length: Int) throws {
        var folder = directory.path
        while length - folder.utf8.count > 80 { folder += "/" + String(repeating: "f", count: 60) }
        try PrivateDirectory.ensure(folder)
        let path = "\(folder)/" + String(repeating: "a", count: length - folder.utf8.count - 1)
        #expect(path.utf8.count == length)
        let listener = try UnixSocket.listen(at: path)
        #expect(try FileStatus(ofLink: path)?.isSocket == true)
        let client = try UnixSocket.connect(to: path, deadline: soon)
        let accepted = try listener.accept()
        #expect(accepted != nil)
        withExtendedLifetime(client) {}
        #expect(code { () throws(SystemError) in _ = try UnixSocket.listen(at: path, deadline: soon) } == EADDRINUSE)
    }

    @Test("A long path without its folder, and one whose last name is too long, are refused")
    func wrongLongPaths() throws {
        let folder = directory.file(String(repeating: "g", count: 120))
        #expect(
            code { () throws(SystemError) in _ = try UnixSocket.connect(to: folder + "/s", deadline: soon) } == ENOENT)
        let name = directory.file(String(repeating: "n", count: 150))
        #expect(code { () throws(SystemError) in _ = try UnixSocket.listen(at: name) } == ENAMETOOLONG)
    }

    @Test("A path that would name something else is refused", arguments: ["", "/tmp/a\0b", "\0abstract"])
    func oddPaths(path: String) {
        #expect(code { () throws(SystemError) in _ = try UnixSocket.listen(at: path) } == EINVAL)
    }

    @Test("A connection accepted after an empty poll was made after it; of others no such time is known")
    func watchedSource() throws {
        let directory = try TemporaryDirectory()
        let listener = try UnixSocket.listen(at: directory.file("socket"))
        var queue = WatchedSource(listener)
        let clients = try (0..<2).map { _ in try UnixSocket.connect(to: directory.file("socket"), deadline: soon) }
        for start in 1...2 {
            let taken = try queue.accept()
            #expect(try #require(taken).madeAfter == nil)
            // This look found the source ready.
            queue.looked(from: UInt64(start))
        }
        queue.looked(from: 3)
        let taken = try queue.accept()
        #expect(taken == nil)
        queue.looked(from: 4)
        let client = try UnixSocket.connect(to: directory.file("socket"), deadline: soon)
        let late = try queue.accept()
        #expect(late?.madeAfter == 3)
        withExtendedLifetime((clients, client)) {}
    }

    @Test("For a connection that another process accepts, that process's time counts, not this one's poll")
    func handedSource() throws {
        struct Handed: ConnectionSource {
            let descriptor: FileDescriptor
            func accept() -> UnixSocket? { UnixSocket(descriptor, madeAfter: 7) }
        }
        var queue = WatchedSource(
            Handed(descriptor: try UnixSocket.pair().0.descriptor), needsSenders: false)
        queue.looked(from: 9)
        let taken = try queue.accept()
        #expect(taken?.madeAfter == 7)
    }
}
