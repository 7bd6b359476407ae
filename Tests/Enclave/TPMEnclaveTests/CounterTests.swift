import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave
@testable import TPMEnclave

/// Vault and store put back together, on a TPM that has counted on.
struct CounterTests {
    let device: TPMDevice

    init() throws { device = try TPMDevice() }

    private func putBack(_ content: [UInt8]) throws { try AtomicFile.replace(device.vault, with: content.span) }

    @Test(
        "a vault put back with all its files is noticed by the TPM's count and opens nothing until the user accepts it"
    )
    func putBackWhole() throws {
        let (old, row): ([UInt8], TestRow)
        do {
            let enclave = try device.start()
            try enclave.setPasscode(TPMDevice.passcode("old"))
            (old, row) = (try device.content(), try TestRow(.always, in: enclave))
            try enclave.changePasscode(from: TPMDevice.passcode("old"), to: TPMDevice.passcode("new"))
            #expect(try row.outcome(in: enclave) == .opened)
        }
        let newest = try device.content()
        try putBack(old)
        do {
            let enclave = try device.start()
            #expect(try enclave.status().age == .olderKeychain)
            #expect(refusal { try enclave.unlock(passcode: TPMDevice.passcode("old")) }?.rule == .olderKeychain)
            #expect(refusal { _ = try row.outcome(in: enclave) }?.rule == .olderKeychain)
        }
        try putBack(newest)
        do { #expect(try device.start().status().age == .current) }
        try putBack(old)
        do {
            let enclave = try device.start()
            _ = try enclave.acceptStore(TPMDevice.passcode("old"))
            #expect(try row.outcome(in: enclave) == .opened)
        }
        let enclave = try device.start()
        #expect(try enclave.status().age == .current)
        try enclave.unlock(passcode: TPMDevice.passcode("old"))
    }

    @Test("a vault put back alone is older than its store too, and nobody can say that it is meant")
    func putBackAlone() throws {
        let (old, stored): ([UInt8], StoreMark)
        do {
            let enclave = try device.start()
            try enclave.setPasscode(TPMDevice.passcode("old"))
            old = try device.content()
            try enclave.changePasscode(from: TPMDevice.passcode("old"), to: TPMDevice.passcode("new"))
            guard case .current(let mark) = try enclave.renew(nil, beginsBlock: false) else {
                throw Refusal.malformed("")
            }
            stored = mark
        }
        try putBack(old)
        let enclave = try device.start()
        #expect(refusal { _ = try enclave.renew(stored, beginsBlock: false) }?.rule == .olderVault)
        #expect(try enclave.status().age == .olderVault)
        #expect(refusal { _ = try enclave.acceptStore(TPMDevice.passcode("old")) }?.rule == .olderVault)
    }

    @Test("restarts of the enclave and of the TPM take nothing for an old vault")
    func restarts() throws {
        for round in 0..<4 {
            do {
                let enclave = try device.start()
                #expect(try enclave.status().age == .current, "round \(round)")
                try enclave.change(DeviceSettings(idleSeconds: UInt32(round + 1)))
            }
            if round % 2 == 1 { try device.chip.start() }
        }
    }

    @Test("a removed count, and one that somebody else has made in its place, are noticed")
    func removed() throws {
        do { _ = try device.start() }
        let content = try device.content()
        let vault = try Vault(
            decoding: content.span,
            DeviceRoots(tpm: .success(TPMDeviceRoot(TPM(device.chip.address)))))
        do {
            let key = try vault.deriveKey(.counter)
            try TPMCounter(tpm: TPM(device.chip.address), vault: vault.identifier, key: key).remove()
        }
        do { #expect(try device.start().status().age == .olderKeychain) }
        do {
            let other = TPMCounter(tpm: TPM(device.chip.address), vault: vault.identifier, key: SecretBytes.randomKey())
            _ = try other.make()
        }
        do { #expect(try device.start().status().age == .olderKeychain) }
        do { _ = try device.start().acceptStore(TPMDevice.passcode("-")) }
        #expect(try device.start().status().age == .current)
    }

    @Test("a count is begun above every one that the TPM ever had, and only the key counts it on")
    func counting() throws {
        let tpm = TPM(device.chip.address)
        let (vault, key) = (Randomness.bytes(16), SecretBytes.randomKey())
        let counter = TPMCounter(tpm: tpm, vault: vault, key: key)
        #expect(try counter.read() == .none)
        let first = try counter.make()
        for _ in 0..<3 { try counter.advance() }
        #expect(try counter.read() == .value(first + 3))
        let other = TPMCounter(tpm: tpm, vault: vault, key: SecretBytes.randomKey())
        #expect(try other.read() == .foreign)
        #expect(refusal { try other.advance() } != nil)
        #expect(try counter.read() == .value(first + 3))
        try counter.remove()
        #expect(try counter.read() == .none)
        #expect(try counter.make() > first + 3)
        #expect(try tpm.loadedHandles() == 2)
    }

    @Test("a vault that moves into the TPM again begins a new count, and one from its first time there is noticed")
    func movedTwice() throws {
        let nothing = try TPMDevice.passcode("-")
        do { _ = try device.start() }
        let old = try device.content()
        do {
            let enclave = try device.start()
            try enclave.move(to: .software, passcode: nothing)
            #expect(try device.startWithoutTPM().status().age == .current)
            try enclave.move(to: .tpm, passcode: nothing)
            #expect(try enclave.status().age == .current)
        }
        do { #expect(try device.start().status().age == .current) }
        try putBack(old)
        #expect(try device.start().status().age == .olderKeychain)
    }

    @Test(
        "an owner with a password makes no room for a count: the keychain has none, and reports no old vault"
    )
    func ownerWithPassword() throws {
        let context = device.folder.file("context")
        try #require(try device.chip.tool("tpm2_createprimary", ["-C", "o", "-G", "ecc", "-c", context]) == 0)
        try #require(try device.chip.tool("tpm2_evictcontrol", ["-C", "o", "-c", context, "0x81000001"]) == 0)
        try #require(try device.chip.tool("tpm2_changeauth", ["-c", "o", "secret"]) == 0)
        for _ in 0..<2 {
            let enclave = try device.start()
            #expect(try enclave.status().age == .current)
            try enclave.change(DeviceSettings(idleSeconds: 5))
        }
    }
}
