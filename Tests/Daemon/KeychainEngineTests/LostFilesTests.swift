import Glibc
import KeychainEngine
import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainStore

/// An acknowledged write has gone into the files that the next start will find.
@Suite("Files that are moved, removed or closed under a keychain")
struct LostFilesTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test("An add into a folder that was removed is refused", arguments: [true, false])
    func removedFolder(isExclusive: Bool) throws {
        let engine = try TestEngine(in: directory, exclusive: isExclusive)
        try engine.add("a", "1")
        for name in try FolderEntries.names(in: engine.folder) { unsafe unlink("\(engine.folder)/\(name)") }
        unsafe rmdir(engine.folder)
        #expect(refusal { try engine.add("b", "2") }?.status == .notAvailable)
    }

    @Test("An add into a store that was removed is refused, and so is everything after it", arguments: [true, false])
    func removedStore(isExclusive: Bool) throws {
        let engine = try TestEngine(in: directory, exclusive: isExclusive)
        try engine.add("a", "1")
        for suffix in ["", "-wal", "-shm"] { unsafe unlink("\(engine.folder)/keychain.db\(suffix)") }
        for account in ["b", "c"] {
            let refusal = refusal { try engine.add(account, "2") }
            #expect(refusal?.status == .notAvailable)
            #expect(refusal?.problem.contains("moved or removed") == true)
        }
        #expect(engine.engine.failure != nil)
    }

    @Test("An add is refused when the log, or its index, was removed or replaced", arguments: ["-wal", "-shm"])
    func removedLog(_ suffix: String) throws {
        let engine = try TestEngine(in: directory)
        try engine.add("a", "1")
        let path = "\(engine.folder)/keychain.db\(suffix)"
        let content = try AtomicFile.read(path, limit: 1 << 24)
        try AtomicFile.replace(path, with: content.span)
        #expect(refusal { try engine.add("b", "2") }?.status == .notAvailable)
        #expect(engine.engine.failure != nil)
    }

    @Test("An add is refused when the store's lock file was removed: another process could take the store")
    func removedLock() throws {
        let engine = try TestEngine(in: directory)
        try engine.add("a", "1")
        unsafe unlink("\(engine.folder)/keychain.lock")
        #expect(refusal { try engine.add("b", "2") }?.problem.contains("moved or removed") == true)
        #expect(engine.engine.failure != nil)
    }

    @Test("An add into a folder that was moved is refused; what was there before is in the moved one")
    func movedFolder() throws {
        let moved = directory.file("moved")
        do {
            let engine = try TestEngine(in: directory)
            try engine.add("a", "1")
            unsafe rename(engine.folder, moved)
            #expect(refusal { try engine.add("b", "2") }?.status == .notAvailable)
            unsafe rename(moved, engine.folder)
        }
        #expect(try TestEngine(in: directory).values() == ["a": "1"])
    }

    @Test("What fails the store is told once, to whom it concerns")
    func told() throws {
        let engine = try TestEngine(in: directory)
        let told = Lock<[Refusal]>([])
        engine.engine.whenStoreFails { refusal in told.withLock { told in told.append(refusal) } }
        unsafe unlink("\(engine.folder)/keychain.db")
        for account in ["a", "b"] { #expect(refusal { try engine.add(account, "1") } != nil) }
        #expect(told.withLock { $0.count } == 1)
    }

    /// The descriptors of this process that are open for a file of a store.
    private static func descriptors(of engine: TestEngine, _ name: String) throws -> [Int32] {
        let file = try #require(try FileStatus(at: "\(engine.folder)/\(name)"))
        var found: [Int32] = []
        for number in try FolderEntries.names(in: "/proc/self/fd").compactMap({ Int32($0) }) {
            if let status = try? FileStatus(ofDescriptor: number), status.isSameFile(as: file) { found.append(number) }
        }
        return found
    }

    @Test(
        "A program that closes or reuses a descriptor of its keychain gets a refusal, and its own file stays as it is",
        arguments: ["keychain.db", "keychain.db-wal", "keychain.db-shm", "keychain.lock"], [true, false])
    func reused(_ name: String, closes: Bool) throws {
        // In a child, because SQLite keeps what it knows of the files for all connections of a process. One that is
        // forked while another test's thread holds a lock of the runtime's ends by its alarm, and says nothing.
        for _ in 0..<8 {
            let directory = try TemporaryDirectory()
            let other = directory.file("other")
            try AtomicFile.replace(other, with: Array("mine".utf8).span)
            let end = ForkedChild { Self.reuse(name, in: directory, for: other, closes) }.waitForExit()
            if end == -SIGALRM { continue }
            #expect(end == 0)
            #expect(try AtomicFile.read(other, limit: 100) == Array("mine".utf8))
            #expect(try TestEngine(in: directory).values() == ["a": "1"])
            return
        }
        Issue.record("no child came to its end")
    }

    /// 0 when every add was refused with the reason; the number of the step that went otherwise.
    private static func reuse(
        _ name: String, in directory: TemporaryDirectory, for other: String, _ closes: Bool
    ) -> CInt {
        do {
            let engine = try TestEngine(in: directory)
            try engine.add("a", "1")
            let own = try FileDescriptor.open(other, O_RDWR)
            let itemReader = try engine.engine.makeItemReader()
            guard engine.engine.failureOfUse(by: itemReader) == nil else { return 4 }
            for number in try descriptors(of: engine, name) {
                guard closes ? close(number) == 0 : dup2(own.number, number) == number else { return 1 }
            }
            for account in ["b", "c"] {
                guard refusal({ try engine.add(account, "2") })?.problem.contains("descriptors") == true else {
                    return 2
                }
            }
            // A program that has the keychain inside asks this before each read.
            guard engine.engine.failureOfUse(by: itemReader) != nil else { return 5 }
            return 0
        } catch { return 3 }
    }

    @Test("A store one of whose names is a link is refused, and left alone", arguments: ["", "-wal", "-shm"])
    func linked(_ suffix: String) throws {
        let directory = try TemporaryDirectory()
        do { try TestEngine(in: directory).add("a", "1") }
        let path = "\(directory.path)/keychain/keychain.db\(suffix)"
        let content = try AtomicFile.read(path, limit: 1 << 24)
        try AtomicFile.rename(path, to: directory.file("elsewhere"))
        #expect(unsafe symlink(directory.file("elsewhere"), path) == 0)
        let refusal = refusal { _ = try TestEngine(in: directory) }
        #expect(refusal?.status == .notAvailable && refusal?.problem.contains("is a link") == true, "\(refusal as Any)")
        #expect(try AtomicFile.read(directory.file("elsewhere"), limit: 1 << 24) == content)
    }

    @Test("An add is refused when a link stands in the place of a file, also when it leads to that")
    func replacedByLink() throws {
        let directory = try TemporaryDirectory()
        let engine = try TestEngine(in: directory)
        try engine.add("a", "1")
        let path = "\(directory.path)/keychain/keychain.db"
        try AtomicFile.rename(path, to: directory.file("elsewhere"))
        #expect(unsafe symlink(directory.file("elsewhere"), path) == 0)
        #expect(refusal { try engine.add("b", "2") }?.status == .notAvailable)
    }

    @Test("A store is refused on a network file system, by the numbers that statfs(2) gives them")
    func networkFileSystems() throws {
        #expect(LocalFileSystem.networkNames[0x6969] == "NFS")
        #expect(LocalFileSystem.networkNames[0xFF53_4D42] == "CIFS")
        try LocalFileSystem.require(directory.path)
        #expect(throws: Refusal.self) { try LocalFileSystem.require(directory.file("nothing")) }
    }
}
