import Glibc
import LinuxSystem
import SystemAccounts
import TestSupport
import Testing

/// Each test that drops privileges does so in a separate process: a forked child of a process with many threads may
/// find a lock of the runtime held forever.
@Suite("A service gives its privileges back")
struct PrivilegesTests {
    private static let user = Account(number: 61234)

    /// The kernel's status of this thread. The first thread of a test process has ended, and its status does not
    /// change.
    static func status(_ field: String) throws -> String {
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        var span = bytes.mutableSpan
        let count = try FileDescriptor.open("/proc/thread-self/status", O_RDONLY).readFully(into: &span)
        let lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n")
        let line = try #require(lines.first { $0.hasPrefix(field + ":") })
        return line.dropFirst(field.count + 1).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static let sets = ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"]

    @Test("Root becomes a user without groups, with CAP_SYS_PTRACE alone in every set", .enabled(if: geteuid() == 0))
    func keepsOne() async {
        await #expect(processExitsWith: .success) { () throws in
            try Privileges.reduce(to: Self.user, keeping: [.seeProcesses])
            for set in Self.sets { #expect(try Self.status(set) == "0000000000080000") }
            #expect(try Self.status("Groups").isEmpty)
            for field in ["Uid", "Gid"] { #expect(try Self.status(field) == "61234 61234 61234 61234") }
        }
    }

    @Test("What it keeps passes to the programs it starts, and no way leads back to root", .enabled(if: geteuid() == 0))
    func passesOn() async {
        await #expect(processExitsWith: .success) { () throws in
            try Privileges.reduce(to: Self.user, keeping: [.seeProcesses])
            #expect(setuid(0) == -1 && setgid(0) == -1)
            let child = try ChildProcess.start(
                "/bin/grep", ["-q", "CapEff:.0000000000080000", "/proc/self/status"], handing: [])
            #expect(child.reap() == 0)
        }
    }

    @Test("With nothing to keep nothing is left", .enabled(if: geteuid() == 0))
    func keepsNone() async {
        await #expect(processExitsWith: .success) { () throws in
            try Privileges.reduce(to: Self.user, keeping: [])
            for set in Self.sets { #expect(try Self.status(set) == "0000000000000000") }
        }
    }

    @Test("A capability to keep must exist, or the process is refused", .enabled(if: geteuid() == 0))
    func refuses() async {
        await #expect(processExitsWith: .success) { () throws in
            try Privileges.reduce(to: Self.user, keeping: [])
            let failure = #expect(throws: SystemError.self) {
                try Privileges.reduce(to: nil, keeping: [.seeProcesses])
            }
            #expect(failure?.code == EPERM && failure?.advice.contains("CAP_SYS_PTRACE") == true)
        }
    }

    @Test("An account is known by name or number; one that is not there is refused")
    func account() throws {
        #expect(try Account("root") == Account("root"))
        #expect(try Account("root").user == 0 && Account("root").group == 0)
        #expect(try Account("61234").group == 61234)
        #expect(throws: SystemError.self) { try Account("nobody-of-that-name") }
        #expect(throws: SystemError.self) { try Account("4294967295") }
    }
}
