internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem

/// An object that stands for an item: what `kSecValueRef` takes and `kSecReturnRef` gives (semantics A.4, B.3, B.4).
///
/// A class becomes one by conforming and by its place in ``ReferencedItems/classes``.
protocol ReferencedItem: NSObject {
    /// The class of the items it stands for.
    static var itemClass: ItemClass { get }

    /// The object for an item that was found; nil when the item's value is not what the class keeps.
    ///
    /// The item has all its attributes and its value, whatever else the program asked for.
    ///
    /// - Parameter use: what the query said about asking the user.
    static func object(for item: ItemResponse.Item, _ use: AuthenticationUse) -> (any ReferencedItem)?

    /// What an item added by reference gets where the dictionary says nothing.
    ///
    /// - Throws: the refusal of `SecItemAdd`.
    func itemToAdd() throws(Refusal) -> ReferencedContent

    /// What narrows a query to the object's item.
    ///
    /// - Throws: the refusal of the function that was given the query.
    func itemToFind() throws(Refusal) -> ReferencedContent
}

/// What an object says of the item it stands for.
struct ReferencedContent {
    var attributes: [(id: AttributeID, value: AttributeValue)]
    var value: SecretBytes?
    /// The key of an identity, whose certificate is the rest.
    var key: ItemContent?
}

/// The classes whose objects stand for items.
enum ReferencedItems {
    static let classes: [any ReferencedItem.Type] = [SecCertificate.self, SecKey.self, SecIdentity.self]

    /// The object for an item that was found; nil for a password, which has none of its own.
    static func object(for item: ItemResponse.Item, _ use: AuthenticationUse) -> AnyObject? {
        classes.first { $0.itemClass == item.itemClass }?.object(for: item, use)
    }
}

extension ItemRequestBuilder {
    /// Takes over what an object given as `kSecValueRef` says of its item; what the dictionary says itself wins.
    ///
    /// - Throws: `errSecParam` when the dictionary names a class the object does not belong to; the object's own
    ///   refusal.
    mutating func fill(from reference: any ReferencedItem, _ operation: ItemRequest.Operation) throws(Refusal) {
        try setClass(ofReference: type(of: reference).itemClass)
        if reference is SecIdentity { returnIdentity() }
        let content = operation == .add ? try reference.itemToAdd() : try reference.itemToFind()
        if let key = content.key {
            let certificate = ItemContent(attributes: content.attributes, value: content.value)
            return try fillIdentity(certificate: certificate, key: key)
        }
        for (id, value) in content.attributes { fill(id, value) }
        if let value = content.value { try fill(value: value) }
    }
}
