import EnclaveWire
import Glibc
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

/// keychain-agent as keychain-enclaved starts it.
struct AgentStartTests {
    let device = TestDevice()

    /// The processes that a process has started.
    private static func children(of process: Int32) throws -> [Int32] {
        let path = "/proc/\(process)/task/\(process)/children"
        return try FileDescriptor.open(path, O_RDONLY).readText(1 << 12).split(separator: " ").compactMap { Int32($0) }
    }

    private func start(_ arguments: [String]) throws -> EnclaveConnection {
        let (ours, theirs) = try UnixSocket.pair()
        let process = try ChildProcess.start(
            EnclaveProgram.path, ["--vault", device.vault, "--channel", "3", "--create"] + arguments,
            handing: [theirs.descriptor])
        return try EnclaveConnection(ours, process: process)
    }

    @Test("the enclave starts the agent beside it, which ends when the enclave goes")
    func besides() throws {
        var connection: EnclaveConnection? = try EnclaveProgram.start(device)
        let enclave = try #require(connection?.process)
        let agents = try Self.children(of: enclave.identifier)
        #expect(agents.count == 1)
        let agent = try #require(agents.first)
        let name = try FileDescriptor.open("/proc/\(agent)/comm", O_RDONLY).readText(100)
        #expect(name == "keychain-agent\n")
        enclave.kill()
        connection = nil
        #expect(eventually { !Self.runs(agent) })
    }

    @Test(
        "the agent is confined, whether it starts pinentries or none, but where it has the login's password checked",
        arguments: [([], true), (["--pinentry", "none"], true), (["--login-password"], false)])
    func confined(_ arguments: [String], isConfined: Bool) throws {
        let connection = try start(arguments)
        let process = try #require(connection.process).identifier
        let agent = try #require(try Self.children(of: process).first)
        // It has confined itself when it answers.
        _ = try? connection.capabilities()
        let status = try FileDescriptor.open("/proc/\(agent)/status", O_RDONLY).readText(1 << 16)
        #expect(status.contains("NoNewPrivs:\t\(isConfined ? 1 : 0)"))
        #expect(status.contains("Seccomp:\t\(isConfined ? 2 : 0)"))
    }

    /// The process that adopts it may take a while to notice its end.
    private static func runs(_ process: Int32) -> Bool {
        guard let status = try? FileDescriptor.open("/proc/\(process)/status", O_RDONLY).readText(1 << 16) else {
            return false
        }
        return !status.contains("State:\tZ")
    }

    @Test("an enclave without an agent, or with one that cannot be started, serves", arguments: ["none", "/nowhere/x"])
    func without(_ agent: String) throws {
        let connection = try start(["--agent", agent])
        #expect(try connection.status().kind == "separate process")
        #expect(try Self.children(of: try #require(connection.process).identifier).isEmpty)
    }

    @Test("a program that is no agent is not asked, and the enclave serves")
    func strange() throws {
        let connection = try start(["--agent", "/bin/cat"])
        #expect(try connection.status().kind == "separate process")
    }
}
