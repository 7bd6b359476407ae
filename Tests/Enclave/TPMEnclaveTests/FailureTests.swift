import Glibc
import KeychainModel
import LinuxSystem
import SecureEnclave
import TestSupport
import Testing

@testable import TPMEnclave

/// A TPM that is not there, is another one, or does not answer: explained errors, and work again when it is back.
struct FailureTests {
    let chip: SoftwareTPM
    let tpm: TPM
    let store: TPMKeyStore

    init() throws {
        chip = try SoftwareTPM()
        tpm = TPM(chip.address, timeout: patience)
        store = TPMKeyStore(tpm)
    }

    private func sign(_ part: SecretBytes, _ store: TPMKeyStore? = nil) throws {
        _ = try part.withSpan { try (store ?? self.store).sign(digest: Randomness.bytes(32).span, with: $0) }
    }

    @Test("a TPM that is killed in the middle is reported, and used again once it is back")
    func killed() throws {
        let (part, _) = try store.makeKey()
        for round in 0..<3 {
            for _ in 0..<round { try sign(part) }
            chip.kill()
            let refused = try #require(refusal { try sign(part) })
            #expect(refused.status == .notAvailable)
            #expect(refused.problem.contains("cannot be reached"))
            try chip.start()
            try sign(part)
        }
    }

    @Test("a TPM that was started anew while nobody asked is used as if nothing had happened")
    func restarted() throws {
        let (part, _) = try store.makeKey()
        try sign(part)
        try chip.start()
        try sign(part)
    }

    @Test("a TPM that hangs is given up in time, and used again once it answers")
    func hangs() throws {
        // One connection at a time: that of the key's maker has ended.
        let part: SecretBytes
        do { part = try TPMKeyStore(TPM(chip.address)).makeKey().privatePart }
        let hasty = TPMKeyStore(TPM(chip.address, timeout: 1000))
        // On a busy machine an answer may take longer than that.
        try #require(eventually { (try? sign(part, hasty)) != nil })
        chip.suspend()
        #expect(refusal { try sign(part, hasty) }?.rule == .deadline)
        chip.resume()
        #expect(eventually { (try? sign(part, hasty)) != nil })
    }

    @Test("a key of another TPM, or of this one before it was cleared, is refused as such")
    func otherTPM() throws {
        let (part, _) = try store.makeKey()
        let other = try SoftwareTPM()
        #expect(refusal { try sign(part, TPMKeyStore(TPM(other.address))) }?.rule == .otherTPM)
        let cleared = try SoftwareTPM()
        let before: SecretBytes
        do { before = try TPMKeyStore(TPM(cleared.address)).makeKey().privatePart }
        try cleared.clear()
        let refused = try #require(refusal { try sign(before, TPMKeyStore(TPM(cleared.address))) })
        #expect(refused.rule == .otherTPM)
        #expect(refused.problem.contains("cleared"))
    }

    @Test(
        "an address that leads to no TPM is refused with the address",
        arguments: ["swtpm:path=/nonexistent", "device:/dev/null", "device:/nonexistent", "nonsense", "nonsense:x", ""])
    func wrongAddress(_ address: String) throws {
        let refused = try #require(refusal { try TPM(address, timeout: 1000).connect() })
        #expect(refused.status == .notAvailable)
        #expect(refused.problem.contains(address))
    }

    @Test("a session is encrypted: what is sealed, and what opens it, is nowhere on the wire")
    func encrypted() throws {
        let wire = try WireTap(chip)
        let root = TPMDeviceRoot(TPM(wire.address))
        let key = SecretBytes(count: 32)
        key.withMutableSpan { Randomness.fill(&$0) }
        let (record, secret) = try #require(try root.makeLock(for: key))
        let opened = try root.openLock(record, with: key)
        #expect(opened.isEqual(to: secret))
        let (device, deviceSecret) = try root.makeDevice()
        #expect(try root.openDevice(device).isEqual(to: deviceSecret))
        let bytes = wire.bytes()
        #expect(bytes.count > 2000)
        // The lock's public area goes over the wire, so that what is looked for could be found.
        #expect(wire.contains(Array(record[10..<40])))
        for needle in [key, secret, deviceSecret] {
            #expect(!wire.contains(needle.withSpan { $0.array(0, 16) }))
        }
    }
}
