import KeychainCrypto
import KeychainModel
import KeychainWire

extension ItemRequest {
    /// Finds the item that keeps a sealed key, by what both have of the public half; nil when the key's head makes no
    /// sense.
    init?(findingItemOf key: SealedKey) throws(Refusal) {
        guard let type = KeyType(number: key.keyType),
            let publicKey = try? PublicKey(external: key.publicKey.span, type: type),
            let label = try? publicKey.applicationLabel()
        else { return nil }
        var builder = ItemRequestBuilder(.copyMatching)
        let entries: [(String, RawValue)] = [
            ("class", .string(ItemClass.key.code)), ("klbl", .data(label)), ("agrp", .string(key.binding.group)),
            ("kcls", .string("1")), ("r_Attributes", .boolean(true)),
        ]
        for (name, value) in entries { try builder.set(name, value) }
        self = try builder.build()
    }
}
