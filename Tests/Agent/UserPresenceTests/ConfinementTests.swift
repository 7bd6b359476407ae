import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import agent

/// The rights left to an agent that has been taken over, tried in processes that have confined themselves as it does.
@Suite(.enabled(if: !Sanitizer.isActive, "a sanitizer makes system calls of its own"))
struct ConfinementTests {
    private let vaults: TemporaryDirectory
    private let elsewhere: TemporaryDirectory

    init() throws {
        vaults = try TemporaryDirectory()
        elsewhere = try TemporaryDirectory()
        for folder in [vaults, elsewhere] { try AtomicFile.replace(folder.file("vault"), with: [1].span) }
    }

    /// Confines this process; whether its kernel keeps files from it.
    private static func confine(_ confinement: Confinement) throws -> Bool {
        var keepsFiles = true
        try confinement.apply { _ in keepsFiles = false }
        return keepsFiles
    }

    private static func code(_ body: () throws(SystemError) -> Void) -> CInt? { failure(of: body)?.code }

    private static func opening(_ path: String, _ flags: CInt = O_RDONLY) -> CInt? {
        code { () throws(SystemError) in _ = try FileDescriptor.open(path, flags) }
    }

    private static func expectRefused(_ result: Int) throws {
        let code = errno
        try #require(result == -1 && code == EPERM)
    }

    private static func expectNoOthers() throws {
        try expectRefused(systemCall(trace, [16, Int(getppid()), 0, 0]))
        try expectRefused(systemCall(readMemory, [Int(getppid()), 0, 0, 0, 0, 0]))
        try expectRefused(systemCall(takeDescriptor, [0, 0, 0]))
    }

    #if arch(x86_64)
        private static let (trace, readMemory, takeDescriptor) = (101, 310, 438)
    #else
        private static let (trace, readMemory, takeDescriptor) = (117, 270, 438)
    #endif

    private typealias Call = @convention(c) (Int, Int, Int, Int, Int, Int, Int) -> Int

    private static func systemCall(_ number: Int, _ arguments: [Int]) -> Int {
        let words = arguments + [0, 0, 0, 0, 0, 0]
        let call = unsafe unsafeBitCast(dlsym(nil, "syscall"), to: Call.self)
        return call(number, words[0], words[1], words[2], words[3], words[4], words[5])
    }

    @Test("an agent that starts no program opens no vault, and no file of its user's")
    func aloneWithoutFiles() async {
        await #expect(processExitsWith: .exitCode(42)) {
            [vault = vaults.file("vault") as String, folder = vaults.path as String] in
            let refused: CInt? = try Self.confine(.alone) ? EACCES : nil
            try #require(Self.opening(vault) == refused)
            try #require(Self.opening(vault, O_RDWR) == refused)
            try #require(Self.opening(folder) == refused)
            try #require(Self.opening(folder + "/new", O_WRONLY | O_CREAT) == refused)
            try #require(Self.opening("/etc/passwd") == nil)
            _exit(42)
        }
    }

    @Test("an agent that starts no program has no way to programs, networks and other processes")
    func aloneWithoutOthers() async {
        await #expect(processExitsWith: .exitCode(42)) {
            _ = try Self.confine(.alone)
            try Self.expectNoOthers()
            try #require(
                Self.code { () throws(SystemError) in _ = try ChildProcess.start("/bin/true", [], handing: []) }
                    == EPERM)
            for family in [AF_INET, AF_INET6, AF_NETLINK, AF_PACKET] {
                try Self.expectRefused(Int(socket(family, CInt(SOCK_STREAM.rawValue), 0)))
            }
            try Self.expectRefused(Int(kill(getppid(), 0)))
            try Self.expectRefused(Int(setpriority(__priority_which_t(0), id_t(getppid()), 5)))
            _exit(42)
        }
    }

    @Test("an agent that starts no program still reaches the system bus, looks accounts up and starts threads")
    func aloneAtWork() async {
        await #expect(processExitsWith: .exitCode(42)) {
            _ = try Self.confine(.alone)
            try #require(socket(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0) >= 0)
            try #require(unsafe getpwuid(getuid()) != nil)
            try Thread(named: "one") {}.join()
            try #require(kill(getpid(), 0) == 0)
            try #require(Self.opening("/dev/null", O_RDWR) == nil)
            _exit(42)
        }
    }

    @Test(
        "an agent that starts pinentries is kept from its keychain's folder and from other processes, and so are they")
    func away() async {
        await #expect(processExitsWith: .exitCode(42)) {
            [
                folder = vaults.path as String, vault = vaults.file("vault") as String,
                other = elsewhere.file("vault") as String
            ] in
            let keepsFiles = try Self.confine(.away(from: folder))
            try Self.expectNoOthers()
            try #require(Self.opening(vault) == (keepsFiles ? EACCES : nil))
            try #require(Self.opening(other, O_RDWR) == nil)
            let reader = try ChildProcess.start("/bin/cat", [vault], handing: [])
            try #require(reader.reap() == (keepsFiles ? 1 : 0))
            try #require(try ChildProcess.start("/bin/cat", [other], handing: []).reap() == 0)
            _exit(42)
        }
    }

    @Test("a link to the folder is no way into it, by whatever name it was given")
    func links() async throws {
        let link = elsewhere.file("link")
        try #require(unsafe symlink(vaults.path, link) == 0)
        await #expect(processExitsWith: .exitCode(42)) {
            [link = link as String, vault = vaults.file("vault") as String] in
            let refused: CInt? = try Self.confine(.away(from: link)) ? EACCES : nil
            try #require(Self.opening(vault) == refused)
            try #require(Self.opening(link + "/vault") == refused)
            _exit(42)
        }
    }
}
