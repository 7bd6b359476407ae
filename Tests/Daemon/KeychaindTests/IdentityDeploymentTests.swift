import CodeSignature
import Glibc
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@Suite("A program is the same one, whoever runs its engine")
struct IdentityDeploymentTests {
    private let fixture: DaemonFixture
    private let key: TeamPrivateKey

    init() throws {
        fixture = try DaemonFixture()
        key = try TeamPrivateKey.generate()
    }

    /// A signed copy of a program that adds items and lists them.
    private func signedWriter(_ name: String) throws -> String {
        let (signed, path) = (fixture.directory.file("\(name).signed"), fixture.directory.file(name))
        let target = try FileDescriptor.open(signed, O_RDWR | O_CREAT | O_TRUNC)
        let signing = try CodeSigning(
            identifier: "org.example.writer", signer: key, chain: try TeamChain([], to: key.publicKey))
        _ = try signing.sign(try FileDescriptor.open(Self.writer, O_RDONLY), to: target)
        // The copy is made by another process: what this one has open for writing cannot be executed.
        #expect(try RunningProgram("/usr/bin/install", ["-m", "755", signed, path]).waitForExit() == 0)
        return path
    }

    private static let writer = DaemonFixture.products + "/item-writer"

    private func start(_ program: String, _ mode: String, _ words: String...) throws -> RunningProgram {
        let settings = [
            "KEYCHAIN_HOME=\(fixture.configuration.folder)", "KEYCHAIN_SOCKET=\(fixture.configuration.socket)",
            "KEYCHAIN_MODE=\(mode)", "KEYCHAIN_DAEMON=\(DaemonFixture.program)", "KEYCHAIN_TPM=none",
        ]
        return try RunningProgram("/usr/bin/env", settings + [program] + words)
    }

    /// Adds at least one item.
    private func add(_ program: String, _ mode: String, _ service: String) throws -> RunningProgram {
        let adder = try start(program, mode, "add", service)
        #expect(try adder.output.readText(2) == "0\n")
        return adder
    }

    private func hasItems(_ program: String, _ mode: String, _ service: String) throws -> Bool {
        let checker = try start(program, mode, "check", service)
        // Their numbers, in no order; otherwise nothing, or a complaint.
        let first = try checker.output.readText(1)
        return Int(first) != nil
    }

    @Test(
        "what a signed program has stored embedded it finds served, and the other way, wherever its file lies",
        .rule("access-groups.team.content"))
    func sameGroups() throws {
        let (writer, moved) = (try signedWriter("writer"), try signedWriter("moved"))
        do { _ = try add(writer, "embedded", "one") }
        // A daemon that finds nobody in the store has it for itself from then on.
        for mode in ["embedded", "daemon"] {
            for program in [writer, moved] { #expect(try hasItems(program, mode, "one")) }
        }
        #expect(try !hasItems(Self.writer, "daemon", "one"))
        do { _ = try add(moved, "daemon", "two") }
        try fixture.stop()
        #expect(try hasItems(writer, "embedded", "two"))
        #expect(try !hasItems(Self.writer, "embedded", "two"))
    }

    @Test("Also while one program carries its engine and another one asks the daemon")
    func mixed() throws {
        let writer = try signedWriter("writer")
        let adder = try add(writer, "embedded", "one")
        #expect(try hasItems(writer, "daemon", "one"))
        extendLifetime(adder)
    }

    @Test("A program hears from the daemon what another one of its group stores, also after a restart of the daemon")
    func changes() throws {
        let (writer, moved) = (try signedWriter("writer"), try signedWriter("moved"))
        let watcher = try start(moved, "daemon", "watch")
        #expect(try watcher.output.readText(2) == "w\n")
        #expect(try start(writer, "daemon", "put", "a", "1").waitForExit() == 0)
        #expect(try watcher.output.readText(2) == "!\n")
        // Another daemon has other numbers: something may have changed meanwhile.
        try fixture.stop()
        #expect(try watcher.output.readText(2) == "!\n")
        #expect(try start(writer, "daemon", "drop", "a").waitForExit() == 0)
        #expect(try watcher.output.readText(2) == "!\n")
    }

    @Test("The daemon tells whom it takes a program for, and what a program file would be given")
    func report() throws {
        let writer = try signedWriter("writer")
        let connection = try #require(try fixture.reach())
        guard case .identity(let own) = try connection.device(.identity, passcodes: []) else {
            Issue.record("no identity")
            return
        }
        #expect(own.process == getpid() && own.source == "unsigned" && own.groups == ["program:\(own.program)"])
        let file = try FileDescriptor.open(writer, O_RDONLY)
        guard case .identity(let signed) = try connection.device(.examine, passcodes: [file]) else {
            Issue.record("no identity")
            return
        }
        let team = try TeamChain([], to: key.publicKey).team.text
        #expect(signed.source == "signed" && signed.detail == team && signed.process == 0)
        #expect(signed.groups == ["\(team).org.example.writer"] && signed.program == "org.example.writer")
    }
}
