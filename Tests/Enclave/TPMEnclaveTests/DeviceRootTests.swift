import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave
@testable import TPMEnclave

/// A vault that rests on a TPM: the same at every start, useless anywhere else.
struct DeviceRootTests {
    let device: TPMDevice

    init() throws { device = try TPMDevice() }

    @Test("a vault on a TPM opens at every start, is shown as hardware, and has no key in it that opens anything")
    func opens() throws {
        let row: TestRow
        let index: SecretBytes
        do {
            let enclave = try device.start()
            (row, index) = (try TestRow(.whenUnlocked, in: enclave), try enclave.indexKey())
            let status = try enclave.status()
            #expect(status.protection == .hardware)
            #expect(status.kind.contains("TPM 2.0"))
        }
        try device.chip.start()
        let enclave = try device.start(preferring: .software)
        #expect(try row.outcome(in: enclave) == .opened)
        #expect(try enclave.indexKey().isEqual(to: index))
        let content = try device.content()
        #expect(content[8] == 4)
        #expect(content[32..<64].allSatisfy { $0 == 0 })
    }

    @Test("a stolen vault is useless: on another TPM, without one, and on this one after it was cleared")
    func stolen() throws {
        do { _ = try device.start() }
        let content = try device.content()
        let other = try SoftwareTPM()
        let exchanged = try #require(refusal { _ = try device.start(on: other) })
        #expect(exchanged.rule == .otherTPM)
        #expect(exchanged.problem.contains("another machine"))
        let without = try #require(refusal { _ = try device.startWithoutTPM() })
        #expect(without.status == .notAvailable)
        #expect(without.remedy.contains("keychaind"))
        try device.chip.clear()
        let cleared = try #require(refusal { _ = try device.start() })
        #expect(cleared.rule == .otherTPM)
        #expect(cleared.problem.contains("cleared"))
        #expect(try device.content() == content)
    }

    @Test("a vault on a TPM with any bit changed is refused and left as it is")
    func damaged() throws {
        do { _ = try device.start() }
        let content = try device.content()
        for position in content.indices where position % 7 == 0 || position > 600 {
            var changed = content
            changed[position] ^= 1 << UInt8(position % 8)
            try AtomicFile.replace(device.vault, with: changed.span)
            #expect(refusal { _ = try device.startWithoutTPM() }?.status != nil, "\(position)")
            if position > 32 {
                #expect(refusal { _ = try device.startWithoutTPM() }?.status == .decode, "\(position)")
            }
            #expect(try device.content() == changed)
        }
        for length in [0, 100, 592, 627, 660, content.count - 1] {
            try AtomicFile.replace(device.vault, with: content.span.extracting(..<length))
            #expect(refusal { _ = try device.startWithoutTPM() }?.status == .decode, "\(length)")
        }
    }

    @Test("a software vault needs no TPM, and is not touched by one")
    func software() throws {
        let row: TestRow
        do { row = try TestRow(.always, in: try device.start(preferring: .software)) }
        let content = try device.content()
        #expect(content.count == 852 && content[8] == 4)
        #expect(try row.outcome(in: try device.startWithoutTPM()) == .opened)
        #expect(try row.outcome(in: try device.start(preferring: .tpm)) == .opened)
        device.chip.kill()
        #expect(try row.outcome(in: try device.start(preferring: .tpm)) == .opened)
        #expect(try device.content() == content)
    }
}

/// The passcode behind the TPM's own limit.
struct PasscodeLockTests {
    let device: TPMDevice

    init() throws { device = try TPMDevice() }

    private func unlock(_ enclave: SoftwareEnclave, _ passcode: String) -> Refusal? {
        refusal { try enclave.unlock(passcode: TPMDevice.passcode(passcode)) }
    }

    @Test("the passcode opens the keybag at every start, changed and removed as anywhere")
    func passcode() throws {
        let row: TestRow
        do {
            let enclave = try device.start()
            row = try TestRow(.whenUnlocked, in: enclave)
            try enclave.setPasscode(TPMDevice.passcode("one"))
        }
        do {
            let enclave = try device.start()
            #expect(try row.outcome(in: enclave) == .locked)
            #expect(unlock(enclave, "wrong")?.rule == .wrongPasscode)
            #expect(unlock(enclave, "one") == nil)
            #expect(try row.outcome(in: enclave) == .opened)
            try enclave.changePasscode(from: TPMDevice.passcode("one"), to: TPMDevice.passcode("two"))
        }
        let enclave = try device.start()
        #expect(unlock(enclave, "two") == nil)
        try enclave.removePasscode(TPMDevice.passcode("two"))
        #expect(try row.outcome(in: enclave) == .opened)
        #expect(try enclave.status().passcodeIsSet == false)
    }

    @Test(
        "wrong passcodes lock the TPM, even over a vault put back and accepted, and the right one opens when it is over"
    )
    func lockout() throws {
        let before: [UInt8]
        do {
            let enclave = try device.start()
            try enclave.setPasscode(TPMDevice.passcode("right"))
            try enclave.lock()
            before = try device.content()
            for _ in 0..<2 { #expect(unlock(enclave, "wrong")?.rule == .wrongPasscode) }
        }
        // A copy of the vault from before the attempts knows nothing of them. The TPM does.
        try AtomicFile.replace(device.vault, with: before.span)
        do {
            let enclave = try device.start()
            #expect(try enclave.status().failedAttempts == 0)
            #expect(refusal { _ = try enclave.acceptStore(TPMDevice.passcode("wrong")) }?.rule == .wrongPasscode)
            let refused = try #require(
                refusal { _ = try enclave.acceptStore(TPMDevice.passcode("right")) })
            #expect(refused.rule == .throttled)
            #expect(refused.problem.contains("minutes"))
            let status = try enclave.status()
            #expect(status.failedAttempts == 1)
            #expect(status.retryAfter > 60)
            #expect(status.lockState == .beforeFirstUnlock)
        }
        #expect(try device.chip.tool("tpm2_dictionarylockout", ["--clear-lockout"]) == 0)
        let enclave = try device.start()
        #expect(unlock(enclave, "right") == nil)
        #expect(try enclave.status().failedAttempts == 0)
    }

    @Test("a passcode that the TPM could not look at is no failed attempt")
    func notLookedAt() throws {
        let enclave = try device.start()
        try enclave.setPasscode(TPMDevice.passcode("right"))
        try enclave.lock()
        device.chip.kill()
        #expect(unlock(enclave, "right")?.status == .notAvailable)
        try device.chip.start()
        #expect(try enclave.status().failedAttempts == 0)
        #expect(unlock(enclave, "right") == nil)
    }
}
