import EnclaveWire
import Glibc
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecureEnclave

struct VaultTests {
    let device = TestDevice()

    @Test("the vault is 852 bytes that nobody but its user can read")
    func permissions() throws {
        _ = try device.start(passcode: "1234")
        let status = try #require(try FileStatus(at: device.vault))
        #expect(status.mode & 0o7777 == 0o600)
        #expect(status.size == 852)
        #expect(try device.content().prefix(8) == Array("KCVAULT\0".utf8)[...])
    }

    @Test(
        "a missing vault is not replaced by a fresh one, which could open nothing",
        .rule("protection.storage.vault-missing"))
    func missing() throws {
        #expect(refusal { _ = try device.start(createIfMissing: false) }?.status == .notAvailable)
        let nowhere = refusal {
            _ = try SoftwareEnclave(vault: device.folder.file("none/vault"), createIfMissing: false)
        }
        #expect(nowhere?.status == .notAvailable)
        #expect(nowhere?.problem.contains("missing") == true)
        #expect(try FileStatus(at: device.vault) == nil)
    }

    @Test("a vault that goes missing while the enclave runs is reported, and not made again")
    func goesMissing() throws {
        let enclave = try device.start(passcode: "1234")
        try AtomicFile.remove(device.vault)
        for refused in [
            refusal { _ = try enclave.status() },
            refusal { try enclave.unlock(passcode: TestDevice.passcode("1234")) },
            refusal { _ = try TestRow(.always, in: enclave) },
        ] { #expect(refused?.status == .notAvailable) }
        #expect(try FileStatus(at: device.vault) == nil)
    }

    @Test("locking closes the classes even when the vault cannot be read any more")
    func lockWithoutVault() throws {
        let enclave = try device.start(passcode: "1234")
        try enclave.unlock(passcode: TestDevice.passcode("1234"))
        let row = try TestRow(.whenUnlocked, in: enclave)
        let content = try device.content()
        try AtomicFile.remove(device.vault)
        #expect(refusal { try enclave.lock() }?.status == .notAvailable)
        try device.replaceContent(with: content)
        #expect(try enclave.outcome(of: row) == .locked)
    }

    @Test("another vault in its place is not taken for the one in use")
    func exchanged() throws {
        let enclave = try device.start()
        let other = TestDevice()
        _ = try other.start()
        try device.replaceContent(with: other.content())
        #expect(refusal { _ = try TestRow(.always, in: enclave) }?.status == .notAvailable)
        #expect(refusal { try enclave.setPasscode(TestDevice.passcode("1")) }?.status == .notAvailable)
        #expect(try device.content() == other.content())
    }

    @Test("a vault with any bit changed is refused and left as it is", arguments: [false, true])
    func damaged(_ hasPasscode: Bool) throws {
        if hasPasscode { _ = try device.start(passcode: "1234") } else { _ = try device.start() }
        let content = try device.content()
        for position in content.indices {
            var changed = content
            changed[position] ^= 1 << UInt8(position % 8)
            try Self.write(changed, over: device.vault)
            let refused = refusal { _ = try device.start() }
            // The first bit makes version 5 of version 4, which is read and does not fit.
            let isVersion = position == 9
            #expect(refused?.status == (isVersion ? .notAvailable : .decode), "bit changed at \(position)")
            #expect(refused?.remedy.contains("Nothing was changed") == true)
            #expect(try device.content() == changed)
        }
        try Self.write(content, over: device.vault)
        _ = try device.start(createIfMissing: false)
    }

    @Test(
        "a vault that was cut off or has something behind it is refused",
        arguments: [0, 7, 8, 11, 140, 591, 631, 819, 851, 853, 70_000])
    func wrongSize(_ size: Int) throws {
        _ = try device.start()
        let content = try device.content()
        let changed = Array((content + [UInt8](repeating: 0, count: max(0, size - content.count))).prefix(size))
        try device.replaceContent(with: changed)
        #expect(refusal { _ = try device.start() }?.status == .decode)
        #expect(try device.content() == changed)
    }

    @Test("a vault whose name of the boot is no text is damaged, though its seal is right")
    func bootIsText() throws {
        _ = try device.start()
        let content = try device.content()
        let vault = try Vault(decoding: content.span, .softwareOnly)
        let key = try vault.deriveKey(.vaultSeal)
        try replaceBoot(with: 0x41, sealing: key)
        _ = try device.start(createIfMissing: false)
        try replaceBoot(with: 0xB7, sealing: key)
        let refused = refusal { _ = try device.start(createIfMissing: false) }
        #expect(refused?.status == .decode)
    }

    private func replaceBoot(with byte: UInt8, sealing key: SecretBytes) throws {
        let content = try device.content()
        let boot = [UInt8](repeating: byte, count: FailedAttempts.bootBytes)
        let sealed =
            Array(content[..<Vault.Offset.boot]) + boot + Array(content[Vault.Offset.since..<content.count - 64])
        let secret = key.withSpan { $0.array(0, $0.count) }
        let seal = try KeyedDigest(key: secret.span).digest(sealed.span)
        let whole = sealed + seal.indices.map { seal[$0] }
        let digest = try Digest.of(whole.span, .sha256)
        try device.replaceContent(with: whole + digest)
    }

    @Test("a vault that was damaged while the enclave runs is not written over")
    func damagedMeanwhile() throws {
        let enclave = try device.start(passcode: "1234")
        var content = try device.content()
        content[200] ^= 1
        try device.replaceContent(with: content)
        #expect(refusal { try enclave.unlock(passcode: TestDevice.passcode("1234")) }?.status == .decode)
        #expect(try device.content() == content)
    }

    @Test("a vault that others could read, or that is a link, is not used")
    func exposed() throws {
        _ = try device.start()
        for mode: mode_t in [0o640, 0o604, 0o660, 0o601] {
            #expect(unsafe chmod(device.vault, mode) == 0)
            #expect(refusal { _ = try device.start() }?.status == .notAvailable)
        }
        unsafe chmod(device.vault, 0o600)
        let link = TestDevice()
        #expect(unsafe symlink(device.vault, link.vault) == 0)
        #expect(refusal { _ = try link.start() }?.status == .notAvailable)
    }

    @Test("a folder that others may enter is not used for a new vault")
    func exposedFolder() throws {
        unsafe chmod(device.folder.path, 0o755)
        #expect(refusal { _ = try device.start() }?.status == .notAvailable)
        #expect(try FileStatus(at: device.vault) == nil)
    }

    @Test("what a crash has left beside the vault is removed at the next start, and nothing else is")
    func leftovers() throws {
        _ = try device.start(passcode: "1234")
        let content = try device.content()
        let (left, foreign) = ("\(device.vault).new-aB3xY9", "\(device.vault).backup")
        for path in [left, foreign] { try AtomicFile.replace(path, with: content.span) }
        _ = try device.start()
        #expect(try FileStatus(at: left) == nil)
        #expect(try FileStatus(at: foreign) != nil)
        try AtomicFile.remove(foreign)
    }

    @Test("processes that start at once for the first time share one vault")
    func created() throws {
        let vaults = Monitor<[SecretBytes?]>([])
        let device = device
        for _ in 0..<8 {
            _ = try Thread(named: "start") {
                let key = try? device.start().indexKey()
                vaults.update { $0.append(key) }
            }
        }
        let keys = try #require(vaults.wait(deadline: soon) { $0.count == 8 ? $0 : nil })
        let first = try #require(keys[0])
        for key in keys { #expect(try #require(key).isEqual(to: first)) }
    }

    @Test("a passcode is set at the calibrated price unless a device is only simulated")
    func price() throws {
        let enclave = try SoftwareEnclave(vault: device.vault, createIfMissing: true, passcodeCost: .calibrated)
        #expect(try device.content()[700..<712].allSatisfy { $0 == 0 })
        try enclave.setPasscode(TestDevice.passcode("1234"))
        let content = try device.content()
        #expect(content.span.littleEndian(UInt32.self, at: 700) == 65536)
        #expect(content.span.littleEndian(UInt32.self, at: 704) == 3)
        #expect(content.span.littleEndian(UInt32.self, at: 708) == 1)
    }

    /// Without the fsync of a replacement, which a thousand of them would wait for.
    private static func write(_ bytes: [UInt8], over path: String) throws {
        try FileDescriptor.open(path, O_WRONLY | O_TRUNC).writeFully(bytes.span)
    }
}
