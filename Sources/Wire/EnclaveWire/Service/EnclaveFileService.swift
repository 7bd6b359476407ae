package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The enclave's calls for the keys of protected files.
///
/// The enclave does not ask which program calls. The engine has checked before that the caller may use a shelf of this
/// group. Every refusal carries the state that caused it: `errSecInteractionNotAllowed` for a class that is closed now,
/// or for a user who would have to be asked; `errSecDecode` for a shelf that another enclave sealed, or that was
/// changed.
package protocol EnclaveFileService: Sendable {
    /// Makes a shelf. The requirements of its access control are bound to it as to a guarded row.
    func makeShelf(
        _ protection: FileProtection, _ binding: KeyBinding, in context: AuthenticationContext?
    ) throws(Refusal) -> Shelf

    /// Makes the key of a file and wraps it. While its class is closed, a shelf of
    /// ``FileProtection/completeUnlessOpen`` wraps, and no other.
    func makeFileKey(
        of file: FileID, in shelf: Shelf, in context: AuthenticationContext?
    ) throws(Refusal) -> MadeFileKey

    /// Unwraps the key of a file, if the context has the grants for the shelf.
    ///
    /// - Throws: `errSecDecode` (`file.damaged`) for a slot that this shelf did not wrap for this file, or that a shelf
    ///   of its class does not take; `errSecAuthNeeded` when the user has to be asked first.
    func unwrapFileKey(
        _ slot: FileSlot, of file: FileID, by shelf: Shelf, in context: AuthenticationContext?
    ) throws(Refusal) -> SecretBytes

    /// Wraps the key of a file by another shelf, without giving it out.
    ///
    /// - Throws: as ``unwrapFileKey(_:of:by:in:)``, of either shelf.
    func rewrapFileKey(
        _ slot: FileSlot, of file: FileID, from shelf: Shelf, to target: Shelf, in context: AuthenticationContext?
    ) throws(Refusal) -> FileSlot
}
