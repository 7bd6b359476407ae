import KeychainTesting
import LinuxSystem
import Security
import TestSupport
import Testing

/// The locks and descriptors that a program holds on its store between calls, by the kernel's lists.
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

    /// The kernel's whole list. Foundation's functions that read a file at once stop after its first 4 KiB.
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

    @Test("A program that has read holds nothing afterwards that would keep a log from beginning again")
    func reads() throws {
        read()
        #expect(try !holdsReadMark())
        DispatchQueue.concurrentPerform(iterations: 4) { _ in read() }
        #expect(try !holdsReadMark())
    }

    @Test("A keychain that is closed leaves no descriptor open, and its log for the next program")
    func closed() throws {
        let directory = try TemporaryDirectory()
        let folder = directory.path + "/keychain"
        var other: TestKeychain? = try TestKeychain(folder: URL(filePath: folder))
        other?.run { _ = add(genericPassword() + [kSecValueData: Data("0")]) }
        #expect(try Self.descriptors(below: folder) > 0)
        other = nil
        #expect(try Self.descriptors(below: folder) == 0)
        #expect(try FileStatus(at: folder + "/keychain.db-wal") != nil)
        let again = try TestKeychain(folder: URL(filePath: folder))
        again.run { #expect(value(genericPassword()) == Data("0")) }
    }

    private static func descriptors(below folder: String) throws -> Int {
        try FolderEntries.names(in: "/proc/self/fd").count { number in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)"))?
                .hasPrefix(folder + "/") == true
        }
    }
}
