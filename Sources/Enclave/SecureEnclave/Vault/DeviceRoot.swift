package import EnclaveWire
package import KeychainModel
import KeychainWire
package import LinuxSystem

/// The protection of the device key and the passcode: the vault's file alone, or a TPM.
///
/// The vault keeps what a root gives it as a record, and hands it back at every start. Implementations are thread-safe
/// and may take as long as the chip does.
package protocol DeviceRoot: Sendable {
    var kind: DeviceRootKind { get }

    /// Its name for people; nil when there is nothing to say.
    var title: String? { get }

    /// Where keys are made that belong to this device; nil where that is the enclave's process.
    var keyStore: (any EnclaveKeyStore)? { get }

    /// Makes a device key.
    ///
    /// - Returns: what the vault keeps of it, at most 4096 bytes, and the secret that it stands for:
    ///   32 bytes.
    func makeDevice() throws(Refusal) -> (record: SecretBytes, secret: SecretBytes)

    /// Gives the secret again.
    ///
    /// - Throws: `errSecNotAvailable` when this is not the device that the record was made on.
    func openDevice(_ record: SecretBytes) throws(Refusal) -> SecretBytes

    /// Makes a lock that only this key opens.
    ///
    /// - Parameter key: what was made from the passcode, 32 bytes.
    /// - Returns: what the vault keeps of it, at most 4096 bytes, and what is behind the lock;
    ///   nil when the root has no locks, and the key alone protects.
    func makeLock(for key: SecretBytes) throws(Refusal) -> (record: [UInt8], secret: SecretBytes)?

    /// Opens a lock, or counts a failed attempt where nobody but the root can take it back.
    func openLock(_ record: [UInt8], with key: SecretBytes) throws(PasscodeLockFailure) -> SecretBytes

    /// The count that it keeps for a vault; nil where it does not count.
    ///
    /// - Parameter key: what alone reads it and moves it, 32 bytes.
    func counter(of vault: [UInt8], key: SecretBytes) -> (any RootCounter)?

    /// How many seconds until the root looks at a key again; 0 when it does now.
    func remainingLockout() throws(Refusal) -> UInt32
}

/// Why a lock stayed shut.
package enum PasscodeLockFailure: Error {
    /// It is the wrong key; the attempt was counted.
    case wrongKey
    /// No key is looked at for so many seconds, at most.
    case lockedOut(seconds: UInt32)
    /// The lock could not be tried.
    case refused(Refusal)
}
