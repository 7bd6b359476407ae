import EnclaveWire
import KeychainCrypto
package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// Unlock slots besides the passcode's, as LUKS has: each wraps the keybag key on its own, so that it comes and goes
/// without the items or the other slots.
///
/// They are there only while a passcode is: without one everything opens anyway, and with it goes the key that they
/// hold.
extension SoftwareEnclave {
    package func addSlot(
        _ kind: UnlockSlot.Kind, _ other: FileDescriptor?, by credentialKind: CredentialKind,
        _ credential: FileDescriptor
    ) throws(Refusal) {
        let credential = Credential(credentialKind, try read(credential))
        try withVault { (vault) throws(Refusal) in
            try check(kind, fits: vault)
            let code = kind == .recovery ? RecoveryCode() : nil
            let secret = try Self.secret(of: kind, code, other, read)
            var keybag = try verify(credential, opening: &vault)
            try modernise(&vault, &keybag)
            vault.slots.append(
                try slot(kind, number: vault.freeSlotNumber, secret, holding: keybag, in: vault))
            // Before the slot exists: a code that was not delivered opens nothing.
            if let code, let other { try hand(code, to: other) }
            try commit(vault, keybag)
        }
    }

    package func removeSlot(
        _ number: UInt8, by credentialKind: CredentialKind, _ credential: FileDescriptor
    ) throws(Refusal) {
        let credential = Credential(credentialKind, try read(credential))
        try withVault { (vault) throws(Refusal) in
            guard let slot = vault.slots.first(where: { $0.number == number }) else { throw .noSlot(number) }
            guard slot.kind != .passcode, slot.kind != .device else { throw .lastSlot }
            let keybag = try verify(credential, opening: &vault)
            vault.slots.removeAll { $0.number == number }
            try commit(vault, keybag)
        }
    }

    private func check(_ kind: UnlockSlot.Kind, fits vault: Vault) throws(Refusal) {
        guard vault.passcode != nil else { throw .slotNeedsPasscode }
        guard vault.slots.count < UnlockSlot.most else { throw .tooManySlots }
        guard kind == .tpm || kind == .tpmWithPIN else { return }
        guard vault.device.kind == .tpm else { throw .slotNeedsTPM }
        // A second one would open with the same chip.
        guard !vault.slots.contains(where: { $0.kind == kind }) else { throw .slotExists }
    }

    private static func secret(
        of kind: UnlockSlot.Kind, _ code: RecoveryCode?, _ other: FileDescriptor?,
        _ read: (FileDescriptor) throws(Refusal) -> SecretBytes
    ) throws(Refusal) -> SecretBytes? {
        switch (kind, other) {
        case (.recovery, .some): code?.secret
        case (.tpmWithPIN, .some(let pin)): try read(pin)
        case (.tpm, nil): nil
        default: throw .malformed("the unlock slot")
        }
    }

    private func hand(_ code: RecoveryCode, to file: FileDescriptor) throws(Refusal) {
        let text: SecretBytes
        do { text = try code.text() } catch { throw .crypto(error) }
        do { try PasscodeFile.fill(file, with: text) } catch { throw .unwritableCode(error) }
    }
}

extension Vault {
    fileprivate var freeSlotNumber: UInt8 {
        let taken = Set(slots.map(\.number))
        return (1...UInt8.max).first { !taken.contains($0) } ?? .max
    }
}
