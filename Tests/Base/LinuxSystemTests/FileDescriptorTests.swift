import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite("FileDescriptor")
struct FileDescriptorTests {
    @Test("A reader gets what was written and then the end, once the writer has no owner")
    func endOfPipe() throws {
        var (reader, writer): (FileDescriptor, FileDescriptor?) = try FileDescriptor.pipe()
        try writer?.writeText("hello")
        writer = nil
        #expect(try reader.readText(100) == "hello")
        #expect(reader.isClosedOnExec)
        reader = try FileDescriptor.duplicate(reader.number)
        #expect(reader.isClosedOnExec)
    }

    @Test("More than a pipe holds goes through when both ends work at the same time")
    func largeTransfer() throws {
        let (reader, writer) = try FileDescriptor.pipe()
        let sent = Randomness.bytes(1 << 20)
        let thread = try Thread(named: "writer") { try? writer.writeFully(sent.span, deadline: soon) }
        var received = [UInt8](repeating: 0, count: sent.count)
        var span = received.mutableSpan
        #expect(try reader.readFully(into: &span, deadline: soon) == sent.count)
        thread.join()
        #expect(received == sent)
    }

    @Test("A read that nobody answers ends at its deadline")
    func readDeadline() throws {
        let (reader, writer) = try FileDescriptor.pipe()
        try writer.writeText("abc")
        var bytes = [UInt8](repeating: 0, count: 4)
        let failure = code { () throws(SystemError) in
            var span = bytes.mutableSpan
            _ = try reader.readFully(into: &span, deadline: .after(milliseconds: 20))
        }
        #expect(failure == ETIMEDOUT)
        #expect(bytes.prefix(3) == Array("abc".utf8)[...])
    }

    @Test("A write that nobody takes ends at its deadline")
    func writeDeadline() throws {
        let (reader, writer) = try FileDescriptor.pipe()
        try writer.setNonBlocking()
        let bytes = [UInt8](repeating: 7, count: 1 << 20)
        #expect(
            code { () throws(SystemError) in try writer.writeFully(bytes.span, deadline: .after(milliseconds: 20)) }
                == ETIMEDOUT)
        _ = reader
    }

    @Test("Without blocking, a read of nothing is nil and a write to a full pipe is nil")
    func nonBlocking() throws {
        let (reader, writer) = try FileDescriptor.pipe()
        try reader.setNonBlocking()
        try writer.setNonBlocking()
        var bytes = [UInt8](repeating: 0, count: 65536)
        var span = bytes.mutableSpan
        #expect(try reader.read(into: &span) == nil)
        while try writer.write(bytes.span) != nil {}
        #expect(fcntl(writer.number, F_GETFL) & O_NONBLOCK != 0)
    }

    @Test("Opening what is not there says which call failed and why")
    func openFailure() throws {
        let failure = #expect(throws: SystemError.self) { try FileDescriptor.open("/nonexistent/file", O_RDONLY) }
        #expect(failure?.code == ENOENT)
        #expect(failure?.description == "open: No such file or directory")
    }
}
