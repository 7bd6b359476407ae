internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem

/// An object that stands for an item: `kSecValueRef` takes it and `kSecReturnRef` gives it (rules items.add.reference,
/// results.reference.kind, queries.match.reference).
///
/// A class joins by conforming and by its place in ``ReferencedItems/classes``.
protocol ReferencedItem: NSObject {
    /// The class of the items it stands for.
    static var itemClass: ItemClass { get }

    /// The object for a found item; nil when the item's value is not of the kind that the class holds.
    ///
    /// The item has all its attributes and its value, whatever else the program asked for.
    ///
    /// - Parameter use: the query's settings for prompts.
    static func object(for item: ItemResponse.Item, _ use: AuthenticationUse) -> (any ReferencedItem)?

    /// The attributes and the value of an item added by reference, where the dictionary has none.
    ///
    /// - Throws: the refusal of `SecItemAdd`.
    func itemToAdd() throws(Refusal) -> ReferencedContent

    /// The attributes that narrow a query to the object's item.
    ///
    /// - Throws: the refusal of the function that was given the query.
    func itemToFind() throws(Refusal) -> ReferencedContent
}

/// The attributes and the value of the item that an object stands for.
struct ReferencedContent {
    var attributes: [(id: AttributeID, value: AttributeValue)]
    var value: SecretBytes?
    /// The key of an identity; the other properties are its certificate.
    var key: ItemContent?
}

extension ItemRequestBuilder {
    /// Takes the attributes of an object under `kSecValueRef`. The entries of the dictionary win over them.
    ///
    /// - Throws: `errSecParam` when the dictionary names a class to which the object does not belong; the refusal of
    ///   the object.
    mutating func fill(from reference: any ReferencedItem, _ operation: ItemRequest.Operation) throws(Refusal) {
        try setClass(ofReference: type(of: reference).itemClass)
        if type(of: reference).itemClass == .identity { returnIdentity() }
        let content = operation == .add ? try reference.itemToAdd() : try reference.itemToFind()
        if let key = content.key {
            let certificate = ItemContent(attributes: content.attributes, value: content.value)
            return try fillIdentity(certificate: certificate, key: key)
        }
        for (id, value) in content.attributes { fill(id, value) }
        if let value = content.value { try fill(value: value) }
    }
}
