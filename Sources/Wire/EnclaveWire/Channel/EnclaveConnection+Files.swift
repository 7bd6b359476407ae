package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// Shelves and the keys of files through the channel.
extension EnclaveConnection {
    package func makeShelf(
        _ protection: FileProtection, _ binding: KeyBinding, in context: AuthenticationContext?
    ) throws(Refusal) -> Shelf {
        try send(EnclaveCalls.makeShelf, ShelfCreation(context: context, protection: protection, binding: binding))
    }

    package func makeFileKey(
        of file: FileID, in shelf: Shelf, in context: AuthenticationContext?
    ) throws(Refusal) -> MadeFileKey {
        try send(EnclaveCalls.makeFileKey, FileKeyCreation(context: context, file: file, shelf: shelf))
    }

    package func unwrapFileKey(
        _ slot: FileSlot, of file: FileID, by shelf: Shelf, in context: AuthenticationContext?
    ) throws(Refusal) -> SecretBytes {
        let request = FileKeyOpening(context: context, file: file, slot: slot, shelf: shelf)
        return try send(EnclaveCalls.unwrapFileKey, request).secret
    }

    package func rewrapFileKey(
        _ slot: FileSlot, of file: FileID, from shelf: Shelf, to target: Shelf, in context: AuthenticationContext?
    ) throws(Refusal) -> FileSlot {
        let opening = FileKeyOpening(context: context, file: file, slot: slot, shelf: shelf)
        return try send(EnclaveCalls.rewrapFileKey, FileKeyRewrapping(opening: opening, target: target))
    }
}
