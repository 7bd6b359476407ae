package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The Secure Enclave as the engine calls it, wherever it runs: in this process, or behind a channel in a process of
/// its own.
///
/// Class keys, device key and passcode never cross this border; what crosses are keys for single rows, the metadata key
/// of an open class, and the index key. Every refusal carries the state that caused it: `errSecInteractionNotAllowed`
/// for a class that is closed now, `errSecAuthFailed` for a wrong passcode, `errSecDecode` for a wrapping that does not
/// open.
package protocol EnclaveService: AnyObject, EnclaveKeyService, EnclaveFileService, EnclaveAuthenticationService,
    EnclaveDeviceService, EnclaveAgeService, EnclaveBackupService, EnclaveCircleService, EnclavePairingService,
    EnclaveCircleRecovery
{
    /// The state of the device: lock, passcode, failed attempts, protection.
    func status() throws(Refusal) -> EnclaveStatus

    /// The key of the digests in the store's columns: 32 bytes, bound to this device, the same at every start.
    func indexKey() throws(Refusal) -> SecretBytes

    /// Makes a metadata key for a protection class and gives it with its wrapped form, which the store keeps.
    func makeMetadataKey(for accessibility: Accessibility) throws(Refusal) -> (key: SecretBytes, wrapped: [UInt8])

    /// Opens the metadata key of a protection class.
    func unwrapMetadataKey(_ wrapped: [UInt8], for accessibility: Accessibility) throws(Refusal) -> SecretBytes

    /// Wraps the secret key of a row (32 bytes) under its class key; `row` (16 bytes) is bound to the wrapping.
    func wrapRowKey(_ key: SecretBytes, row: Span<UInt8>, for accessibility: Accessibility) throws(Refusal) -> [UInt8]

    /// Wraps the secret keys of any number of rows in one go: `rows` has ``RowKeyRecord/unwrappedSize`` bytes for each,
    /// and as many wrapped keys are appended to `wrapped`.
    func wrapRowKeys(_ rows: Span<UInt8>, for accessibility: Accessibility, into wrapped: SecretBuffer) throws(Refusal)

    /// Opens the secret keys of any number of rows in one go.
    ///
    /// `records` has ``RowKeyRecord/size`` bytes for each row; for each, one status byte and 32 key bytes are appended
    /// to `keys`, in order (``RowKeyRecord/Outcome``).
    func unwrapRowKeys(_ records: Span<UInt8>, into keys: SecretBuffer) throws(Refusal)

    /// Closes the classes that need an unlocked device. Without a passcode there is nothing to close.
    func lock() throws(Refusal)

    /// Opens the classes with the passcode in the memory file.
    func unlock(passcode: FileDescriptor) throws(Refusal)

    /// Sets the passcode, or changes it when there is an old one.
    func setPasscode(_ new: FileDescriptor) throws(Refusal)
    func changePasscode(from old: FileDescriptor, to new: borrowing FileDescriptor) throws(Refusal)

    /// Removes the passcode and destroys the class key of passcode-only items.
    func removePasscode(_ old: FileDescriptor) throws(Refusal)

    /// Moves the device key and the passcode to another root: into a TPM, or out of it. Items and keys stay the same.
    ///
    /// - Parameter passcode: the passcode; not read when none is set.
    /// - Throws: `errSecParam` when they rest there already, `errSecNotAvailable` when there is no TPM,
    ///   `errSecAuthFailed` for a wrong passcode. The vault is what it was then.
    func move(to kind: DeviceRootKind, passcode: FileDescriptor) throws(Refusal)
}

/// The protection of the device key and the passcode.
package enum DeviceRootKind: UInt16, Sendable, CaseIterable {
    /// The vault's file.
    case software = 1
    /// A TPM 2.0.
    case tpm = 2
}

extension EnclaveService {
    package func wrapRowKeys(
        _ rows: Span<UInt8>, for accessibility: Accessibility, into wrapped: SecretBuffer
    ) throws(Refusal) {
        for start in stride(from: 0, to: max(1, rows.count), by: RowKeyRecord.unwrappedSize) {
            let middle = start + RowKeyRecord.keyBytes
            guard middle <= rows.count else { throw .malformed("a row key") }
            let key = SecretBytes(copying: rows.extracting(start..<middle))
            let row = rows.extracting(middle..<min(start + RowKeyRecord.unwrappedSize, rows.count))
            let one = try wrapRowKey(key, row: row, for: accessibility)
            wrapped.append(one.span)
        }
    }
}

/// The enclave's part of ``DeviceStatus``.
package struct EnclaveStatus: Equatable, Sendable {
    package var protection: DeviceStatus.Protection
    package var lockState: DeviceStatus.LockState
    package var passcodeIsSet: Bool
    package var failedAttempts: UInt32
    package var retryAfter: UInt32
    /// The enclave's name for people: "in process", "separate process".
    package var kind: String
    /// Whether the vault is the newest.
    package var age: KeychainAge
    /// A number that every unlock with a credential changes; 0 before the first of this enclave.
    package var lastUnlock: UInt64

    package init(
        protection: DeviceStatus.Protection, lockState: DeviceStatus.LockState, passcodeIsSet: Bool,
        failedAttempts: UInt32, retryAfter: UInt32, kind: String, age: KeychainAge = .current,
        lastUnlock: UInt64 = 0
    ) {
        self.protection = protection
        self.lockState = lockState
        self.passcodeIsSet = passcodeIsSet
        self.failedAttempts = failedAttempts
        self.retryAfter = retryAfter
        self.kind = kind
        self.age = age
        self.lastUnlock = lastUnlock
    }
}

/// One row's wrapped secret key in a batch.
///
///     record = class:u8 zero:u8 zero:u16 row:16 wrapped:60            ; 80 bytes
///     answer = outcome:u8 key:32
///
/// The record before wrapping:
///
///     record = key:32 row:16
package enum RowKeyRecord {
    package static let size = 80
    package static let rowBytes = 16
    package static let wrappedBytes = 60
    package static let keyBytes = 32
    package static let answerSize = 33
    package static let unwrappedSize = keyBytes + rowBytes

    package enum Outcome: UInt8, Sendable {
        case opened = 0
        /// The class is closed in the present device state.
        case locked = 1
        /// The wrapping does not open: damaged, or of another device.
        case damaged = 2
    }
}
