import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite("Passing descriptors")
struct DescriptorPassingTests {
    private func receive(_ socket: UnixSocket) throws(SystemError) -> (text: String, descriptors: [FileDescriptor]) {
        var bytes = [UInt8](repeating: 0, count: 64)
        var span = bytes.mutableSpan
        try socket.descriptor.wait(for: .readable, deadline: soon)
        let message = try socket.receiveAttached(into: &span)
        return (String(decoding: bytes.prefix(message?.count ?? 0), as: UTF8.self), message?.descriptors ?? [])
    }

    @Test("The receiver can use what was sent, in order, and it is closed on exec")
    func passing() throws {
        let (left, right) = try UnixSocket.pair()
        let pipes = [try FileDescriptor.pipe(), try FileDescriptor.pipe()]
        let word = Array("take".utf8)
        try left.sendFully(word.span, attaching: pipes.map(\.writer), deadline: soon)
        let (text, received) = try receive(right)
        #expect(text == "take" && received.count == 2)
        for (index, descriptor) in received.enumerated() {
            #expect(descriptor.isClosedOnExec)
            try descriptor.writeText("pipe \(index)")
            #expect(try pipes[index].reader.readText(6) == "pipe \(index)")
        }
    }

    @Test("The most that one message carries arrives; one more is refused before it is sent")
    func limit() throws {
        let (left, right) = try UnixSocket.pair()
        let most = Array(repeating: left.descriptor, count: UnixSocket.maximumDescriptors)
        try left.sendFully([1].span, attaching: most, deadline: soon)
        #expect(try receive(right).descriptors.count == most.count)
        let failure = code { () throws(SystemError) in
            try left.sendFully([1].span, attaching: most + [left.descriptor], deadline: soon)
        }
        #expect(failure == EMSGSIZE)
    }

    @Test("Descriptors without a byte to carry them are refused")
    func noBytes() throws {
        let (left, right) = try UnixSocket.pair()
        let failure = code { () throws(SystemError) in
            try left.sendFully([UInt8]().span, attaching: [right.descriptor], deadline: soon)
        }
        #expect(failure == EINVAL)
    }

    @Test("A receiver that asked for none has none open afterwards")
    func uninvited() throws {
        let (left, right) = try UnixSocket.pair()
        var pipe: (reader: FileDescriptor, writer: FileDescriptor?) = try FileDescriptor.pipe()
        try left.sendFully([1].span, attaching: [pipe.writer!], deadline: soon)
        pipe.writer = nil
        #expect(try right.receiveText(1).utf8.count == 1)
        #expect(try pipe.reader.readText(1) == "")
    }

    @Test("A receiver that cannot open all of them refuses the message and keeps none")
    func tooManyOpenFiles() async {
        await #expect(processExitsWith: .success) { () throws in
            let (left, right) = try UnixSocket.pair()
            var pipe: (reader: FileDescriptor, writer: FileDescriptor?) = try FileDescriptor.pipe()
            try left.sendFully([1].span, attaching: Array(repeating: pipe.writer!, count: 8), deadline: soon)
            pipe.writer = nil
            // There is room for three of the eight.
            let next = try FileDescriptor.duplicate(left.descriptor.number).number
            var limit = rlimit(rlim_cur: rlim_t(next + 3), rlim_max: rlim_t(next + 3))
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            var byte: [UInt8] = [0]
            let failure = code { () throws(SystemError) in
                var span = byte.mutableSpan
                _ = try right.receiveAttached(into: &span)
            }
            #expect(failure == EMSGSIZE)
            #expect(try pipe.reader.readText(1) == "")
        }
    }

    @Test(
        "The kernel reports the sender of everything from an accepted connection, also of bytes sent before the accept"
    )
    func senders() throws {
        let directory = try TemporaryDirectory()
        let listener = try UnixSocket.listen(at: directory.file("socket"))
        let client = try UnixSocket.connect(to: directory.file("socket"), deadline: soon)
        try client.sendFully([1].span, deadline: soon)
        let server = try #require(try listener.accept())
        #expect(ForkedChild { (try? client.sendFully([2].span, deadline: soon)) == nil ? 1 : 0 }.waitForExit() == 0)
        var bytes: [UInt8] = [0, 0]
        var span = bytes.mutableSpan
        // One receive never returns bytes of two senders.
        let (own, foreign) = (try server.receiveAttached(into: &span), try server.receiveAttached(into: &span))
        #expect(own?.sender == getpid() && own?.count == 1)
        #expect(foreign?.count == 1 && foreign?.sender != getpid() && foreign?.sender ?? 0 > 0)
        shutdown(client.descriptor.number, CInt(SHUT_WR))
        #expect(try server.receiveAttached(into: &span)?.count == 0)
    }

    @Test("Where nobody asked for the sender there is none")
    func noSender() throws {
        let (left, right) = try UnixSocket.pair()
        try left.sendFully([1].span, deadline: soon)
        var byte: [UInt8] = [0]
        var span = byte.mutableSpan
        #expect(try right.receiveAttached(into: &span)?.sender == 0)
        try right.askForSenders()
        try left.sendFully([1].span, attaching: [right.descriptor], deadline: soon)
        let arrival = try right.receiveAttached(into: &span)
        #expect(arrival?.sender == getpid() && arrival?.descriptors.count == 1)
    }

    @Test("Where none may come, what has some is refused, and what has none comes with its sender")
    func none() throws {
        let (left, right) = try UnixSocket.pair()
        try right.askForSenders()
        try left.sendFully([1].span, attaching: [right.descriptor], deadline: soon)
        try left.sendFully([2].span, deadline: soon)
        var byte: [UInt8] = [0]
        var span = byte.mutableSpan
        let failure = code { () throws(SystemError) in
            _ = try right.receiveAttached(into: &span, takesDescriptors: false)
        }
        #expect(failure == EMSGSIZE)
        let arrival = try right.receiveAttached(into: &span, takesDescriptors: false)
        #expect(arrival?.sender == getpid() && arrival?.descriptors.isEmpty == true)
    }

    @Test("When nothing has been sent there is nothing, and after the end a count of zero")
    func nothing() throws {
        let (left, right): (UnixSocket?, UnixSocket) = try UnixSocket.pair()
        var bytes: [UInt8] = [0]
        var span = bytes.mutableSpan
        #expect(try right.receiveAttached(into: &span) == nil)
        shutdown(left!.descriptor.number, CInt(SHUT_WR))
        #expect(try right.receiveAttached(into: &span)?.count == 0)
    }
}
