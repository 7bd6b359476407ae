package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// Slots and settings.
extension EnclaveConnection {
    package var epoch: StateEpoch { channel.epoch }

    package func details() throws(Refusal) -> DeviceDetails { try send(EnclaveCalls.details, EmptyMessage()) }

    package func change(_ settings: DeviceSettings) throws(Refusal) {
        _ = try send(EnclaveCalls.changeSettings, settings)
    }

    package func unlock(with kind: CredentialKind, _ credential: FileDescriptor) throws(Refusal) {
        _ = try send(EnclaveCalls.unlockWith, kind, [credential])
    }

    package func replacePasscode(
        with new: FileDescriptor, by kind: CredentialKind, _ credential: FileDescriptor
    ) throws(Refusal) { _ = try send(EnclaveCalls.replacePasscode, kind, [credential, new]) }

    package func addSlot(
        _ slot: UnlockSlot.Kind, _ other: FileDescriptor?, by kind: CredentialKind, _ credential: FileDescriptor
    ) throws(Refusal) {
        let request = SlotAddition(slot: slot, credential: kind)
        guard let other else { return _ = try send(EnclaveCalls.addSlot, request, [credential]) }
        _ = try send(EnclaveCalls.addSlotWith, request, [credential, other])
    }

    package func setFileRecovery(
        _ recipients: RecoveryTexts, by kind: CredentialKind, _ credential: FileDescriptor
    ) throws(Refusal) {
        let request = RecoverySetting(recipients: recipients, credential: kind)
        _ = try send(EnclaveCalls.setFileRecovery, request, [credential])
    }

    package func removeSlot(_ number: UInt8, by kind: CredentialKind, _ credential: FileDescriptor) throws(Refusal) {
        _ = try send(EnclaveCalls.removeSlot, SlotRemoval(number: number, credential: kind), [credential])
    }
}
