import EnclaveWire
import FileFormat
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// The proof that the user has named the recovery recipients: a box around nothing, which takes a class key that the
/// passcode opens. On a software root the file has the key of its seal, too, so the seal is no defence against somebody
/// who can write the file.
///
///     proof   = box(class key of ck, binding, nothing)                                              ; 28 bytes
///     binding = 2:u8 8:u8 3:u16 identifier:16 *recipient:32
extension Vault {
    static let recoveryProofBytes = AESGCM.overhead
    private static let provingClass = Accessibility.afterFirstUnlock

    /// Replaces the recovery recipients, and proves them with the keys that a credential has opened.
    mutating func keep(recovery recipients: [RecoveryRecipient], provedBy keybag: Keybag) throws(CryptoError) {
        guard !recipients.isEmpty else { return keep(recovery: [], proof: []) }
        let binding = WrappingBinding.recovery(recipients, Self.provingClass, of: self)
        guard let key = keybag.keys[Self.provingClass] else { throw .invalidParameter }
        keep(recovery: recipients, proof: try key.makeCipher().seal(Span(), aad: binding.span))
    }

    private func isProved(under cipher: AESGCM) -> Bool {
        let (binding, nothing) = (WrappingBinding.recovery(recovery, Self.provingClass, of: self), SecretBuffer())
        do throws(CryptoError) { try cipher.open(recoveryProof.span, aad: binding.span, into: nothing) } catch {
            return false
        }
        return true
    }

    /// The recipients of a new file, which the user has named.
    ///
    /// - Parameter cipher: of the class whose key proves them; nil before the first unlock.
    /// - Throws: `errSecDecode` when the user has not named them; `errSecInteractionNotAllowed` when nobody can tell.
    func recipients(
        of protection: FileProtection, under cipher: (Accessibility) -> AESGCM?
    ) throws(Refusal) -> [RecoveryRecipient] {
        guard !recovery.isEmpty else { return [] }
        guard let cipher = cipher(Self.provingClass) else {
            // Another root's seal proves them. Files of class D open for everybody who has the vault, anyway.
            guard device.kind != .software || protection == .none else { throw .recoveryBeforeUnlock }
            return recovery
        }
        guard isProved(under: cipher) else { throw .foreignRecovery }
        return recovery
    }
}

extension Refusal {
    fileprivate static let foreignRecovery = Refusal(
        .decode, .damaged, "recovery",
        "The keychain has recovery recipients that somebody has named without its password.",
        do: "Look at them with security file recovery-default, and set those again that are yours, or none (-N).")
    fileprivate static let recoveryBeforeUnlock = Refusal(
        .interactionNotAllowed, .locked, "recovery",
        "Only an unlocked keychain can tell whether its recovery recipients are the user's.",
        do: "Unlock it with `security unlock-keychain`.")
}
