import EnclaveWire
import FileFormat
import KeychainCrypto
package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The keys of protected files (docs/formats/file.md).
extension SoftwareEnclave {
    package func makeFileKey(
        of file: FileID, in shelf: Shelf, in context: AuthenticationContext?
    ) throws(Refusal) -> MadeFileKey {
        let key = SecretBytes.randomKey()
        let slot = try wrap(key, of: file, in: shelf, in: context)
        return MadeFileKey(slot: slot, key: key, recovery: try recoverySlots(of: key, file, in: shelf))
    }

    package func unwrapFileKey(
        _ slot: FileSlot, of file: FileID, by shelf: Shelf, in context: AuthenticationContext?
    ) throws(Refusal) -> SecretBytes {
        guard slot.shelf == shelf.id else { throw .damagedSlot }
        let key: SecretBytes?
        // Every shelf has a public key, to which anybody can wrap: only shelves of that class take such files.
        if shelf.protection == .completeUnlessOpen {
            let pair = try keys(of: shelf, in: context).pair
            key = try filing { () throws(FileError) in try slot.fileKey(of: file, with: pair) }
        } else {
            let wrapKey = try wrapKey(of: shelf, in: context)
            key = try filing { () throws(FileError) in try slot.fileKey(of: file, under: wrapKey) }
        }
        guard let key, key.count == MadeFileKey.keyBytes else { throw .damagedSlot }
        return key
    }

    package func rewrapFileKey(
        _ slot: FileSlot, of file: FileID, from shelf: Shelf, to target: Shelf, in context: AuthenticationContext?
    ) throws(Refusal) -> FileSlot {
        try wrap(try unwrapFileKey(slot, of: file, by: shelf, in: context), of: file, in: target, in: context)
    }

    /// The public half wraps while the class is closed. In the other classes the secret key proves that a program of
    /// the group wrote the file.
    private func wrap(
        _ key: SecretBytes, of file: FileID, in shelf: Shelf, in context: AuthenticationContext?
    ) throws(Refusal) -> FileSlot {
        guard shelf.protection != .completeUnlessOpen else {
            return try filing { () throws(FileError) in
                try FileSlot.wrapping(key, of: file, shelf: shelf.id, to: shelf.publicKey())
            }
        }
        let wrapKey = try wrapKey(of: shelf, in: context)
        return try filing { () throws(FileError) in
            try FileSlot.wrapping(key, of: file, shelf: shelf.id, under: wrapKey)
        }
    }
}

extension Shelf {
    fileprivate func publicKey() throws(FileError) -> PublicKey {
        do throws(CryptoError) { return try PublicKey(external: key.publicKey.span, type: .x25519) } catch {
            throw .library(error)
        }
    }
}

private func filing<Result>(_ body: () throws(FileError) -> Result) throws(Refusal) -> Result {
    do throws(FileError) { return try body() } catch {
        if case .library(let error) = error { throw .crypto(error) }
        throw .damagedSlot
    }
}

extension Refusal {
    fileprivate static let damagedSlot = Refusal(
        .decode, .damagedFile, "file", "The shelf that the file names did not wrap its key: its header was changed.",
        do: "Restore the file from a copy.")
}
