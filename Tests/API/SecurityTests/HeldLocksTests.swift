import KeychainTesting
import LinuxSystem
import Security
import TestSupport
import Testing

/// What a program that reads its passwords again and again holds of its own store, as the kernel's list of locks shows it.
@Suite("The locks of an embedded keychain")
struct HeldLocksTests {
    private let keychain: TestKeychain

    init() throws {
        keychain = try TestKeychain()
        keychain.run { _ = add(genericPassword() + [kSecValueData: Data("0")]) }
    }

    /// Whether this process holds one of the five read marks in the index of the log, which are its bytes 123 to 127
    /// (https://www.sqlite.org/walformat.html, section 2.3).
    private func holdsReadMark() throws -> Bool {
        let index = try #require(try FileStatus(at: keychain.folder.path + "/keychain.db-shm"))
        return try Self.locks().split(separator: "\n").contains { line in
            let words = line.split(separator: " ")
            guard words.count == 8, words[4] == "\(getpid())", let first = Int(words[6]) else { return false }
            return words[5].hasSuffix(":\(index.inode)") && 123...127 ~= first
        }
    }

    /// All of the kernel's list. Foundation's functions that read a file whole end with its first 4 KiB.
    private static func locks() throws -> String {
        let file = try FileDescriptor.open("/proc/locks", O_RDONLY)
        var room = [UInt8](repeating: 0, count: 1 << 20)
        var span = room.mutableSpan
        let count = try file.readFully(into: &span)
        return String(decoding: room.prefix(count), as: UTF8.self)
    }

    private func read() {
        keychain.run {
            for _ in 0..<100 { #expect(value(genericPassword()) == Data("0")) }
        }
    }

    /// Reads until something is held, which on a busy machine may be let go before it is seen.
    private func readsAndHolds() throws -> Bool {
        for _ in 0..<50 {
            read()
            if try holdsReadMark() { return true }
        }
        return false
    }

    /// Looks for ten seconds at most whether nothing is held.
    private func letsGo() async throws -> Bool {
        for _ in 0..<200 {
            if try !holdsReadMark() { return true }
            try await Task.sleep(for: .milliseconds(50))
        }
        return false
    }

    @Test("A program that reads without pause holds its lock, and lets go of it a moment after the last time")
    func letsGoWhenIdle() async throws {
        #expect(try !holdsReadMark())
        for _ in 0..<3 {
            #expect(try readsAndHolds())
            #expect(try await letsGo())
        }
    }

    @Test("Threads that read at the same time let go of everything, too")
    func severalThreads() async throws {
        DispatchQueue.concurrentPerform(iterations: 4) { _ in read() }
        #expect(try await letsGo())
        read()
        #expect(try await letsGo())
    }

    @Test("A keychain that is closed while it holds a lock leaves none")
    func closed() throws {
        let directory = try TemporaryDirectory()
        var other: TestKeychain? = try TestKeychain(folder: URL(filePath: directory.path + "/keychain"))
        other?.run {
            _ = add(genericPassword())
            for _ in 0..<100 { _ = find(genericPassword()) }
        }
        other = nil
        #expect(try FileStatus(at: directory.path + "/keychain/keychain.db-wal") == nil)
    }
}
