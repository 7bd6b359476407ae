import EnclaveWire
import Glibc
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// The vault's file: mode 0600, replaced whole and durably, shared by the processes that embed an enclave.
///
/// A writer that replaces it holds ``lock()``, in `<path>.lock` of the same folder; reading takes no lock.
struct VaultFile: Sendable {
    /// How long others may hold the lock, which is as long as it takes to check one passcode.
    private static let timeout = 10_000
    /// A vault of a later release may be larger than ours, and is to be recognised as one.
    private static let largest = 64 << 10

    let path: String
    /// The roots that vaults may have.
    let roots: DeviceRoots

    /// Whether there is a file.
    ///
    /// - Throws: `errSecNotAvailable` when that cannot be known.
    var exists: Bool {
        get throws(Refusal) { try status() != nil }
    }

    /// Keeps others from replacing the file until the lock goes.
    ///
    /// - Throws: `errSecNotAvailable`.
    func lock() throws(Refusal) -> FileLock {
        do { return try FileLock("\(path).lock", .exclusive, deadline: .after(milliseconds: Self.timeout)) } catch {
            throw .vaultUnavailable(error)
        }
    }

    /// A stamp that differs when the content of the file differs.
    ///
    /// - Returns: `nil` when there is no file.
    /// - Throws: `errSecNotAvailable` when that cannot be known.
    func status() throws(Refusal) -> FileStatus? {
        do { return try FileStatus(ofLink: path) } catch { throw .vaultUnavailable(error) }
    }

    /// Reads the vault.
    ///
    /// - Throws: `errSecNotAvailable` when there is no file, or one that is not this user's alone, or not of this
    ///   device; `errSecDecode` when it is damaged.
    func load() throws(Refusal) -> (vault: Vault, status: FileStatus) {
        let status = try checkedStatus()
        let vault = try content().withSpan { (bytes) throws(Refusal) in try Vault(decoding: bytes, roots) }
        return (vault, status)
    }

    /// The root of the vault; nil when there is none.
    ///
    /// - Throws: as ``load()``.
    func kind() throws(Refusal) -> DeviceRootKind? {
        guard try exists else { return nil }
        _ = try checkedStatus()
        return try content().withSpan { (bytes) throws(Refusal) in try Vault.kind(of: bytes) }
    }

    private func checkedStatus() throws(Refusal) -> FileStatus {
        guard let status = try status() else { throw .missingVault(path) }
        guard status.owner == geteuid(), status.mode & 0o077 == 0 else { throw .exposedVault(path) }
        return status
    }

    private func content() throws(Refusal) -> SecretBytes {
        do { return try AtomicFile.readSecret(path, limit: Self.largest) } catch {
            throw error.code == EFBIG ? .damagedVault : .vaultUnavailable(error)
        }
    }

    /// Replaces the vault.
    ///
    /// - Throws: `errSecNotAvailable` when the disk is full, for example; the file is what it was then. `errSecIO` when
    ///   nobody knows which of the two the disk keeps.
    func replace(with vault: Vault) throws(Refusal) -> FileStatus {
        let content: SecretBuffer
        do { content = try vault.encoded() } catch { throw .crypto(error) }
        try put(content)
        guard let status = try status() else { throw .missingVault(path) }
        return status
    }

    private func put(_ content: SecretBuffer) throws(Refusal) {
        var replacement: FileReplacement?
        do throws(SystemError) {
            let made = try FileReplacement(path)
            replacement = made
            try content.withSpan { (bytes) throws(SystemError) in try made.file.writeFully(bytes) }
            try made.commit(mode: 0o600)
        } catch { throw replacement?.isInPlace == true ? .unsettledVault(error) : .vaultUnavailable(error) }
    }

    /// Syncs the vault that is there to disk, whichever process wrote it.
    ///
    /// - Throws: `errSecIO`.
    func settle() throws(Refusal) {
        do { try AtomicFile.synchronizeDirectory(of: path) } catch { throw .unsettledVault(error) }
    }

    /// Makes the folder, which must be this user's alone.
    ///
    /// - Throws: `errSecNotAvailable`.
    func makeFolder() throws(Refusal) {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        do { try PrivateDirectory.ensure(String(path[..<slash])) } catch { throw .vaultUnavailable(error) }
    }

    /// Removes what crashes have left: a copy of an earlier or later keybag would open with an earlier or later
    /// passcode, or with none.
    ///
    /// - Throws: `errSecNotAvailable`.
    func removeLeftovers() throws(Refusal) {
        do { try AtomicFile.removeLeftovers(of: path) } catch { throw .vaultUnavailable(error) }
    }
}
