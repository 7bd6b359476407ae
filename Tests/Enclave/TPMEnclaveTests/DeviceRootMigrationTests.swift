import EnclaveWire
import FileFormat
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave
@testable import TPMEnclave

/// Moving a keychain's keys into a TPM and out of it.
struct DeviceRootMigrationTests {
    let device: TPMDevice

    init() throws { device = try TPMDevice() }

    /// The number of recovery recipients that a new file gets.
    private func recipients(of shelf: Shelf, in enclave: SoftwareEnclave) throws(Refusal) -> Int {
        try enclave.makeFileKey(of: FileID(), in: shelf, in: nil).recovery.count
    }

    private static func nothing() throws -> FileDescriptor { try PasscodeFile.make(SecretBytes(count: 0)) }

    @Test("all items open after every move, the digests stay what they are, and the old device key opens nothing")
    func moves() throws {
        let rows: [TestRow]
        let index: SecretBytes
        do {
            let enclave = try device.start(preferring: .software)
            rows = try Accessibility.allCases.dropLast().map { try TestRow($0, in: enclave) }
            index = try enclave.indexKey()
            for kind in [DeviceRootKind.tpm, .software, .tpm] {
                try enclave.move(to: kind, passcode: Self.nothing())
                #expect(try enclave.status().protection == (kind == .tpm ? .hardware : .softwareOnly))
                for row in rows { #expect(try row.outcome(in: enclave) == .opened) }
            }
        }
        do {
            let enclave = try device.start(preferring: .software)
            for row in rows { #expect(try row.outcome(in: enclave) == .opened) }
            #expect(try enclave.indexKey().isEqual(to: index))
            try enclave.move(to: .software, passcode: Self.nothing())
        }
        device.chip.kill()
        let enclave = try device.startWithoutTPM()
        for row in rows { #expect(try row.outcome(in: enclave) == .opened) }
        #expect(try enclave.indexKey().isEqual(to: index))
        #expect(try device.content()[8] == 4)
    }

    @Test("a passcode moves along; a wrong one moves nothing and counts")
    func passcode() throws {
        let enclave = try device.start(preferring: .software)
        let row = try TestRow(.whenUnlocked, in: enclave)
        try enclave.setPasscode(TPMDevice.passcode("right"))
        let destroyed = try TestRow(.whenPasscodeSetThisDeviceOnly, in: enclave)
        try enclave.lock()
        #expect(refusal { try enclave.move(to: .tpm, passcode: TPMDevice.passcode("wrong")) }?.rule == .wrongPasscode)
        #expect(try enclave.status().failedAttempts == 1)
        #expect(try enclave.status().protection == .passcode)
        try enclave.move(to: .tpm, passcode: TPMDevice.passcode("right"))
        #expect(try enclave.status().protection == .hardware)
        try enclave.lock()
        #expect(try row.outcome(in: enclave) == .locked)
        try enclave.unlock(passcode: TPMDevice.passcode("right"))
        for row in [row, destroyed] { #expect(try row.outcome(in: enclave) == .opened) }
        try enclave.move(to: .software, passcode: TPMDevice.passcode("right"))
        device.chip.kill()
        let restarted = try device.startWithoutTPM()
        #expect(try row.outcome(in: restarted) == .locked)
        try restarted.unlock(passcode: TPMDevice.passcode("right"))
        for row in [row, destroyed] { #expect(try row.outcome(in: restarted) == .opened) }
    }

    @Test("recovery recipients of files move along, and on a TPM need no unlock to count")
    func recovery() throws {
        let binding = KeyBinding(group: "g", accessibility: .whenUnlocked, control: 0)
        let shelf: Shelf
        do {
            let enclave = try device.start(preferring: .software)
            try enclave.setPasscode(TPMDevice.passcode("right"))
            try enclave.unlock(passcode: TPMDevice.passcode("right"))
            shelf = try enclave.makeShelf(.completeUnlessOpen, binding, in: nil)
            let texts = RecoveryTexts([try RecoveryIdentity().recipient.text])
            try enclave.setFileRecovery(texts, by: .passcode, TPMDevice.passcode("right"))
            try enclave.move(to: .tpm, passcode: TPMDevice.passcode("right"))
            #expect(try recipients(of: shelf, in: enclave) == 1)
        }
        do {
            let enclave = try device.start()
            #expect(try enclave.status().lockState == .beforeFirstUnlock && recipients(of: shelf, in: enclave) == 1)
            try enclave.move(to: .software, passcode: TPMDevice.passcode("right"))
            #expect(try recipients(of: shelf, in: enclave) == 1)
        }
        let enclave = try device.start()
        #expect(refusal { _ = try recipients(of: shelf, in: enclave) }?.rule == .locked)
    }

    @Test("a keychain that rests there already is refused, as is a move without a TPM, and nothing changes")
    func refused() throws {
        let enclave = try device.start(preferring: .software)
        let content = try device.content()
        #expect(refusal { try enclave.move(to: .software, passcode: Self.nothing()) }?.status == .param)
        let without = try device.startWithoutTPM()
        #expect(refusal { try without.move(to: .tpm, passcode: Self.nothing()) }?.status == .notAvailable)
        device.chip.kill()
        #expect(refusal { try enclave.move(to: .tpm, passcode: Self.nothing()) }?.status == .notAvailable)
        #expect(try device.content() == content)
    }

    @Test("a process that embedded the keychain learns that it was moved")
    func sharedVault() throws {
        let enclave = try device.start(preferring: .software)
        let embedded = try device.startWithoutTPM()
        let row = try TestRow(.always, in: embedded)
        try enclave.move(to: .tpm, passcode: Self.nothing())
        let refused = try #require(refusal { _ = try TestRow(.always, in: embedded) })
        #expect(refused.status == .notAvailable)
        #expect(refused.remedy.contains("keychaind"))
        #expect(try row.outcome(in: enclave) == .opened)
    }

    @Test("the old vault's bytes are overwritten in place")
    func overwritten() throws {
        let enclave = try device.start(preferring: .software)
        let old = try FileDescriptor.open(device.vault, O_RDONLY)
        try enclave.move(to: .tpm, passcode: Self.nothing())
        var bytes = [UInt8](repeating: 1, count: 1000)
        #expect(unsafe pread(old.number, &bytes, 1000, 0) == 852)
        #expect(bytes.prefix(852).allSatisfy { $0 == 0 })
    }
}
