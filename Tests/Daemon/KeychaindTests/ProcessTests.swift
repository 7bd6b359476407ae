import Glibc
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@Suite("The daemon's process")
struct ProcessTests {
    @Test(
        "It says that it serves, serves, and ends with success when it is told to",
        arguments: [SIGTERM, SIGINT, SIGHUP])
    func endsOnSignal(signal: CInt) throws {
        let fixture = try DaemonFixture()
        let daemon = try fixture.startReady()
        try #require(try fixture.reach()).add("alice")
        kill(daemon.identifier, signal)
        #expect(waitForExit(daemon) == 0)
    }

    @Test("A second one for the same socket ends with success and without a word")
    func leavesToFirst() throws {
        let fixture = try DaemonFixture()
        let first = try fixture.startReady()
        let second = try RunningProgram(DaemonFixture.program, fixture.arguments)
        #expect(second.waitForExit() == 0)
        #expect(try fixture.process().process == first.identifier)
    }

    @Test("It ends by itself when nobody has been connected for long enough")
    func endsWhenIdle() throws {
        let fixture = try DaemonFixture()
        let daemon = try fixture.startReady(["--idle-exit", "1"])
        do { try #require(try fixture.reach()).add("alice") }
        #expect(waitForExit(daemon) == 0)
        #expect(try #require(try fixture.reach()).has("alice"))
    }

    @Test("One whose program was replaced goes on while somebody is connected, and ends soon afterwards")
    func endsAfterUpgrade() throws {
        let fixture = try DaemonFixture()
        let installed = fixture.directory.file("keychaind")
        try installDaemon(at: installed)
        let daemon = try fixture.startReady(["--upgrade-exit", "1"], program: installed)
        do {
            let connection = try #require(try fixture.reach())
            try connection.add("alice")
            try installDaemon(at: installed)
            #expect(try connection.has("alice"))
            #expect(try fixture.process().process == daemon.identifier)
        }
        #expect(waitForExit(daemon) == 0)
        #expect(try #require(try fixture.reach()).has("alice"))
    }

    /// As a package manager does: the new file gets the name, the old one is what runs.
    private func installDaemon(at path: String) throws {
        #expect(try RunningProgram("/bin/cp", [DaemonFixture.program, path + ".new"]).waitForExit() == 0)
        #expect(unsafe rename(path + ".new", path) == 0)
        let enclave = PrivateDirectory.parent(of: path).map { $0 + "/keychain-enclaved" } ?? ""
        unsafe symlink(DaemonFixture.products + "/keychain-enclaved", enclave)
    }

    @Test("It serves the socket a service manager listens on")
    func takesOverSocket() throws {
        let fixture = try DaemonFixture()
        let path = fixture.directory.file("activated")
        let listener = try UnixSocket.listen(at: path)
        var configuration = fixture.configuration
        configuration.socket = path
        let command = "LISTEN_PID=$$ LISTEN_FDS=1 exec \"$0\" \"$@\""
        let daemon = try ChildProcess.start(
            "/bin/sh", ["-c", command, DaemonFixture.program] + fixture.arguments, handing: [listener.descriptor])
        // The client may come before the daemon is there.
        try #require(try Connection.reach(configuration)).add("alice")
        kill(daemon.identifier, SIGTERM)
        #expect(waitForExit(daemon) == 0)
        // The service manager's socket is still there for the next one.
        try withExtendedLifetime(listener) { _ = try UnixSocket.connect(to: path, deadline: soon) }
    }

    @Test("Other processes of the user can neither trace it nor make it write a core file, nor can it gain privileges")
    func isHardened() throws {
        let fixture = try DaemonFixture()
        _ = try fixture.startReady()
        let daemon = try fixture.process().process
        #expect(try read("/proc/\(daemon)/status").contains("NoNewPrivs:\t1"))
        let limits = try read("/proc/\(daemon)/limits").split(separator: "\n")
        #expect(limits.first { $0.hasPrefix("Max core file size") }?.split(separator: " ")[4] == "0")
    }

    @Test(
        "One that crashes is gone at once, and so is its enclave; the next client starts both afresh",
        arguments: [SIGQUIT, SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV], [true, false])
    func diesOfCrash(signal: CInt, isEnclave: Bool) throws {
        let fixture = try DaemonFixture()
        let connection = try #require(try fixture.reach())
        try connection.add("alice")
        let daemon = try fixture.process()
        let children = try read("/proc/\(daemon.process)/task/\(daemon.process)/children")
        let enclave = try #require(Int32(children.split(separator: " ")[0]))
        kill(isEnclave ? enclave : daemon.process, signal)
        try daemon.processDescriptor?.wait(for: .readable, deadline: soon)
        #expect(try connection.has("alice"))
        #expect(!fixture.log.contains("Backtracing"))
    }

    @Test("It ends when the process that holds the keys has ended, and the next client starts both afresh")
    func followsEnclave() throws {
        let fixture = try DaemonFixture()
        let connection = try #require(try fixture.reach())
        try connection.add("alice")
        let daemon = try fixture.process()
        let children = try read("/proc/\(daemon.process)/task/\(daemon.process)/children")
        let enclave = try #require(Int32(children.split(separator: " ")[0]))
        kill(enclave, SIGKILL)
        try daemon.processDescriptor?.wait(for: .readable, deadline: soon)
        #expect(try connection.has("alice"))
        #expect(fixture.log.contains("The process that holds the keys has ended."))
    }

    @Test("It ends when the agent has gone, and the next client starts all of them afresh")
    func followsAgent() throws {
        let fixture = try DaemonFixture()
        let connection = try #require(try fixture.reach())
        try connection.add("alice")
        let daemon = try fixture.process()
        let enclave = try #require(try children(of: daemon.process).first)
        // It has greeted the enclave when it has said what it has found.
        _ = try? connection.authentication(.capabilities, descriptors: [])
        kill(try #require(try children(of: enclave).first), SIGKILL)
        try daemon.processDescriptor?.wait(for: .readable, deadline: soon)
        #expect(try connection.has("alice"))
        #expect(try fixture.process().process != daemon.process)
    }

    private func children(of process: Int32) throws -> [Int32] {
        try read("/proc/\(process)/task/\(process)/children").split(separator: " ").compactMap { Int32($0) }
    }

    @Test(
        "It ends when its socket is removed or replaced, and the next client is served by another",
        arguments: [true, false])
    func followsSocket(isReplaced: Bool) throws {
        let fixture = try DaemonFixture()
        try #require(try fixture.reach()).add("alice")
        let daemon = try fixture.process()
        if isReplaced {
            // Of nobody who still listens.
            let stale = fixture.directory.file("stale")
            _ = try UnixSocket.listen(at: stale)
            unsafe rename(stale, fixture.configuration.socket)
        } else {
            unsafe unlink(fixture.configuration.socket)
        }
        try daemon.processDescriptor?.wait(for: .readable, deadline: soon)
        #expect(try #require(try fixture.reach()).has("alice"))
        #expect(fixture.log.contains("has gone: this daemon ends"))
    }

    @Test("It begins its log anew when that has become long, while it runs")
    func boundsLog() throws {
        let fixture = try DaemonFixture()
        let connection = try #require(try fixture.reach())
        let path = fixture.configuration.folder + "/keychaind.log"
        try FileDescriptor.open(path, O_WRONLY | O_APPEND).writeFully([UInt8](repeating: 10, count: 2 << 20).span)
        var request = ItemRequestBuilder(.copyMatching)
        try request.set("class", .string("genp"))
        try request.set("agrp", .string("OTHER.x"))
        let refused = try request.build()
        #expect(failure { () throws(Refusal) in try connection.send(refused) }?.status == .missingEntitlement)
        #expect(try #require(try FileStatus(at: path)).size < 1 << 20)
        #expect(fixture.log.contains("refused"))
    }

    @Test(
        "Arguments that make no sense are refused with a word on what to do",
        arguments: [
            ["--socket"], ["--socket", "relative"], ["--store", ""], ["--loops", "0"], ["--loops", "65"],
            ["--idle-exit", "soon"], ["--upgrade-exit", "0"], ["--ready-fd", "77"], ["--ready-fd", "1"], ["--nonsense"],
            ["extra"],
        ])
    func refusesArguments(arguments: [String]) throws {
        #expect(try RunningProgram(DaemonFixture.program, arguments).waitForExit() == 1)
    }

    @Test("It explains itself", arguments: ["--help", "--version"])
    func explains(option: String) throws {
        let program = try RunningProgram(DaemonFixture.program, [option])
        #expect(try program.output.readText(4096).contains("keychaind"))
        #expect(program.waitForExit() == 0)
    }

    private func read(_ path: String) throws -> String {
        try FileDescriptor.open(path, O_RDONLY).readText(8192)
    }
}

extension DaemonFixture {
    var arguments: [String] {
        ["--socket", configuration.socket, "--store", configuration.folder, "--tpm", configuration.tpm]
    }

    /// Runs the daemon as this test's own child and waits until it serves.
    func startReady(_ more: [String] = [], program: String = DaemonFixture.program) throws -> ChildProcess {
        let (reader, child) = try launch(more, program)
        #expect(try reader.readText(1) == "\u{1}")
        return child
    }

    private func launch(_ more: [String], _ program: String) throws -> (FileDescriptor, ChildProcess) {
        let (reader, writer) = try FileDescriptor.pipe()
        let all = arguments + more + ["--ready-fd", "\(ChildProcess.firstDescriptor)"]
        return (reader, try ChildProcess.start(program, all, handing: [writer]))
    }
}

/// Waits for a program to end; its exit code, or -1 when a signal ended it.
func waitForExit(_ program: ChildProcess) -> CInt {
    var status: CInt = 0
    unsafe waitpid(program.identifier, &status, 0)
    return status & 0x7f == 0 ? status >> 8 & 0xff : -1
}
