package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The enclave's calls for backups. It makes the file's key, wraps it for what is to open it, and keeps it to itself:
/// what crosses is the key of one box at a time, as the key of one row does.
///
/// A ticket names what is under way. It ends with the lock, with ``endBackup(_:)``, and when too many others came
/// after it; it is refused then with `errSecAuthFailed` (`backup.not-under-way`).
package protocol EnclaveBackupService: Sendable {
    /// Begins a backup.
    ///
    /// - Parameters:
    ///   - kind: the kind of the keychain's credential; a recovery code opens the backup too.
    ///   - credential: the keychain's credential, counted as every try; not read when none is set.
    ///   - passphrase: what is to open the backup; may be empty with a recovery code.
    ///   - hasShelves: whether there may be shelves in it, which older readers do not know.
    /// - Throws: `errSecInteractionNotAllowed` while locked, as ``EnclaveDeviceService/unlock(with:_:)`` for the
    ///   credential, `errSecParam` when nothing would open the backup.
    func beginBackup(
        by kind: CredentialKind, _ credential: FileDescriptor, _ passphrase: FileDescriptor, hasShelves: Bool
    ) throws(Refusal) -> OpenedBackup

    /// Opens a backup with its credential.
    ///
    /// - Returns: the ticket, with the header as it was given.
    /// - Throws: `errSecInteractionNotAllowed` while locked; `errSecDecode` (`backup.damaged`), `errSecAuthFailed`
    ///   (`backup.wrong-passphrase`, `backup.no-such-slot`).
    func openBackup(
        _ header: [UInt8], with kind: BackupCredential, _ credential: FileDescriptor
    ) throws(Refusal) -> OpenedBackup

    /// The key of one box. For a backup that is being made, each is given once, in the order of the file.
    func backupKey(_ ticket: [UInt8], _ kind: BackupFraming.Kind, index: UInt32) throws(Refusal) -> SecretBytes

    /// Opens the secret key of a guarded row for a backup that is being made, where the keychain's credential, which
    /// was shown for it, meets the row's access control.
    ///
    /// - Throws: `errSecAuthNeeded` where it does not; `backup.not-under-way` an hour after the backup was begun.
    func unwrapRowKey(
        _ wrapped: [UInt8], row: [UInt8], for accessibility: Accessibility, inBackup ticket: [UInt8]
    ) throws(Refusal) -> SecretBytes

    /// Seals the keys of a shelf for a backup that is being made.
    ///
    /// - Returns: the shelf, with its keys under a key of the backup, and without the binding of its access control.
    /// - Throws: as ``unwrapRowKey(_:row:for:inBackup:)``; `errSecParam` for a shelf of this device only.
    func sealShelf(_ shelf: Shelf, forBackup ticket: [UInt8]) throws(Refusal) -> Shelf

    /// Seals the keys of a shelf of a backup that is read, for this enclave.
    ///
    /// - Parameter isRepair: whether the shelf with its id is damaged here. Only the one with the same keys takes its
    ///   place, and its id proves them.
    /// - Returns: the shelf with its id, bound to the requirements of its access control as a new one.
    /// - Throws: `errSecDecode` (`backup.damaged`) for keys that were not sealed for this shelf; `errSecParam` for a
    ///   shelf that no backup has, and (`store.conflict`) for a repair with another id than that of its keys;
    ///   `errSecAuthFailed` for an access control that cannot be met here.
    func sealShelf(
        _ shelf: Shelf, fromBackup ticket: [UInt8], inPlaceOfDamaged isRepair: Bool
    ) throws(Refusal) -> Shelf

    func endBackup(_ ticket: [UInt8]) throws(Refusal)
}

/// A backup under way: `ticket:16 header:bytes`.
package struct OpenedBackup: Equatable, Sendable {
    package let ticket, header: [UInt8]

    package init(ticket: [UInt8], header: [UInt8]) { (self.ticket, self.header) = (ticket, header) }
}
