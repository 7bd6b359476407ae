import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite("A file that one process has locked") struct ProcessLockTests {
    let directory = try! TemporaryDirectory()
    var path: String { directory.file("file") }

    /// Another process that takes the lock, tells its number and keeps the lock for a minute.
    private static let holder = """
        import fcntl, os, sys, time
        file = open(sys.argv[1], "r+")
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1)
        os.write(3, str(os.getpid()).encode().ljust(20))
        time.sleep(60)
        """

    @Test("Others learn which process has the lock, and its line; it is nobody's after the process's end")
    func others() throws {
        let (reader, writer) = try FileDescriptor.pipe()
        do {
            let lock = try #require(try ProcessLock(path))
            try lock.write(lines: ["a long", "line"])
            try lock.write(lines: ["a line"])
        }
        #expect(try ProcessLock.holder(of: path) == nil)
        let script = "exec python3 -c '\(Self.holder)' \(path)"
        let process = try ChildProcess.start("/bin/sh", ["-c", script], handing: [writer])
        let number = Int32(try reader.readText(20).filter(\.isNumber))
        let found = try #require(try ProcessLock.holder(of: path))
        #expect(found.process == number && found.lines == ["a line"])
        #expect(try ProcessLock(path) == nil)
        Glibc.kill(try #require(number), SIGKILL)
        process.reap(timeout: patience)
        #expect(try ProcessLock.holder(of: path) == nil)
        #expect(try ProcessLock(path) != nil)
    }

    @Test("A file that is not there has no owner; one that leads elsewhere, or is none, is refused")
    func strange() throws {
        #expect(try ProcessLock.holder(of: path) == nil)
        #expect(unsafe symlink("/etc/passwd", path) == 0)
        #expect(code { () throws(SystemError) in _ = try ProcessLock(path) } == ELOOP)
        #expect(code { () throws(SystemError) in _ = try ProcessLock.holder(of: path) } == ELOOP)
        #expect(code { () throws(SystemError) in _ = try ProcessLock(directory.path) } == EISDIR)
        #expect(try ProcessLock.holder(of: directory.path) == nil)
        let pipe = directory.file("pipe")
        #expect(unsafe mkfifo(pipe, 0o600) == 0)
        #expect(try ProcessLock.holder(of: pipe) == nil)
    }

    @Test("A line is one line", arguments: ["a\nb", "a\n", String(repeating: "x", count: 5000)])
    func lines(text: String) throws {
        let lock = try #require(try ProcessLock(path))
        try lock.write(lines: ["a line"])
        #expect(code { () throws(SystemError) in try lock.write(lines: [text]) } == EINVAL)
        #expect(try AtomicFile.read(path, limit: 100) == Array("a line\n".utf8))
    }
}
