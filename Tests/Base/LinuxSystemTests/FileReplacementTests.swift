import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite("Files that take another's place")
struct FileReplacementTests {
    @Test("a complete one does, with its permissions; what is given up leaves nothing behind")
    func replacement() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("file")
        try AtomicFile.replace(path, with: Array("old".utf8).span)
        do {
            let given = try FileReplacement(path)
            try given.file.writeFully(Array("half".utf8).span)
            #expect(folder.names.count == 2)
        }
        #expect(folder.names == ["file"])
        #expect(try AtomicFile.read(path, limit: 10) == Array("old".utf8))
        let new = try FileReplacement(path)
        try new.file.writeFully(Array("new".utf8).span)
        try new.setOwner(geteuid(), group: getegid())
        try new.commit(mode: 0o751)
        #expect(try AtomicFile.read(path, limit: 10) == Array("new".utf8))
        #expect(try FileStatus(at: path)?.mode == 0o100751)
        #expect(folder.names == ["file"])
        #expect(try !FileDescriptor.open(path, O_RDONLY).hasCapabilities)
    }

    @Test("a place of a file is read whatever its position is, to its end and not beyond")
    func positions() throws {
        let folder = try TemporaryDirectory()
        try AtomicFile.replace(folder.file("file"), with: Array("0123456789".utf8).span)
        let file = try FileDescriptor.open(folder.file("file"), O_RDONLY)
        #expect(try file.read(at: 8, count: 5) == Array("89".utf8))
        #expect(try file.read(at: 3, count: 2) == Array("34".utf8))
        #expect(try file.read(at: 10, count: 1) == [])
        #expect(try file.read(at: 1 << 62, count: 1) == [])
        for offset in [UInt64.max, 1 << 63, UInt64(Int64.max)] {
            #expect(throws: SystemError.self) { try file.read(at: offset, count: 1) }
        }
    }

    @Test("a process becomes another program, with the words it is given")
    func become() async {
        await #expect(processExitsWith: .exitCode(7)) { () throws in
            let words = ["sh", "-c", "exit $1", "sh", "7"].map { SecretBytes(copying: Array($0.utf8).span) }
            try CurrentProcess.become("/bin/sh", words)
        }
        #expect(failure { () throws(SystemError) in try CurrentProcess.become("/nowhere", []) }?.code == ENOENT)
    }
}
