import EnclaveWire
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave
@testable import TPMEnclave
@testable import enclaved

/// A move that fails or is cut off at any of its steps leaves the old vault or the new one, and every item opens.
@Suite(.enabled(if: !Sanitizer.isActive, "a sanitizer makes system calls of its own"))
struct DeviceRootMigrationCrashTests {
    let device: TPMDevice

    init() throws { device = try TPMDevice() }

    /// The steps of replacing a file, in order; the first `fsync` is the file's, `openat` begins it.
    static let steps = ["openat", "fchmod", "fsync", "rename", "write", "pwrite64", "flock", "unlink"]

    @Test("a move whose system calls fail is refused or complete, whichever call it is", arguments: steps)
    func fails(_ call: String) async throws {
        try await run("fail", call, expecting: .exitCode(42))
    }

    @Test("a process that is killed at a system call of a move leaves a vault that opens", arguments: steps)
    func killed(_ call: String) async throws {
        try await run("kill", call, expecting: call == "pwrite64" || call == "unlink" ? .exitCode(42) : .signal(SIGSYS))
    }

    private func run(_ action: String, _ call: String, expecting end: ExitTest.Condition) async throws {
        let row: TestRow
        do { row = try TestRow(.whenUnlocked, in: try device.start(preferring: .software)) }
        await #expect(processExitsWith: end) {
            [
                vault = device.vault as String, address = device.chip.address as String, call = call as String,
                action = action as String
            ] in
            let root = TPMDeviceRoot(TPM(address))
            let enclave = try SoftwareEnclave(
                vault: vault, createIfMissing: false, passcodeCost: .cheapest,
                roots: DeviceRoots(tpm: .success(root)))
            // Connected before, as in the enclave's program.
            _ = try root.makeDevice()
            let nothing = try PasscodeFile.make(SecretBytes(count: 0))
            try Sandbox.install(instead: action == "kill" ? .kill : .fail(EIO), of: call)
            do throws(Refusal) { try enclave.move(to: .tpm, passcode: nothing) } catch {
                if error.status != .notAvailable { _exit(1) }
            }
            _exit(42)
        }
        try device.chip.start()
        let enclave = try device.start(preferring: .software)
        #expect(try row.outcome(in: enclave) == .opened)
        #expect(device.folder.names.sorted() == ["vault", "vault.lock"])
    }

    @Test("a process that is killed at any moment while it moves the keys leaves a vault that opens", arguments: 0..<12)
    func killedAnywhere(_ round: Int) async throws {
        let row: TestRow
        do { row = try TestRow(.whenUnlocked, in: try device.start(preferring: .software)) }
        await #expect(processExitsWith: .signal(SIGKILL)) {
            [vault = device.vault as String, address = device.chip.address as String, round = round as Int] in
            let root = TPMDeviceRoot(TPM(address))
            let enclave = try SoftwareEnclave(
                vault: vault, createIfMissing: false, passcodeCost: .cheapest,
                roots: DeviceRoots(tpm: .success(root)))
            let nothing = try PasscodeFile.make(SecretBytes(count: 0))
            try enclave.move(to: .tpm, passcode: nothing)
            _ = try Thread(named: "killer") {
                var random = SplitMix64(seed: UInt64(round))
                letPass(microseconds: UInt32(round) * 7000 + .random(in: 0..<7000, using: &random))
                kill(getpid(), SIGKILL)
            }
            while true {
                try enclave.move(to: .software, passcode: nothing)
                try enclave.move(to: .tpm, passcode: nothing)
            }
        }
        let enclave = try device.start(preferring: .software)
        #expect(try row.outcome(in: enclave) == .opened)
        #expect(device.folder.names.sorted() == ["vault", "vault.lock"])
    }

    @Test("a TPM that is killed at any moment of a move leaves a vault that opens", arguments: 0..<6)
    func chipKilled(_ round: Int) throws {
        let enclave = try device.start(preferring: .software)
        let row = try TestRow(.whenUnlocked, in: enclave)
        let nothing = try PasscodeFile.make(SecretBytes(count: 0))
        let killer = try ChildProcess.start(
            "/bin/sh", ["-c", "sleep 0.0\(round * 15 + 10); kill -9 \(device.chip.process)"], handing: [])
        for _ in 0..<200 {
            let kind: DeviceRootKind = try enclave.status().protection == .hardware ? .software : .tpm
            if refusal({ try enclave.move(to: kind, passcode: nothing) }) != nil { break }
        }
        killer.reap(timeout: patience)
        try device.chip.start()
        #expect(try row.outcome(in: enclave) == .opened)
        let restarted = try device.start(preferring: .software)
        #expect(try row.outcome(in: restarted) == .opened)
    }
}

extension Sandbox {
    /// Installs a filter that allows everything but one call.
    fileprivate static func install(instead action: Filter.Action, of call: String) throws(SystemError) {
        let filter = try Filter(otherwise: .allow)
        try filter.add(action, to: call)
        try filter.load()
    }
}
