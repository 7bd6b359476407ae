package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The enclave's calls for unlock slots, and for the settings of the automatic lock.
///
/// Every attempt is counted on disk before the credential is checked, and waits as long as the failed attempts before
/// it demand. Each kind has a refusal of its own: `state.wrong-passcode`, `state.wrong-recovery-code`,
/// `state.wrong-pin`. A text that cannot be a recovery code is `state.mistyped-code` and is not counted.
package protocol EnclaveDeviceService: Sendable {
    /// Changes with every change of lock state, passcode, slots or settings, also when the enclave locks by itself.
    var epoch: StateEpoch { get }

    /// The settings and the slots.
    func details() throws(Refusal) -> DeviceDetails

    /// Opens the classes with a credential.
    ///
    /// - Throws: `errSecAuthFailed` for a wrong one, while tries have to wait, or when no slot of its kind is there;
    ///   `errSecParam` for a mistyped recovery code.
    func unlock(with kind: CredentialKind, _ credential: FileDescriptor) throws(Refusal)

    /// Replaces a passcode that need not be known. Passcode-only items are kept.
    func replacePasscode(
        with new: FileDescriptor, by kind: CredentialKind, _ credential: FileDescriptor
    ) throws(Refusal)

    /// Adds a slot.
    ///
    /// - Parameter other: of a slot with a PIN the PIN; of a recovery slot a memory file with room for
    ///   ``RecoveryCodeFormat/room`` bytes, which gets the code.
    /// - Throws: as ``unlock(with:_:)``; `errSecAuthFailed` when no passcode is set, `errSecNotAvailable` for a TPM
    ///   that the keychain does not rest on, `errSecParam` when there are too many already.
    func addSlot(
        _ slot: UnlockSlot.Kind, _ other: FileDescriptor?, by kind: CredentialKind, _ credential: FileDescriptor
    ) throws(Refusal)

    /// Removes a slot other than the passcode's, with any credential that opens the keychain.
    ///
    /// - Throws: as ``unlock(with:_:)``; `errSecItemNotFound` when there is none with this number, `errSecParam` for
    ///   the passcode's, without which nothing would be left that closes the keychain.
    func removeSlot(_ number: UInt8, by kind: CredentialKind, _ credential: FileDescriptor) throws(Refusal)

    /// Replaces the recovery recipients of the keychain: each new protected file opens for them too.
    ///
    /// - Parameter recipients: as age writes them.
    /// - Throws: as ``unlock(with:_:)``; `errSecAuthFailed` when no passcode is set, `errSecParam` for a text that is
    ///   no recipient, or too many.
    func setFileRecovery(
        _ recipients: RecoveryTexts, by kind: CredentialKind, _ credential: FileDescriptor
    ) throws(Refusal)

    /// Changes the settings of the automatic lock; the keychain must be unlocked.
    func change(_ settings: DeviceSettings) throws(Refusal)
}
