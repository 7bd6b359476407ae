import Glibc
import LinuxSystem
import SystemAccounts
import TestSupport
import Testing

@Suite("A service gives its privileges back")
struct PrivilegesTests {
    /// Runs in a child, which alone changes; nil lines say that all was as it should be.
    private static func inChild(_ body: () throws -> Bool) -> Bool {
        ForkedChild { (try? body()) == true ? 0 : 1 }.waitForExit() == 0
    }

    private static func status(_ field: String) -> String {
        var bytes = [UInt8](repeating: 0, count: 16 << 10)
        var span = bytes.mutableSpan
        let count = (try? FileDescriptor.open("/proc/self/status", O_RDONLY).readFully(into: &span)) ?? 0
        let lines = String(decoding: bytes.prefix(count), as: UTF8.self).split(separator: "\n")
        let line = lines.first { $0.hasPrefix(field + ":") }
        guard let line else { return "" }
        return line.dropFirst(field.count + 1).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    private static let sets = ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"]

    @Test("Root becomes a user without groups, with CAP_SYS_PTRACE alone in every set", .enabled(if: geteuid() == 0))
    func keepsOne() {
        #expect(
            Self.inChild {
                try Privileges.reduce(to: Account(number: 61234), keeping: [.seeProcesses])
                return Self.sets.allSatisfy { Self.status($0) == "0000000000080000" } && Self.status("Groups").isEmpty
                    && Self.status("Uid") == "61234 61234 61234 61234"
                    && Self.status("Gid") == "61234 61234 61234 61234"
                    && Privileges.has(.seeProcesses)
            })
    }

    @Test("What it keeps passes to the programs it starts, and no way leads back to root", .enabled(if: geteuid() == 0))
    func passesOn() {
        #expect(
            Self.inChild {
                try Privileges.reduce(to: Account(number: 61234), keeping: [.seeProcesses])
                guard setuid(0) == -1, setgid(0) == -1 else { return false }
                let child = try ChildProcess.start(
                    "/bin/grep", ["-q", "CapEff:.0000000000080000", "/proc/self/status"], handing: [])
                return child.reap() == 0
            })
    }

    @Test("With nothing to keep nothing is left", .enabled(if: geteuid() == 0))
    func keepsNone() {
        #expect(
            Self.inChild {
                try Privileges.reduce(to: Account(number: 61234), keeping: [])
                return Self.sets.allSatisfy { Self.status($0) == "0000000000000000" }
            })
    }

    @Test("What it keeps must be there: who has not got it is told", .enabled(if: geteuid() == 0))
    func refuses() {
        #expect(
            Self.inChild {
                try Privileges.reduce(to: Account(number: 61234), keeping: [])
                do throws(SystemError) {
                    try Privileges.reduce(to: nil, keeping: [.seeProcesses])
                    return false
                } catch { return error.code == EPERM && error.advice.contains("CAP_SYS_PTRACE") }
            })
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
