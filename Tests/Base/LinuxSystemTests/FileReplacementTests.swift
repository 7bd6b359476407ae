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

    @Test("a file is read and written in the folder that was found, whatever takes the folder's place")
    func exchangedFolder() throws {
        let folder = try TemporaryDirectory()
        for name in ["own", "other"] {
            try PrivateDirectory.make(folder.file(name))
            try AtomicFile.replace(folder.file("\(name)/file"), with: Array(name.utf8).span)
        }
        let place = try FilePlace(ofFileAt: folder.file("own/file"))
        #expect(place.path.hasSuffix("/own/file"))
        try AtomicFile.rename(folder.file("own"), to: folder.file("moved"))
        #expect(unsafe symlink("other", folder.file("own")) == 0)
        let file = try place.open(O_RDONLY)
        #expect(try place.has(FileStatus(of: file)))
        #expect(try file.read(at: 0, count: 5) == Array("own".utf8))
        try AtomicFile.replace(place, with: Array("new".utf8).span, mode: 0o640)
        #expect(try AtomicFile.read(folder.file("other/file"), limit: 10) == Array("other".utf8))
        #expect(try AtomicFile.read(folder.file("moved/file"), limit: 10) == Array("new".utf8))
        #expect(try FileStatus(at: folder.file("moved/file"))?.mode == 0o100640)
        #expect(try !place.has(FileStatus(of: file)))
    }

    @Test("a file for a place has no name before it is complete")
    func unnamed() throws {
        let folder = try TemporaryDirectory()
        let replacement = try FileReplacement(in: FilePlace(folder.file("file")))
        try replacement.file.writeFully(Array("half".utf8).span)
        #expect(folder.names.isEmpty)
        try replacement.commit(mode: 0o600)
        #expect(folder.names == ["file"])
    }

    @Test("what is no file is not replaced, nor is a link to it")
    func pipe() throws {
        let folder = try TemporaryDirectory()
        #expect(unsafe mkfifo(folder.file("pipe"), 0o600) == 0)
        #expect(unsafe symlink("/dev/null", folder.file("link")) == 0)
        for name in ["pipe", "link"] {
            #expect(failure { () throws(SystemError) in _ = try FileReplacement(folder.file(name)) }?.code == EEXIST)
        }
        #expect(folder.names.sorted() == ["link", "pipe"])
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
