import Glibc
import LinuxSystem
import TestSupport
import Testing

@Suite("ChildProcess")
struct ChildProcessTests {
    @Test("The new process finds the descriptors in order, an empty environment and no input")
    func inheritance() throws {
        let (reader, writer) = try FileDescriptor.pipe()
        let other = try FileDescriptor.open("/dev/null", O_WRONLY)
        // The first passed descriptor is 3, the others follow, and no more exist.
        let script = """
            exec 1>&4; [ -z "$LD_PRELOAD$HOME" ] && echo empty; read line || echo end
            [ -e /proc/$$/fd/5 ] || echo last; [ /proc/$$/fd/3 -ef /dev/null ] && echo third
            """
        let process = try ChildProcess.start("/bin/bash", ["-c", script], handing: [other, writer])
        #expect(process.reap(timeout: patience) == 0)
        let expected = "empty\nend\nlast\nthird\n"
        #expect(try reader.readText(expected.utf8.count) == expected)
    }

    @Test("The exit code is known, also when asked again")
    func exitCode() throws {
        let process = try ChildProcess.start("/bin/sh", ["-c", "exit 7"], handing: [])
        #expect(process.reap(timeout: patience) == 7)
        #expect(process.reap() == 7)
    }

    @Test("A process that does not end in time is killed")
    func killed() throws {
        let process = try ChildProcess.start("/bin/sleep", ["1000"], handing: [])
        #expect(process.reap(timeout: 1) == nil)
    }

    /// Checks whether it runs only with root's group.
    private static let isRoots = ["-c", "test \"$(id -g) $(id -gr)\" = '0 0'"]

    @Test(
        "What a program starts, or becomes, has the real group and not the one of the program",
        .enabled(if: geteuid() == 0))
    func givesGroupUp() {
        let starter = ForkedChild {
            guard setegid(1) == 0, CurrentProcess.isMarked else { return 2 }
            return (try? ChildProcess.start("/bin/sh", Self.isRoots, handing: []).reap(timeout: patience)) ?? 3
        }
        #expect(starter.waitForExit() == 0)
        let successor = ForkedChild {
            guard setegid(1) == 0 else { return 2 }
            try? CurrentProcess.become(
                "/bin/sh", (["sh"] + Self.isRoots).map { SecretBytes(copying: Array($0.utf8).span) })
            return 3
        }
        #expect(successor.waitForExit() == 0)
    }

    @Test(
        "A program is marked that acts for another group than its own, and this one is not",
        .enabled(if: geteuid() == 0))
    func isMarked() {
        #expect(!CurrentProcess.isMarked)
        #expect(ForkedChild { setegid(1) == 0 && CurrentProcess.isMarked ? 0 : 1 }.waitForExit() == 0)
    }

    @Test("A program that is not there is an error")
    func missing() {
        #expect(code { () throws(SystemError) in _ = try ChildProcess.start("/nowhere", [], handing: []) } == ENOENT)
    }
}
