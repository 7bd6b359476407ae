internal import KeychainModel
internal import KeychainWire

/// The classes whose objects stand for items.
enum ReferencedItems {
    static let classes: [any ReferencedItem.Type] = [SecCertificate.self, SecKey.self, SecIdentity.self]

    /// The object for an item that was found; nil for a password, which has no class.
    static func object(for item: ItemResponse.Item, _ use: AuthenticationUse) -> AnyObject? {
        classes.first { $0.itemClass == item.itemClass }?.object(for: item, use)
    }
}
