import EnclaveWire
import FileFormat
import KeychainCrypto
package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The recovery recipients of the keychain: each new file gets them, whichever program makes it.
extension SoftwareEnclave {
    package func setFileRecovery(
        _ recipients: RecoveryTexts, by kind: CredentialKind, _ credential: FileDescriptor
    ) throws(Refusal) {
        let recipients = try Self.recipients(recipients.texts)
        let credential = Credential(kind, try read(credential))
        try withVault { (vault) throws(Refusal) in
            // Otherwise any program could set one that it can read all files with.
            guard vault.passcode != nil else { throw .recoveryNeedsPasscode }
            var keybag = try verify(credential, opening: &vault)
            try modernise(&vault, &keybag)
            do throws(CryptoError) { try vault.keep(recovery: recipients, provedBy: keybag) } catch {
                throw .crypto(error)
            }
            try commit(vault, keybag)
        }
    }

    private static func recipients(_ texts: [String]) throws(Refusal) -> [RecoveryRecipient] {
        var found: [RecoveryRecipient] = []
        for text in texts {
            guard let recipient = RecoveryRecipient(text: text), recipient.takesKeys else { throw .noRecipient }
            if !found.contains(recipient) { found.append(recipient) }
        }
        guard found.count <= RecoveryRecipient.most else { throw .manyRecipients }
        return found
    }

    /// The slots of a new file for the keychain's recipients. A file of this device alone gets none: nothing opens it
    /// elsewhere, unless its own program wants that.
    func recoverySlots(
        of key: SecretBytes, _ file: FileID, in shelf: Shelf
    ) throws(Refusal) -> [FileSlot] {
        guard !shelf.key.binding.accessibility.isThisDeviceOnly else { return [] }
        let recipients = try state.withLock { (state) throws(Refusal) in
            try state.refresh(from: self.file)
            return try state.vault.recipients(of: shelf.protection) { state.cipher(for: $0) }
        }
        do throws(FileError) { return try key.slots(for: recipients, of: file) } catch {
            if case .library(let error) = error { throw .crypto(error) }
            throw .noRecipient
        }
    }
}

extension SecretBytes {
    fileprivate func slots(for recipients: [RecoveryRecipient], of file: FileID) throws(FileError) -> [FileSlot] {
        var slots: [FileSlot] = []
        for recipient in recipients { slots.append(try FileSlot.wrapping(self, of: file, for: recipient)) }
        return slots
    }
}

extension RecoveryRecipient {
    /// Whether a key can be wrapped to it: nothing can to the few points that anybody shares a secret with.
    fileprivate var takesKeys: Bool { (try? SecretBytes.randomKey().slots(for: [self], of: FileID())) != nil }
}

extension Refusal {
    fileprivate static let recoveryNeedsPasscode = Refusal(
        .authFailed, .passcodeNotSet, "recovery",
        "Without a password any program could name a recipient who opens all new files.",
        do: "Set a password first (security set-keychain-password).")
    fileprivate static let noRecipient = Refusal(
        .param, .wrongValue, "recovery", "A text is no recovery recipient: those begin with age1.",
        do: "Pass what security file recovery-key has shown.")
    fileprivate static let manyRecipients = Refusal(
        .param, .tooLarge, "recovery", "A file has at most \(RecoveryRecipient.most) recovery recipients.",
        do: "Pass fewer.")
}
