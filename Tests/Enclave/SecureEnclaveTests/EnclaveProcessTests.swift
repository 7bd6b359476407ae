import EnclaveWire
import Glibc
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem
import SecureEnclave
import TestSupport
import Testing

/// keychain-enclaved as the daemon starts it.
struct EnclaveProcessTests {
    let device = TestDevice()

    @Test(
        "the program serves all operations inside its sandbox, and what it keeps is there at the next start",
        .rule("protection.storage.sandbox"))
    func serves() throws {
        var connection = try EnclaveProgram.start(device)
        #expect(try connection.status().kind == "separate process")
        let rows = try Accessibility.allCases.dropLast().map { accessibility throws(Refusal) in
            try TestRow(accessibility, in: connection)
        }
        let (key, wrapped) = try connection.makeMetadataKey(for: .always)
        let made = try connection.makeKey(.test(.always))
        let imported = try connection.importKey(
            try PrivateKey.generate(.ecSECPrimeRandom, bits: 384).external(), type: 73, .test(control: 0))
        for sealed in [made, imported] {
            let signature = try connection.useKey(sealed, .signature).bytes
            #expect(try sealed.verifies(signature, KeyUse.signature.input, .messageX962))
        }
        try connection.setPasscode(TestDevice.passcode("one"))
        #expect(refusal { try connection.unlock(passcode: TestDevice.passcode("two")) }?.rule == .wrongPasscode)
        try connection.changePasscode(from: TestDevice.passcode("one"), to: TestDevice.passcode("two"))
        connection = try EnclaveProgram.start(device, createIfMissing: false)
        #expect(try connection.status().lockState == .beforeFirstUnlock)
        #expect(try connection.unwrapMetadataKey(wrapped, for: .always).isEqual(to: key))
        #expect(refusal { _ = try TestRow(.whenUnlocked, in: connection) }?.rule == .locked)
        _ = try connection.useKey(made, .signature)
        #expect(refusal { _ = try connection.useKey(imported, .signature) }?.rule == .locked)
        try connection.unlock(passcode: TestDevice.passcode("two"))
        #expect(try connection.unwrap(rows.map(\.record)).outcomes == rows.map { _ in .opened })
        try connection.lock()
        try connection.removePasscode(TestDevice.passcode("two"))
        #expect(try connection.unwrap(rows.map(\.record)).outcomes == rows.map { _ in .opened })
    }

    @Test("a vault the enclave refuses is refused by the start, and not touched")
    func refusedVault() throws {
        let missing = refusal { _ = try EnclaveProgram.start(device, createIfMissing: false) }
        #expect(missing?.status == .notAvailable)
        #expect(missing?.problem.contains("missing") == true)
        #expect(try FileStatus(at: device.vault) == nil)
        _ = try device.start()
        var content = try device.content()
        content[300] ^= 1
        try device.replaceContent(with: content)
        #expect(refusal { _ = try EnclaveProgram.start(device) }?.status == .decode)
        #expect(try device.content() == content)
    }

    @Test(
        "a program that is not there, or is not an enclave, is refused", arguments: ["/nowhere/enclaved", "/bin/true"])
    func wrongProgram(_ path: String) throws {
        let refused = refusal {
            _ = try EnclaveProcess.start(executable: path, vault: device.vault, createIfMissing: true)
        }
        #expect(refused?.status == .notAvailable)
    }

    @Test("when the enclave is killed every call under way and to come is refused at once, and it can be started again")
    func killed() throws {
        var connection = try EnclaveProgram.start(device)
        let process = try #require(connection.process)
        let row = try TestRow(.whenUnlocked, in: connection)
        // It is stopped first, so that the call is under way when it dies.
        stop(process)
        let refused = Monitor<Refusal?>(nil)
        let caller = try Thread(named: "caller") { [connection] in
            refused.update { $0 = refusal { _ = try connection.status() } }
        }
        process.kill()
        caller.join()
        #expect(refused.update { $0 }?.status == .notAvailable)
        #expect(refusal { _ = try connection.status() }?.rule == .unavailable)
        connection = try EnclaveProgram.start(device, createIfMissing: false)
        #expect(try connection.outcome(of: row) == .opened)
    }

    @Test("an enclave that does not answer in time is given up")
    func silent() throws {
        let (ours, theirs) = try UnixSocket.pair()
        let arguments = ["--vault", device.vault, "--channel", "3", "--create"]
        let process = try ChildProcess.start(EnclaveProgram.path, arguments, handing: [theirs.descriptor])
        let connection = try EnclaveConnection(ours, process: process, timeout: 100)
        stop(process)
        #expect(refusal { _ = try connection.status() }?.rule == .deadline)
        #expect(refusal { _ = try connection.status() }?.rule == .unavailable)
        process.kill()
    }

    /// Returns when the process has stopped, all its threads included.
    private func stop(_ process: ChildProcess) {
        kill(process.identifier, SIGSTOP)
        #expect(waitpid(process.identifier, nil, WUNTRACED) == process.identifier)
    }

    @Test("a guess during which the enclave is killed has cost a try")
    func killedDuringGuess() throws {
        let connection = try EnclaveProgram.start(device)
        try connection.setPasscode(TestDevice.passcode("right"))
        let before = try FileStatus(at: device.vault)
        let guess = try Thread(named: "guess") { [connection] in
            _ = refusal { try connection.unlock(passcode: TestDevice.passcode("wrong")) }
        }
        try #require(try eventually { try FileStatus(at: device.vault) != before })
        try #require(connection.process).kill()
        guess.join()
        #expect(try device.start().status().failedAttempts == 1)
    }

    @Test(
        "the enclave ends when the daemon's end of the channel closes",
        .enabled(if: !Sanitizer.isActive, "a sanitizer makes system calls of its own when a thread ends"))
    func endsWithDaemon() throws {
        #expect(try startAndLetGo().reap(timeout: patience) == 0)
    }

    private func startAndLetGo() throws -> ChildProcess {
        try #require(try EnclaveProgram.start(device).process)
    }

    @Test(
        "--help and --version answer; what is not understood ends the program",
        arguments: [
            (["--help"], 0), (["--version"], 0), ([], 1), (["--vault", "/x"], 1), (["--channel", "3"], 1),
            (["--vault", "relative", "--channel", "3"], 1), (["--vault", "/x", "--channel", "99"], 1),
            (["--vault", "/x", "--channel", "0"], 1), (["--strange"], 1),
        ] as [([String], CInt)])
    func arguments(_ arguments: [String], _ code: CInt) throws {
        #expect(try RunningProgram(EnclaveProgram.path, arguments).waitForExit() == code)
    }
}
