import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite("AtomicFile")
struct AtomicFileTests {
    let directory = try! TemporaryDirectory()
    var path: String { directory.file("file") }
    let old = Array("old content".utf8)
    let new = Array("new content, which is longer".utf8)

    @Test("A file is made, then replaced, with its owner's permissions only and no leftovers")
    func replacing() throws {
        try AtomicFile.replace(path, with: old.span)
        #expect(try AtomicFile.read(path, limit: 100) == old)
        let first = try #require(try FileStatus(at: path))
        #expect(first.mode & 0o777 == 0o600)
        try AtomicFile.replace(path, with: new.span, mode: 0o640)
        #expect(try AtomicFile.read(path, limit: 100) == new)
        let second = try #require(try FileStatus(at: path))
        #expect(second.mode & 0o777 == 0o640 && !second.isSameFile(as: first))
        #expect(directory.names == ["file"])
    }

    @Test("A reader that opened the old file reads the old content to its end")
    func openReader() throws {
        try AtomicFile.replace(path, with: old.span)
        let reader = try FileDescriptor.open(path, O_RDONLY)
        try AtomicFile.replace(path, with: new.span)
        #expect(try reader.readText(100) == "old content")
    }

    @Test("When the disk takes only a part, the old content stays and there are no leftovers")
    func partialWrite() async {
        await #expect(processExitsWith: .success) { () throws in
            let directory = try TemporaryDirectory()
            let path = directory.file("file")
            let (old, new) = (Array("old content".utf8), [UInt8](repeating: 1, count: 8192))
            try AtomicFile.replace(path, with: old.span)
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 4096, rlim_max: 4096)
            unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            #expect(code { () throws(SystemError) in try AtomicFile.replace(path, with: new.span) } == EFBIG)
            #expect(try AtomicFile.read(path, limit: 100) == old)
            #expect(directory.names == ["file"])
        }
    }

    @Test("When the last step fails, there are no leftovers")
    func failedRename() throws {
        try PrivateDirectory.ensure(path)
        #expect(code { () throws(SystemError) in try AtomicFile.replace(path, with: new.span) } == EISDIR)
        #expect(directory.names == ["file"])
    }

    @Test("A file of exactly the limit is read, a longer one is refused")
    func limit() throws {
        try AtomicFile.replace(path, with: old.span)
        #expect(try AtomicFile.read(path, limit: old.count) == old)
        #expect(code { () throws(SystemError) in _ = try AtomicFile.read(path, limit: old.count - 1) } == EFBIG)
    }

    @Test("A pipe or a directory in the place of a file is refused without waiting")
    func notAFile() throws {
        unsafe mkfifo(path, 0o600)
        #expect(code { () throws(SystemError) in _ = try AtomicFile.read(path, limit: 10) } == EINVAL)
        #expect(code { () throws(SystemError) in _ = try AtomicFile.read(directory.path, limit: 10) } == EINVAL)
        #expect(code { () throws(SystemError) in _ = try AtomicFile.read(path + "x", limit: 10) } == ENOENT)
    }

    @Test("A secret file is read into locked memory")
    func secret() throws {
        try AtomicFile.replace(path, with: new.span)
        let secret = try AtomicFile.readSecret(path, limit: 100)
        #expect(secret.isEqual(to: SecretBytes(copying: new.span)))
    }

    @Test("Removing removes, and what is not there is as good as removed")
    func removing() throws {
        try AtomicFile.replace(path, with: old.span)
        try AtomicFile.remove(path)
        #expect(directory.names.isEmpty)
        try AtomicFile.remove(path)
    }

    @Test("An empty file is a file")
    func empty() throws {
        try AtomicFile.replace(path, with: [UInt8]().span)
        #expect(try AtomicFile.read(path, limit: 0) == [])
    }
}

@Suite("FileLock")
struct FileLockTests {
    let directory = try! TemporaryDirectory()
    var path: String { directory.file("lock") }

    @Test("An exclusive lock keeps out both kinds, and is gone with its holder")
    func exclusive() throws {
        var holder: FileLock? = try FileLock(path, .exclusive, deadline: .now)
        for kind in [FileLock.Kind.shared, .exclusive] {
            #expect(code { () throws(SystemError) in _ = try FileLock(path, kind, deadline: .now) } == ETIMEDOUT)
        }
        #expect(holder != nil)
        holder = nil
        _ = try FileLock(path, .exclusive, deadline: .now)
    }

    @Test("Shared locks go together and keep out an exclusive one")
    func shared() throws {
        let holders = try (0..<2).map { _ in try FileLock(path, .shared, deadline: .now) }
        #expect(
            code { () throws(SystemError) in _ = try FileLock(path, .exclusive, deadline: .after(milliseconds: 5)) }
                == ETIMEDOUT)
        for holder in holders { holder.release() }
        _ = try FileLock(path, .exclusive, deadline: .now)
    }

    @Test("A waiting process gets the lock when it is released", arguments: [nil, patience] as [Int?])
    func waiting(milliseconds: Int?) throws {
        let deadline = milliseconds.map { Deadline.after(milliseconds: $0) } ?? .never
        let holder = try FileLock(path, .exclusive, deadline: .now)
        let path = path
        let outcome = Monitor<Bool?>(nil)
        let started = Monitor(false)
        let thread = try Thread(named: "waiter") {
            started.update { $0 = true }
            let lock = try? FileLock(path, .exclusive, deadline: deadline)
            outcome.update { $0 = lock != nil }
        }
        #expect(started.wait(deadline: soon) { $0 ? true : nil } == true)
        #expect(outcome.update { $0 } == nil)
        holder.release()
        #expect(outcome.wait(deadline: soon) { $0 } == true)
        thread.join()
    }
}

@Suite("PrivateDirectory")
struct PrivateDirectoryTests {
    let directory = try! TemporaryDirectory()

    @Test("A directory and all above it are made for this user alone; doing it again changes nothing")
    func making() throws {
        let path = directory.file("a/b/c")
        try PrivateDirectory.ensure(path)
        try PrivateDirectory.ensure(path + "/")
        for part in ["a", "a/b", "a/b/c"] {
            let status = try #require(try FileStatus(at: directory.file(part)))
            #expect(status.isDirectory && status.mode & 0o777 == 0o700 && status.owner == geteuid())
        }
    }

    @Test(
        "A directory that others may enter is refused with what to do",
        arguments: [0o701, 0o710, 0o720, 0o777] as [UInt32])
    func open(mode: UInt32) throws {
        let path = directory.file("open")
        unsafe mkdir(path, 0o700)
        unsafe chmod(path, mode)
        let failure = #expect(throws: SystemError.self) { try PrivateDirectory.ensure(path) }
        #expect(failure?.code == EPERM && failure?.advice.contains("chmod 700") == true)
    }

    @Test("A file or a symbolic link is not taken for a directory")
    func notADirectory() throws {
        let (file, link) = (directory.file("file"), directory.file("link"))
        try AtomicFile.replace(file, with: [1].span)
        unsafe symlink(directory.path, link)
        #expect(code { () throws(SystemError) in try PrivateDirectory.ensure(file) } == ENOTDIR)
        #expect(code { () throws(SystemError) in try PrivateDirectory.ensure(link) } == ENOTDIR)
        #expect(code { () throws(SystemError) in try PrivateDirectory.ensure(file + "/below") } == ENOTDIR)
    }

    @Test("Below a link that leads nowhere no directory is made")
    func deadLink() {
        let link = directory.file("link")
        unsafe symlink(directory.file("nowhere/at/all"), link)
        for path in ["\(link)/a", "\(link)/a/b/c"] {
            #expect(code { () throws(SystemError) in try PrivateDirectory.make(path) } == ENOENT)
        }
        #expect(directory.names == ["link"])
    }

    @Test("A directory of another user is refused")
    func otherOwner() async {
        await #expect(processExitsWith: .success) { () throws in
            let directory = try TemporaryDirectory()
            unsafe chmod(directory.path, 0o755)
            let path = geteuid() == 0 ? directory.file("own") : "/root"
            if geteuid() == 0 {
                try PrivateDirectory.ensure(path)
                unsafe chown(path, 2601, 2601)
                #expect(code { () throws(SystemError) in try PrivateDirectory.ensure(path) } == EPERM)
            } else {
                #expect(code { () throws(SystemError) in try PrivateDirectory.ensure(path) } != nil)
            }
        }
    }
}
