import KeychainModel
import KeychainServer
import KeychainWire
import LinuxSystem
import ServerTestSupport
import TestSupport
import Testing

@Suite("Descriptors beside a frame")
struct DescriptorTests {
    @Test("Memory files with passcodes reach the engine in order and unread")
    func passesPasscodes() throws {
        let server = try RunningServer()
        let files = [try FileDescriptor.holding("old"), try FileDescriptor.holding("new")]
        let frame = Frames.device(.setPasscode, descriptors: 2)
        #expect(try server.connect().ask(frame, attaching: files)?.status == 0)
        #expect(server.standIn.record.devices == [.setPasscode])
        #expect(server.standIn.record.passcodes == ["old", "new"])
    }

    @Test("They find their frame when others are sent before it at once")
    func findTheirFrame() throws {
        let server = try RunningServer()
        let client = try server.connect()
        try client.send(Frames.search(id: 1) + Frames.search(id: 2))
        try client.send(Frames.device(.unlock, id: 3, descriptors: 1), attaching: [try FileDescriptor.holding("open")])
        try client.send(Frames.search(id: 4))
        #expect(Set(try (0..<4).map { _ in try client.receive()?.id }) == [1, 2, 3, 4])
        #expect(server.standIn.record.passcodes == ["open"])
    }

    @Test("One that a search brings along is closed, and so is its connection")
    func refusesWithSearch() throws {
        let server = try RunningServer()
        let client = try server.connect()
        let reader = try Self.attach(1) { ends in try client.send(Frames.search(), attaching: ends) }
        #expect(try client.receive()?.refusal?.rule == .malformedFrame)
        #expect(try client.isClosed())
        try Self.expectEnd(of: reader)
    }

    @Test("More than a frame may have are closed, and so is their connection", arguments: [3, 16])
    func refusesTooMany(count: Int) throws {
        let server = try RunningServer()
        let client = try server.connect()
        let reader = try Self.attach(count) { ends in try client.send([0], attaching: ends) }
        #expect(try client.isClosed())
        try Self.expectEnd(of: reader)
        #expect(try server.connect().ask(Frames.search())?.status == 0)
    }

    @Test("A flood of them, each with a byte, is closed with its connection")
    func refusesFlood() throws {
        let server = try RunningServer()
        let client = try server.connect()
        let reader = try Self.attach(1) { ends in
            do { for _ in 0..<200 { try client.send([0], attaching: ends) } } catch let error as SystemError
                where error.isEndOfConnection
            {}
        }
        #expect(try client.isClosed())
        try Self.expectEnd(of: reader)
    }

    @Test("Those of a frame that was cut off are closed with it")
    func closesWithPart() throws {
        let server = try RunningServer()
        let client = try server.connect()
        let reader = try Self.attach(1) { ends in
            try client.send(Array(Frames.device(.unlock, descriptors: 1).dropLast()), attaching: ends)
        }
        client.finishSending()
        #expect(try client.isClosed())
        try Self.expectEnd(of: reader)
    }

    /// Lends duplicates of a pipe's writing end; the result is the other end.
    private static func attach(_ count: Int, _ body: ([FileDescriptor]) throws -> Void) throws -> FileDescriptor {
        let (reader, writer) = try FileDescriptor.pipe()
        try body(try (0..<count).map { _ in try FileDescriptor.duplicate(writer.number) })
        return reader
    }

    /// A pipe ends when nobody has its writing end any more.
    private static func expectEnd(of reader: FileDescriptor) throws {
        var byte: [UInt8] = [0]
        var span = byte.mutableSpan
        #expect(try reader.readFully(into: &span, deadline: soon) == 0)
    }
}
