import EnclaveWire
import FileFormat
import KeychainCrypto
package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// Shelves, and the keys of protected files (docs/formats/file.md). Id and head of a shelf are associated data of its
/// keys, under the class key of its class.
extension SoftwareEnclave {
    package func makeShelf(
        _ protection: FileProtection, _ binding: KeyBinding, in context: AuthenticationContext?
    ) throws(Refusal) -> Shelf {
        try requireOpen(binding.accessibility)
        let pair = try filing { () throws(CryptoError) in
            try PrivateKey.generate(.x25519, bits: Int(Shelf.bits))
        }
        let privatePart = try ShelfKeys(pair).encoded()
        var (guardBinding, inner): (GuardBinding?, SecretBytes) = (nil, privatePart)
        if AccessControl.asksTheUser(binding.control) {
            let bound = try bind(privatePart, to: binding.control, in: context)
            (guardBinding, inner) = (bound.0, bound.1)
        }
        func key(_ box: [UInt8]) -> SealedKey {
            SealedKey(
                backend: .software, origin: .madeInside, keyType: Shelf.keyType(protection), bits: Shelf.bits,
                binding: binding, publicKey: pair.publicKey.external(), guardBinding: guardBinding, sealed: box)
        }
        let empty = try Shelf(id: ShelfID(), key: key([]))
        return try Shelf(id: empty.id, key: key(try seal(inner, aad: empty.aad, for: binding.accessibility)))
    }

    package func makeFileKey(
        of file: FileID, in shelf: Shelf, in context: AuthenticationContext?
    ) throws(Refusal) -> MadeFileKey {
        let key = SecretBytes.randomKey()
        return MadeFileKey(slot: try wrap(key, of: file, in: shelf, in: context), key: key)
    }

    package func unwrapFileKey(
        _ slot: FileSlot, of file: FileID, by shelf: Shelf, in context: AuthenticationContext?
    ) throws(Refusal) -> SecretBytes {
        guard slot.shelf == shelf.id else { throw .damagedSlot }
        let keys = try keys(of: shelf, in: context)
        let key = try filing { () throws(FileError) in
            // Every shelf has a public key, to which anybody can wrap: only shelves of that class take such files.
            shelf.protection == .completeUnlessOpen
                ? try slot.fileKey(of: file, with: keys.pair) : try slot.fileKey(of: file, under: keys.wrapKey)
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
        let keys = try keys(of: shelf, in: context)
        return try filing { () throws(FileError) in
            try FileSlot.wrapping(key, of: file, shelf: shelf.id, under: keys.wrapKey)
        }
    }

    private func keys(of shelf: Shelf, in context: AuthenticationContext?) throws(Refusal) -> ShelfKeys {
        let inner = try openBox(shelf.key.sealed, aad: shelf.aad, for: shelf.key.binding.accessibility)
        let use = GuardedUse(
            identifier: shelf.key.identifier, constraint: AccessConstraint(flags: shelf.key.binding.control),
            operation: .useItem)
        let opened = try openGuarded(inner, shelf.key.guardBinding ?? GuardBinding(), for: use, in: context)
        return try ShelfKeys(decoding: opened)
    }
}

/// The two private keys of a shelf.
private struct ShelfKeys {
    let wrapKey: SecretBytes
    let pair: PrivateKey

    /// With a new wrap key.
    init(_ pair: PrivateKey) { (wrapKey, self.pair) = (SecretBytes.randomKey(), pair) }

    /// - Throws: `errSecDecode` for what is no shelf's.
    init(decoding part: SecretBytes) throws(Refusal) {
        guard part.count == Shelf.wrapKeyBytes + Shelf.privateKeyBytes else { throw .damagedKey }
        wrapKey = part.withSpan { SecretBytes(copying: $0.extracting(..<Shelf.wrapKeyBytes)) }
        pair = try filing { () throws(CryptoError) in
            try part.withSpan { (part) throws(CryptoError) in
                try PrivateKey(external: part.extracting(Shelf.wrapKeyBytes...), type: .x25519)
            }
        }
    }

    func encoded() throws(Refusal) -> SecretBytes {
        let buffer = SecretBuffer(capacity: 128)
        wrapKey.withSpan { buffer.append($0) }
        try filing { () throws(CryptoError) in try pair.external() }.withSpan { buffer.append($0) }
        return buffer.finish()
    }
}

extension Shelf {
    fileprivate var aad: [UInt8] {
        WrappingBinding.shelf(id.bytes, head: key.head, key.binding.accessibility)
    }

    fileprivate func publicKey() throws(FileError) -> PublicKey {
        do throws(CryptoError) { return try PublicKey(external: key.publicKey.span, type: .x25519) } catch {
            throw .library(error)
        }
    }
}

private func filing<Result>(_ body: () throws(CryptoError) -> Result) throws(Refusal) -> Result {
    do throws(CryptoError) { return try body() } catch { throw .crypto(error) }
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
