package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// Slots and settings.
extension EnclaveConnection {
    package var epoch: StateEpoch { channel.epoch }

    package func details() throws(Refusal) -> DeviceDetails {
        var reader = WireReader(try call(EnclaveCall(.details)))
        return try DeviceDetails(from: &reader)
    }

    package func change(_ settings: DeviceSettings) throws(Refusal) {
        let body = SecretBuffer(capacity: 8)
        settings.append(to: body)
        _ = try body.withSpan { (body) throws(Refusal) in try call(EnclaveCall(.changeSettings), body) }
    }

    package func unlock(with kind: CredentialKind, _ credential: FileDescriptor) throws(Refusal) {
        try channel.send(.unlockWith, [credential], [kind.rawValue].span)
    }

    package func replacePasscode(
        with new: FileDescriptor, by kind: CredentialKind, _ credential: FileDescriptor
    ) throws(Refusal) { try channel.send(.replacePasscode, [credential, new], [kind.rawValue].span) }

    package func addSlot(
        _ slot: UnlockSlot.Kind, _ other: FileDescriptor?, by kind: CredentialKind, _ credential: FileDescriptor
    ) throws(Refusal) {
        let body = [slot.rawValue, kind.rawValue]
        guard let other else { return try channel.send(.addSlot, [credential], body.span) }
        try channel.send(.addSlotWith, [credential, other], body.span)
    }

    package func removeSlot(_ number: UInt8, by kind: CredentialKind, _ credential: FileDescriptor) throws(Refusal) {
        try channel.send(.removeSlot, [credential], [number, kind.rawValue].span)
    }
}
