import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave
@testable import TPMEnclave

/// Slots that a TPM opens, with a PIN or without anybody.
struct TPMSlotTests {
    let device: TPMDevice

    init() throws { device = try TPMDevice() }

    private func started(passcode: String = "right") throws -> SoftwareEnclave {
        let enclave = try device.start()
        try enclave.setPasscode(TPMDevice.passcode(passcode))
        return enclave
    }

    private func add(_ kind: UnlockSlot.Kind, pin: String? = nil, to enclave: SoftwareEnclave) throws {
        try enclave.addSlot(
            kind, try pin.map { try TPMDevice.passcode($0) }, by: .passcode, TPMDevice.passcode("right"))
    }

    private func code(for enclave: SoftwareEnclave) throws -> FileDescriptor {
        let room = try PasscodeFile.makeRoom(RecoveryCodeFormat.room)
        try enclave.addSlot(.recovery, room, by: .passcode, TPMDevice.passcode("right"))
        let bytes = try PasscodeFile.read(room, limit: 64, deadline: soon)
        return try PasscodeFile.make(bytes.withSpan { SecretBytes(copying: $0.extracting(..<35)) })
    }

    @Test("an unattended slot opens at every start, and when the session is unlocked; lock locks all the same")
    func unattended() throws {
        let row: TestRow
        do {
            let enclave = try started()
            try add(.tpm, to: enclave)
            row = try TestRow(.whenUnlocked, in: enclave)
        }
        do {
            let enclave = try device.start()
            #expect(try enclave.status().lockState == .unlocked)
            #expect(try row.outcome(in: enclave) == .opened)
            try enclave.lock()
            #expect(try row.outcome(in: enclave) == .locked)
            enclave.sessionChanged(.unlocked)
            #expect(try row.outcome(in: enclave) == .opened)
            enclave.sessionChanged(.locked)
            #expect(try row.outcome(in: enclave) == .locked)
            // A start would open everything: a logout is a lock here.
            enclave.sessionChanged(.ended)
            #expect(try enclave.status().lockState == .locked)
            try enclave.unlock(passcode: TPMDevice.passcode("right"))
            let again = refusal { try add(.tpm, to: enclave) }
            #expect(again?.rule == .contradiction)
            try enclave.removeSlot(1, by: .passcode, TPMDevice.passcode("right"))
        }
        #expect(try row.outcome(in: try device.start()) == .locked)
    }

    @Test("a PIN opens; a wrong one has its own refusal, counts here and in the TPM, and shares the wait")
    func pin() throws {
        let enclave = try started()
        try add(.tpmWithPIN, pin: "2468", to: enclave)
        let row = try TestRow(.whenUnlocked, in: enclave)
        try enclave.lock()
        #expect(refusal { try enclave.unlock(with: .pin, TPMDevice.passcode("1111")) }?.rule == .wrongPIN)
        #expect(try enclave.status().failedAttempts == 1)
        try enclave.unlock(with: .pin, TPMDevice.passcode("2468"))
        #expect(try row.outcome(in: enclave) == .opened)
        #expect(try enclave.status().failedAttempts == 0)
        try enclave.lock()
        // The passcode is not the PIN, nor the other way round.
        #expect(refusal { try enclave.unlock(passcode: TPMDevice.passcode("2468")) }?.rule == .wrongPasscode)
        for _ in 0..<3 { _ = refusal { try enclave.unlock(with: .pin, TPMDevice.passcode("1111")) } }
        #expect(refusal { try enclave.unlock(with: .pin, TPMDevice.passcode("2468")) }?.rule == .throttled)
    }

    @Test("a slot of a TPM needs a keychain that rests on one")
    func software() throws {
        let enclave = try device.start(preferring: .software)
        try enclave.setPasscode(TPMDevice.passcode("right"))
        for (kind, pin) in [(UnlockSlot.Kind.tpm, nil), (.tpmWithPIN, "1")] as [(UnlockSlot.Kind, String?)] {
            let refused = refusal { try add(kind, pin: pin, to: enclave) }
            #expect(refused?.status == .notAvailable)
            #expect(refused?.remedy.contains("move-enclave") == true)
        }
    }

    @Test("a recovery code survives moves in both directions; slots of the TPM do not leave it")
    func moves() throws {
        let enclave = try device.start(preferring: .software)
        try enclave.setPasscode(TPMDevice.passcode("right"))
        let code = try code(for: enclave)
        let row = try TestRow(.whenPasscodeSetThisDeviceOnly, in: enclave)
        try enclave.move(to: .tpm, passcode: TPMDevice.passcode("right"))
        try add(.tpm, to: enclave)
        try add(.tpmWithPIN, pin: "1", to: enclave)
        try enclave.change(DeviceSettings(locksOnSleep: true, idleSeconds: 1000))
        for kind in [DeviceRootKind.tpm, .software] {
            try enclave.lock()
            try enclave.unlock(with: .recoveryCode, code)
            #expect(try row.outcome(in: enclave) == .opened)
            if kind == .tpm { try enclave.move(to: .software, passcode: TPMDevice.passcode("right")) }
        }
        #expect(try enclave.details().slots.map(\.kind) == [.passcode, .recovery])
        #expect(try enclave.details().settings == DeviceSettings(locksOnSleep: true, idleSeconds: 1000))
        device.chip.kill()
        let restarted = try device.startWithoutTPM()
        try restarted.unlock(with: .recoveryCode, code)
        #expect(try row.outcome(in: restarted) == .opened)
    }
}
