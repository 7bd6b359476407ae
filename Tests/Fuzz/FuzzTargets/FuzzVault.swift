import LinuxSystem

@testable import EnclaveWire
@testable import KeychainCrypto
@testable import KeychainModel
@testable import KeychainWire
@testable import SecureEnclave

/// Vault files of any kind are opened or refused, and a refusal leaves them as they are.
///
///     input = mends:u8 vault
///
/// Bit 0 of `mends` has the digest made right. Bit 1 has the seal before it made right, with the device key that the
/// file itself has: somebody who has the file can do that. Otherwise nothing behind them would ever be read.
func fuzzVault(_ bytes: Span<UInt8>) {
    var input = InputReader(bytes)
    let mends = input.byte()
    let vault = mended(input.rest(), mends)
    checkDecoding(vault)
    let folder = vaultFolder
    folder.put("vault", vault)
    do throws(Refusal) { try use(folder.file("vault")) } catch {
        require(error.status != .success && !error.problem.isEmpty, "a refusal that says nothing")
        require(folder.read("vault") == vault, "a vault was refused, and changed")
    }
    folder.empty()
}

private let vaultFolder = FuzzFolder("vault")

/// A vault that was read is written, and read as the same.
private func checkDecoding(_ bytes: [UInt8]) {
    guard let vault = try? Vault(decoding: bytes.span, .softwareOnly) else { return }
    let encoded = must("a vault cannot be written") { () throws(CryptoError) in try vault.encoded().finish().array }
    let again = must("what was written is no vault") { () throws(Refusal) in
        try Vault(decoding: encoded.span, .softwareOnly)
    }
    let twice = must("a vault cannot be written") { () throws(CryptoError) in try again.encoded().finish().array }
    require(encoded == twice, "a vault is written in two ways")
}

private func use(_ path: String) throws(Refusal) {
    let before = try? AtomicFile.read(path, limit: 1 << 20)
    let enclave = try SoftwareEnclave(
        vault: path, createIfMissing: false, passcodeCost: .cheapest,
        clock: DeviceClock { .init(boot: "boot", seconds: 1000) })
    let status = try enclave.status()
    require(before == (try? AtomicFile.read(path, limit: 1 << 20)), "opening has changed the vault")
    _ = try? enclave.details()
    _ = try? enclave.indexKey()
    for accessibility in Accessibility.allCases { _ = try? enclave.makeMetadataKey(for: accessibility) }
    guard status.passcodeIsSet else { return }
    require(status.lockState != .unlocked, "a vault with a passcode is open")
}

private func mended(_ bytes: [UInt8], _ mends: UInt8) -> [UInt8] {
    var bytes = bytes
    let trailer = Vault.digestBytes
    guard bytes.count > 2 * trailer + Vault.Offset.kind else { return bytes }
    if mends & 2 != 0, let seal = try? seal(of: bytes), seal.at + trailer <= bytes.count {
        bytes.replaceSubrange(seal.at..<seal.at + trailer, with: seal.digest)
    }
    if mends & 1 != 0, let digest = try? Digest.sha256(bytes.span.extracting(..<(bytes.count - trailer))) {
        bytes.replaceSubrange((bytes.count - trailer)..., with: digest.span.array(0, trailer))
    }
    return bytes
}

/// The seal that the vault would have under its own device key, and where it lies.
private func seal(of bytes: [UInt8]) throws -> (at: Int, digest: [UInt8]) {
    // The parts are found only where the digest is right.
    var right = bytes
    let end = bytes.count - Vault.digestBytes
    right.replaceSubrange(end..., with: try Digest.sha256(bytes.span.extracting(..<end)).span.array(0, 32))
    let version = right.span.littleEndian(UInt16.self, at: Vault.Offset.version)
    guard (Vault.firstVersion...Vault.recoveryVersion).contains(version) else { throw Refusal.malformed("a version") }
    let tail = try VaultRecords(version, right.span)
    guard let place = tail.seal, version != Vault.firstVersion else { throw Refusal.malformed("a seal") }
    let key = try DeviceRoots.softwareOnly.root(tail.kind).openDevice(tail.record)
    let vault = Vault(
        version, identifier: right.span.array(Vault.Offset.identifier, 16),
        on: Vault.Device(kind: tail.kind, record: tail.record, key: key))
    let sealing = try vault.deriveKey(.vaultSeal)
    let digest = try sealing.withSpan { key in try KeyedDigest(key: key).digest(bytes.span.extracting(..<place)) }
    return (place, digest.span.array(0, Vault.digestBytes))
}

extension FuzzSeeds {
    private static let recipient = "age1tp5zqguqs5agqpwmpukjjel2jaz8mrteexmrafcpv5qpxdptc5jqdzdrrw"

    static func ofVault() -> [[UInt8]] {
        let folder = FuzzFolder("vault-seeds")
        func open() -> SoftwareEnclave {
            must("a vault") { () throws(Refusal) in
                try SoftwareEnclave(vault: folder.file("vault"), createIfMissing: true, passcodeCost: .cheapest)
            }
        }
        var vaults = [folder.read("vault") ?? []]
        let enclave = open()
        vaults.append(folder.read("vault") ?? [])
        let file = must("a file") { () throws(SystemError) in try PasscodeFile.make(SecretBytes(FuzzDevice.passcode)) }
        must("a passcode") { () throws(Refusal) in try enclave.setPasscode(file) }
        vaults.append(folder.read("vault") ?? [])
        must("settings") { () throws(Refusal) in
            try enclave.change(DeviceSettings(locksOnSleep: true, idleSeconds: 600))
        }
        vaults.append(folder.read("vault") ?? [])
        must("recipients") { () throws(Refusal) in
            try enclave.setFileRecovery(RecoveryTexts([recipient]), by: .passcode, file)
        }
        vaults.append(folder.read("vault") ?? [])
        return vaults.flatMap { vault in [0, 1, 3].map { [$0] + vault } }
    }
}
