import Foundation
import Glibc
import KeychainClient
import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@Suite("A daemon that has stopped for good is replaced")
struct StoppedDaemonTests {
    @Test("A call without an answer has it ended, the next ones are served, and nothing is lost")
    func replaces() throws {
        let fixture = try DaemonFixture()
        try #require(try fixture.reach()).add("alice")
        let stopped = try fixture.process()
        try stop(stopped.process)
        fixture.configuration.timeout = 2000
        let connection = try #require(try fixture.reach())
        #expect(throws: Refusal.self) { try connection.has("alice") }
        try stopped.processDescriptor?.wait(for: .readable, deadline: soon)
        waitpid(stopped.process, nil, WNOHANG)
        fixture.configuration.timeout = UInt32(patience)
        #expect(try fixture.reach()?.has("alice") == true)
        #expect(fixture.log.contains("had stopped, and was ended"))
    }

    @Test("One that serves is left alone, however many are started beside it")
    func spares() throws {
        let fixture = try DaemonFixture()
        let connection = try #require(try fixture.reach())
        try connection.add("alice")
        let daemon = try fixture.process().process
        let second = try start(at: fixture.configuration.socket, fixture)
        #expect(second.reap(timeout: patience) == 0)
        #expect(try fixture.process().process == daemon)
        #expect(try connection.has("alice"))
    }

    @Test("What listens there without being a daemon is left alone")
    func sparesOthers() throws {
        let fixture = try DaemonFixture()
        let path = fixture.directory.file("s")
        let listener = try UnixSocket.listen(at: path)
        let second = try start(at: path, fixture)
        #expect(second.reap(timeout: patience) == 0)
        #expect(try UnixSocket.connect(to: path, deadline: soon).descriptor.number >= 0)
        _ = listener
    }

    /// Stops all threads of a process. The signal is taken by one of them, which stops the others when it runs.
    private func stop(_ process: Int32) throws {
        kill(process, SIGSTOP)
        try #require(try eventually { try threads(process).allSatisfy { $0 == "T" } })
    }

    /// The states of a process's threads, as proc_pid_stat(5) has them.
    private func threads(_ process: Int32) throws -> [Substring] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").map { thread in
            let stat = try String(contentsOfFile: "/proc/\(process)/task/\(thread)/stat", encoding: .utf8)
            return stat[stat.lastIndex(of: ")")!...].dropFirst(2).prefix(1)
        }
    }

    private func start(at socket: String, _ fixture: DaemonFixture) throws -> ChildProcess {
        try ChildProcess.start(
            DaemonFixture.program, ["--socket", socket, "--store", fixture.directory.file("k"), "--tpm", "none"],
            handing: [])
    }
}
