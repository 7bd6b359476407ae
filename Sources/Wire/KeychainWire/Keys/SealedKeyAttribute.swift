package import KeychainModel
import LinuxSystem

extension AttributeList {
    /// The sealed key that travels beside the attributes; nil when there is none.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when it cannot be read.
    package func sealedKey() throws(Refusal) -> SealedKey? {
        guard let bytes = secret(.sealedKey) else { return nil }
        return try SealedKey(decoding: bytes)
    }
}

extension ItemRequest {
    /// The sealed key that is to be added.
    ///
    /// - Throws: as ``AttributeList/sealedKey()``.
    package func sealedKey() throws(Refusal) -> SealedKey? { try query.sealedKey() }
}
