import EnclaveWire
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// keychain-enclaved over a TPM: behind its filter of system calls, with the connection it opened before.
struct ProgramTests {
    let device: TPMDevice

    init() throws { device = try TPMDevice() }

    private func start(tpm: String, create: Bool = true) throws -> EnclaveConnection {
        let tests = try ExecutableFile(ofProcess: getpid()).path
        return try EnclaveProcess.start(
            executable: "\(tests[..<(tests.lastIndex(of: "/") ?? tests.endIndex)])/keychain-enclaved",
            vault: device.vault,
            createIfMissing: create, tpm: tpm)
    }

    /// Ends the program and waits for its end.
    private func end(_ connection: consuming EnclaveConnection) {
        let process = connection.process
        process?.kill()
        process?.reap()
    }

    @Test("the program makes, opens, locks and moves a vault on a TPM, closed in as it is")
    func serves() throws {
        let first = try start(tpm: device.chip.address)
        let row = try TestRow(.whenUnlocked, in: first)
        #expect(try first.status().protection == .hardware)
        try first.setPasscode(TPMDevice.passcode("right"))
        end(first)
        let second = try start(tpm: device.chip.address, create: false)
        #expect(try row.outcome(in: second) == .locked)
        #expect(refusal { try second.unlock(passcode: TPMDevice.passcode("wrong")) }?.rule == .wrongPasscode)
        #expect(try second.status().failedAttempts == 1)
        try second.unlock(passcode: TPMDevice.passcode("right"))
        #expect(try row.outcome(in: second) == .opened)
        try second.move(to: .software, passcode: TPMDevice.passcode("right"))
        #expect(try second.status().protection == .passcode)
        try second.move(to: .tpm, passcode: TPMDevice.passcode("right"))
        #expect(try row.outcome(in: second) == .opened)
        end(second)
    }

    @Test("a vault on a TPM never opens in software, and none is made in software where a TPM was asked for")
    func neverInSoftware() throws {
        #expect(refusal { _ = try start(tpm: "swtpm:path=/nonexistent") }?.status == .notAvailable)
        #expect(try FileStatus(at: device.vault) == nil)
        end(try start(tpm: device.chip.address))
        let content = try device.content()
        for tpm in ["none", "swtpm:path=/nonexistent", "auto"] {
            let refused = try #require(refusal { _ = try start(tpm: tpm) }, "\(tpm)")
            #expect(refused.status == .notAvailable, "\(tpm)")
        }
        let other = try SoftwareTPM()
        #expect(refusal { _ = try start(tpm: other.address) }?.rule.rawValue == "tpm.other")
        #expect(try device.content() == content)
    }

    @Test("a TPM that goes is reported by the program, which then makes way for one that finds it again")
    func tpmGoes() throws {
        let connection = try start(tpm: device.chip.address)
        try connection.setPasscode(TPMDevice.passcode("right"))
        try connection.lock()
        device.chip.kill()
        let refused = try #require(refusal { try connection.unlock(passcode: TPMDevice.passcode("right")) })
        #expect(refused.problem.contains("TPM"))
        try #require(connection.process).reap(timeout: patience)
        try device.chip.start()
        let again = try start(tpm: device.chip.address, create: false)
        try again.unlock(passcode: TPMDevice.passcode("right"))
        end(again)
    }
}
