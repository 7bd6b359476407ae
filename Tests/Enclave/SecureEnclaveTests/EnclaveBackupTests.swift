import EnclaveWire
import KeychainBackup
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

/// The enclave decides what leaves it in a backup, whatever the daemon says.
@Suite("The enclave's part of a backup") struct EnclaveBackupTests {
    private let device = TestDevice()
    private static let passphrase = "correct horse battery"

    /// An unlocked enclave whose password is `right`.
    private func start() throws -> SoftwareEnclave {
        let enclave = try device.start(passcode: "right")
        try enclave.unlock(passcode: TestDevice.passcode("right"))
        return enclave
    }

    private func begin(
        _ enclave: SoftwareEnclave, _ password: String = "right", by kind: CredentialKind = .passcode,
        passphrase: String = passphrase
    ) throws -> OpenedBackup {
        let files = (try TestDevice.passcode(password), try TestDevice.passcode(passphrase))
        return try enclave.beginBackup(by: kind, files.0, files.1, hasShelves: false)
    }

    @Test("Without the password there is no key, and each guess is counted, on the disk")
    func password() throws {
        let enclave = try start()
        for guess in 1...3 {
            #expect(refusal { _ = try begin(enclave, "guess \(guess)") }?.rule == .wrongPasscode)
            #expect(try device.start().status().failedAttempts == guess)
        }
        #expect(refusal { _ = try begin(enclave, "") } != nil)
        #expect(refusal { _ = try begin(enclave, by: .recoveryCode) } != nil)
        let unknown = Randomness.bytes(BackupTicket.bytes)
        #expect(refusal { _ = try enclave.backupKey(unknown, .part, index: 0) }?.rule == .noBackupUnderWay)
    }

    @Test("Each key is given once, in the order of the file, and none after the manifest's")
    func keysOnce() throws {
        let enclave = try start()
        let ticket = try begin(enclave).ticket
        func key(_ kind: BackupFraming.Kind, _ index: UInt32) throws -> SecretBytes {
            try enclave.backupKey(ticket, kind, index: index)
        }
        #expect(refusal { _ = try key(.part, 1) }?.rule == .noBackupUnderWay)
        #expect(try !key(.part, 0).isEqual(to: key(.part, 1)))
        for index: UInt32 in [0, 1, 3] { #expect(refusal { _ = try key(.part, index) }?.rule == .noBackupUnderWay) }
        _ = try key(.manifest, 0)
        #expect(refusal { _ = try key(.manifest, 0) } != nil && refusal { _ = try key(.part, 2) } != nil)
    }

    @Test("A guarded row leaves where the password suffices, while the backup is made, and never for one that is read")
    func guardedRows() throws {
        let enclave = try start()
        let (row, key) = (Randomness.bytes(RowKeyRecord.rowBytes), SecretBytes.randomKey())
        func wrap(_ flags: UInt64) throws -> [UInt8] {
            try enclave.wrapGuardedRowKey(key, row: row, for: .whenUnlocked, flags: flags, in: nil)
        }
        let opened = try begin(enclave)
        func unwrap(_ wrapped: [UInt8], _ ticket: [UInt8]) throws -> SecretBytes {
            try enclave.unwrapRowKey(wrapped, row: row, for: .whenUnlocked, inBackup: ticket)
        }
        for flags: UInt64 in [0x1, 0x10] {
            #expect(try unwrap(try wrap(flags), opened.ticket).isEqual(to: key))
        }
        for flags: UInt64 in [0x2, 0x12, AccessConstraint.anchoredProgram, 1 << 40] {
            guard let wrapped = try? wrap(flags) else { continue }
            #expect(refusal { _ = try unwrap(wrapped, opened.ticket) }?.status == .authNeeded, "\(flags)")
        }
        let present = try wrap(0x1)
        let read = try enclave.openBackup(
            opened.header, with: .passphrase, TestDevice.passcode(Self.passphrase))
        #expect(refusal { _ = try unwrap(present, read.ticket) }?.rule == .noBackupUnderWay)
        _ = try enclave.backupKey(opened.ticket, .manifest, index: 0)
        #expect(refusal { _ = try unwrap(present, opened.ticket) }?.rule == .noBackupUnderWay)
    }

    @Test("A backup that is not finished in an hour gives no more rows")
    func takesTooLong() throws {
        let enclave = try start()
        let (row, key) = (Randomness.bytes(RowKeyRecord.rowBytes), SecretBytes.randomKey())
        let wrapped = try enclave.wrapGuardedRowKey(key, row: row, for: .whenUnlocked, flags: 0x1, in: nil)
        let ticket = try begin(enclave).ticket
        func unwrap() throws -> SecretBytes {
            try enclave.unwrapRowKey(wrapped, row: row, for: .whenUnlocked, inBackup: ticket)
        }
        device.clock.advance(by: 3599)
        #expect(try unwrap().isEqual(to: key))
        device.clock.advance(by: 1)
        #expect(refusal { _ = try unwrap() }?.rule == .noBackupUnderWay)
    }

    @Test("A lock ends all, and so does the end; locked, none is begun or opened")
    func ends() throws {
        let enclave = try start()
        let (first, second) = (try begin(enclave), try begin(enclave))
        try enclave.endBackup(first.ticket)
        #expect(refusal { _ = try enclave.backupKey(first.ticket, .part, index: 0) }?.rule == .noBackupUnderWay)
        try enclave.lock()
        #expect(refusal { _ = try begin(enclave) }?.rule == .locked)
        let passphrase = try TestDevice.passcode(Self.passphrase)
        #expect(refusal { _ = try enclave.openBackup(second.header, with: .passphrase, passphrase) }?.rule == .locked)
        try enclave.unlock(passcode: TestDevice.passcode("right"))
        #expect(refusal { _ = try enclave.backupKey(second.ticket, .part, index: 0) }?.rule == .noBackupUnderWay)
    }

    @Test("A recovery code authorises, and opens on an enclave that has never seen it; a mistyped one is told")
    func recoveryCode() throws {
        let enclave = try start()
        let code = try enclave.addRecoveryCode(by: .passcode, "right")
        let made = try begin(enclave, code, by: .recoveryCode, passphrase: "")
        let machine = TestDevice()
        let other = try machine.start()
        let opened = try other.openBackup(made.header, with: .recoveryCode, TestDevice.passcode(code.lowercased()))
        let keys = (
            try enclave.backupKey(made.ticket, .part, index: 0), try other.backupKey(opened.ticket, .part, index: 0)
        )
        #expect(keys.0.isEqual(to: keys.1))
        let passphrase = try TestDevice.passcode(Self.passphrase)
        #expect(refusal { _ = try other.openBackup(made.header, with: .passphrase, passphrase) }?.rule == .noBackupSlot)
        let typo = try TestDevice.passcode(String(code.dropLast()))
        #expect(refusal { _ = try other.openBackup(made.header, with: .recoveryCode, typo) } != nil)
        let another = try TestDevice.passcode(try enclave.addRecoveryCode(by: .passcode, "right"))
        let refused = refusal { _ = try other.openBackup(made.header, with: .recoveryCode, another) }
        #expect(refused?.rule == .wrongBackupCredential && machine.vault != device.vault)
    }
}
