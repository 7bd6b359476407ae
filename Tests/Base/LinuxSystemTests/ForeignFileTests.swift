import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite("Files that others have sent are closed by threads that nobody waits for")
struct ForeignFileTests {
    @Test("A file is closed, and there is room for its user's next ones")
    func closes() throws {
        let directory = try TemporaryDirectory()
        let files = ForeignFiles()
        let path = directory.file("file")
        for _ in 0..<20 {
            let number = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            let file = files.adopt(number, of: 7)
            // The process that closes it releases its lock.
            try #require(withExtendedLifetime(file) { flock(file.number, LOCK_EX) } == 0)
        }
        let last = try FileDescriptor.open(path, O_RDWR)
        #expect(withExtendedLifetime(last) { flock(last.number, LOCK_EX) } == 0)
        #expect(eventually { files.areClosed(of: 7) })
        #expect(files.areClosed(of: 8))
    }

    @Test("Of a pipe no file system is asked, so it is closed at once")
    func closesAtOnce() throws {
        let (reader, writer) = try FileDescriptor.pipe()
        let number = fcntl(writer.number, F_DUPFD_CLOEXEC, 0)
        do { #expect(ForeignFiles().adopt(number, of: 7).isPipe) }
        try reader.setNonBlocking()
        _ = consume writer
        var byte: [UInt8] = [0]
        var span = byte.mutableSpan
        #expect(try reader.read(into: &span) == 0)
    }

    @Test("What may hold a passcode, and what is a device, is known without a file system")
    func tells() throws {
        let directory = try TemporaryDirectory()
        let file = try FileDescriptor.open(directory.file("file"), O_RDWR | O_CREAT)
        let (reader, _) = try FileDescriptor.pipe()
        let device = try FileDescriptor.open("/dev/null", O_RDWR)
        #expect(!file.holdsPasscode && !file.isDevice && !file.isPipe)
        #expect(reader.holdsPasscode && reader.isPipe && !reader.isDevice)
        #expect(try PasscodeFile.make(SecretBytes(count: 3)).holdsPasscode && PasscodeFile.makeRoom(3).holdsPasscode)
        #expect(device.isDevice && !device.holdsPasscode)
    }
}
