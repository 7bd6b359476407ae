internal import KeychainCrypto
internal import KeychainModel
internal import KeychainWire

/// An identity stands for a certificate's item and its key's (rules items.identity.add, queries.match.reference).
extension SecIdentity: ReferencedItem {
    static var itemClass: ItemClass { .identity }

    /// The identity of both rows; nil when one of them is not of its kind.
    static func object(for item: ItemResponse.Item, _ use: AuthenticationUse) -> (any ReferencedItem)? {
        guard let certificate = Certificate(of: item), let key = SecKey.object(for: item, use) as? SecKey else {
            return nil
        }
        return SecIdentity(SecCertificate(certificate), key)
    }

    func itemToAdd() throws(Refusal) -> ReferencedContent {
        var content = try certificate.itemToAdd()
        let key = try key.itemToAdd()
        content.key = ItemContent(attributes: key.attributes, value: key.value)
        return content
    }

    /// Both halves identify the item: a certificate with another key is another identity.
    func itemToFind() throws(Refusal) -> ReferencedContent {
        var content = try certificate.itemToFind()
        content.attributes += try key.itemToFind().attributes
        return content
    }
}
