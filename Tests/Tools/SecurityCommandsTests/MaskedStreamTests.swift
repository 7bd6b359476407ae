import LinuxSystem
import Testing

@testable import SecurityCommands

@Suite("A masked stream") struct MaskedStreamTests {
    @Test("While nobody takes what was written, what is held back is not shown: its rest may have come")
    func slowReader() throws {
        let (source, command) = try FileDescriptor.pipe()
        let (shown, target) = try FileDescriptor.pipe()
        let forms = SecretForms.all(of: SecretBytes(copying: Array("s3cret-value".utf8).span), named: "A")
        let stream = try MaskedStream(source, to: target, forms)
        _ = try command.write(Array("before s3cret-".utf8).span)
        stream.read()
        #expect(stream.isWriting && stream.deadline.remainingMilliseconds < 0)
        stream.releaseIfDue()
        _ = try command.write(Array("value after".utf8).span)
        stream.write()
        #expect(!stream.isWriting && stream.deadline.remainingMilliseconds >= 0)
        stream.read()
        stream.write()
        let bytes = SecretBytes(count: 100)
        let count = try bytes.withMutableSpan { (span) throws(SystemError) in try shown.read(into: &span) }
        #expect(bytes.withSpan { $0.text(0, count ?? 0) } == "before [masked:A] after")
    }
}
