import CallerIdentification
import Glibc
import KeychainModel
import LinuxSystem
import Synchronization
import TestSupport
import Testing

@Suite("An executable's signature is verified once for every version of the file")
struct SignatureCacheTests {
    private static let signature = ProgramMark.signature(
        ProgramSignature(team: "T", identifier: "i", granted: GrantedGroups(["T.i"])))

    private final class Counter: Sendable {
        let count = Atomic(0)
        var value: Int { count.load(ordering: .relaxed) }
    }

    private func reader(
        _ counter: Counter, _ outcome: SignatureCache.Outcome = .success(signature),
        tick: Int64 = FileVersion.coarsestTick
    ) -> SignatureReader {
        SignatureReader(cache: SignatureCache(tick: tick)) { _ throws(Refusal) in
            counter.count.add(1, ordering: .relaxed)
            return try outcome.get()
        }
    }

    private func open(_ path: String) throws -> (FileDescriptor, FileVersion) {
        let file = try FileDescriptor.open(path, O_RDONLY)
        return (file, try FileVersion(of: file))
    }

    @Test("What has rested for a while is read once, whatever the outcome")
    func once() throws {
        let broken = Refusal(.missingEntitlement, .init(rawValue: "code.changed"), "s", "p", do: "d")
        for outcome in [.success(Self.signature), .success(nil), .failure(broken)] as [SignatureCache.Outcome] {
            let (counter, (file, version)) = (Counter(), try open("/bin/sh"))
            let reader = reader(counter, outcome)
            #expect(reader.known(version) == nil)
            for _ in 0..<3 {
                let found = Result { () throws(Refusal) in try reader.read(file, version, isCommon: true) }
                #expect(found == outcome)
            }
            #expect(reader.known(version) == outcome && counter.value == 1)
        }
    }

    @Test("A failure to read is no answer, and nothing is remembered of it")
    func unreadable() throws {
        let failed = Refusal(.io, .internalError, "s", "p", do: "d")
        let (counter, (file, version)) = (Counter(), try open("/bin/sh"))
        let reader = reader(counter, .failure(failed))
        for count in 1...2 {
            #expect(failure { () throws(Refusal) in try reader.read(file, version, isCommon: true) } == failed)
            #expect(counter.value == count)
        }
    }

    @Test("What has just been changed is read every time: the next change might leave no trace in its times")
    func fresh() throws {
        let directory = try TemporaryDirectory()
        _ = try Files.makeFile(in: directory)
        let (counter, (file, version)) = (Counter(), try open(directory.file("file")))
        // Here a day counts as just now.
        let reader = reader(counter, tick: 86_400_000_000_000)
        for _ in 0..<2 { _ = try reader.read(file, version, isCommon: true) }
        #expect(counter.value == 2 && reader.known(version) == nil)
    }

    @Test("A file that changes while it is read is not identified")
    func changing() throws {
        let directory = try TemporaryDirectory()
        _ = try Files.makeFile(in: directory)
        let path = directory.file("file")
        let (file, version) = try open(path)
        let reader = SignatureReader { _ in
            unsafe chmod(path, 0o700)
            return Self.signature
        }
        #expect(
            failure { () throws(Refusal) in try reader.read(file, version, isCommon: true) }?.rule
                == .unidentifiedCaller)
    }

    @Test("Versions differ by content, times, owner and name count; a version of the kernel's digest by that")
    func versions() throws {
        let directory = try TemporaryDirectory()
        _ = try Files.makeFile(in: directory)
        let path = directory.file("file")
        var seen: Set<FileVersion> = [try FileVersion(at: path)]
        let changes: [() -> CInt] = [
            { unsafe chmod(path, 0o700) }, { unsafe link(path, directory.file("second")) },
            { unsafe truncate(path, 10) }, { unsafe utimes(path, nil) },
            { unsafe rename(path, directory.file("third")) },
            { unsafe rename(directory.file("third"), path) },
        ]
        for (index, change) in changes.enumerated() {
            try waitForTick(in: directory)
            #expect(change() == 0)
            let now = try FileVersion(at: index == 4 ? directory.file("third") : path)
            #expect(seen.insert(now).inserted, "change \(index)")
        }
        #expect(try FileVersion(at: path) == FileVersion(of: FileDescriptor.open(path, O_RDONLY)))
    }

    /// Waits until the clock of a file system has moved on.
    private func waitForTick(in directory: TemporaryDirectory) throws {
        func now() throws -> Int64 {
            try AtomicFile.replace(directory.file("probe"), with: [1].span)
            return try FileVersion(at: directory.file("probe")).changed
        }
        let start = try now()
        try #require(try eventually { try now() > start })
    }

    @Test("It remembers so many files, and forgets the one that was not asked for the longest")
    func isBounded() throws {
        let cache = SignatureCache(capacity: 3)
        let versions = try ["/bin/sh", "/bin/cat", "/bin/ls", "/bin/cp"].map { try FileVersion(at: $0) }
        for version in versions.prefix(3) { cache.keep(.success(nil), for: version) }
        #expect(cache.find(versions[0]) != nil)
        cache.keep(.success(nil), for: versions[3])
        #expect(cache.count == 3 && cache.find(versions[1]) == nil && cache.find(versions[0]) != nil)
    }

    @Test("When file systems come or go everything is read again")
    func mounts() throws {
        let cache = SignatureCache()
        let version = try FileVersion(at: "/bin/sh")
        cache.follow(1)
        cache.keep(.success(nil), for: version)
        cache.follow(1)
        #expect(cache.find(version) != nil)
        cache.follow(2)
        #expect(cache.find(version) == nil)
    }
}
