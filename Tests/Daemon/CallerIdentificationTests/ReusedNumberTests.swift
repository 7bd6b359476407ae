import CallerIdentification
import Glibc
import KeychainModel
import KeychainPolicy
import LinuxSystem
import TestSupport
import Testing

/// The tests of the suite below choose numbers of processes. Only in a namespace of their own does nobody else
/// take these meanwhile, and nobody is disturbed there.
@Suite("A namespace of processes for the tests of used numbers", .enabled(if: ReusedNumber.mayHaveNamespace))
struct NumberNamespaceTests {
    @Test("They pass as the first process of a namespace")
    func pass() throws {
        let suite = "^CallerIdentificationTests.ReusedNumberTests/"
        let words = ["--testing-library", "swift-testing", "--no-parallel", "--filter", suite]
        // The report is written to error output.
        let program = try ReusedNumber.unshare + [SymbolicLink.read("/proc/self/exe")]
        let tests = try RunningProgram("/bin/sh", ["-c", "exec \"$@\" 2>&1", "sh"] + program + words)
        var output = ""
        while case let text = try tests.output.readText(4096), !text.isEmpty { output += text }
        #expect(tests.waitForExit() == 0, "\(output)")
        #expect(output.contains("Test run with 2 tests"), "\(output)")
    }
}

@Suite("Numbers of processes that are used again", .enabled(if: ReusedNumber.mayChoose))
struct ReusedNumberTests {
    private let door: Doorway

    init() throws { door = try Doorway() }

    @Test("a process with the number of one that was known is not that one", .rule("access-groups.list.process"))
    func later() throws {
        let path = try door.settled("first")
        try door.copy("second")
        let visitor = try door.start([path])
        _ = try door.identifyAgain(visitor.peer)
        let number = visitor.program.process
        kill(number, SIGKILL)
        _ = visitor.program.waitForExit()
        try door.seeNobody()
        let next = try ReusedNumber.start(number) { try door.start([door.file("second")]) }
        #expect(try !door.knows(next.peer))
        #expect(try door.identify(next.peer).groups == ["program:" + door.file("second")])
    }

    @Test(
        "a connection that somebody else with that number has left behind is not the process's that is known now",
        .rule("access-groups.list.process"))
    func earlier() throws {
        try door.copy("first")
        let path = try door.settled("second")
        let maker = try door.start([door.file("first")])
        let number = maker.program.process
        kill(number, SIGKILL)
        _ = maker.program.waitForExit()
        try door.seeNobody()
        let known = try ReusedNumber.start(number) { try door.start([path]) }
        _ = try door.identifyAgain(known.peer)
        try door.seeNobody()
        #expect(try door.knows(door.connectAgain(known)))
        // The numbers are the same, and the connection still stands.
        #expect(try PeerNumbers(of: maker.peer) == PeerNumbers(of: known.peer))
        #expect(try !door.knows(maker.peer))
        #expect(door.refusal(maker.peer)?.rule == .unidentifiedCaller)
    }
}

/// Starts programs under the number that a process had which has ended.
private enum ReusedNumber {
    private static let last = "/proc/sys/kernel/ns_last_pid"

    /// Runs a program as the first process of a namespace, which ends with it.
    static let unshare = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]

    static let mayHaveNamespace =
        geteuid() == 0 && (try? RunningProgram("/usr/bin/env", unshare + ["true"]).waitForExit()) == 0

    /// Whether this process is the first of its namespace, where numbers are its own.
    static let mayChoose = unsafe getpid() == 1 && access(last, W_OK) == 0

    /// A thread of this process may take the number first.
    static func start(_ number: Int32, _ body: () throws -> Visitor) throws -> Visitor {
        for _ in 0..<100 {
            let file = try FileDescriptor.open(last, O_WRONLY)
            try file.writeFully(Array("\(number - 1)".utf8).span)
            let visitor = try body()
            if visitor.program.process == number { return visitor }
        }
        throw SystemError(code: EAGAIN, call: "ns_last_pid")
    }
}
