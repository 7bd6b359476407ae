package import KeychainModel
package import LinuxSystem

/// A shelf: the keys that wrap the keys of files. Only an enclave sees them; the engine keeps the shelf.
///
///     shelf      = id:16 sealedKey
///     privatePart = wrapKey:32 x25519:32
///
/// The key's public half is that of the X25519 key. Its type is 0xF0 and the number of a ``FileProtection``, so that
/// whether the shelf takes files from anybody is authenticated with its keys. The id is associated data of them too.
package struct Shelf: Hashable, Sendable {
    package let id: ShelfID
    package let protection: FileProtection
    package let key: SealedKey

    private static let firstType: UInt8 = 0xF0
    /// The size of the keys in bits.
    package static let bits: UInt16 = 256
    /// The sizes of the two private keys in bytes.
    package static let wrapKeyBytes = 32
    package static let privateKeyBytes = 32

    /// The type of the sealed key of a shelf of this class.
    package static func keyType(_ protection: FileProtection) -> UInt8 { firstType | protection.rawValue }

    /// - Throws: `errSecParam` (`wire.malformed`) when the key is no shelf's.
    package init(id: ShelfID, key: SealedKey) throws(Refusal) {
        guard key.keyType & Self.firstType == Self.firstType,
            let protection = FileProtection(rawValue: key.keyType & ~Self.firstType),
            protection.accessibilities.contains(key.binding.accessibility), key.backend == .software,
            key.origin == .madeInside, key.bits == Self.bits
        else { throw .malformed("a shelf") }
        (self.id, self.protection, self.key) = (id, protection, key)
    }

    /// Whether other machines of a circle get the shelf: one of this device alone stays, and so do one with an access
    /// control, which only this machine's enclave keeps, and one of a group that no other machine has.
    package var travels: Bool {
        let binding = key.binding
        return id != .zero && !binding.accessibility.isThisDeviceOnly && binding.control == 0
            && key.guardBinding == nil && AccessGroup.isKnownElsewhere(binding.group)
    }

    /// Appends the shelf to a message under construction.
    package func append(to buffer: SecretBuffer) {
        buffer.append(id.bytes.span)
        key.append(to: buffer)
    }

    /// Reads a shelf within a message. One that can be read may still be forged; only the enclave can tell.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package init(from reader: inout WireReader) throws(Refusal) {
        let id = try reader.shelfID()
        try self.init(id: id, key: try SealedKey(from: &reader))
    }
}
