internal import Foundation
internal import Security

/// The class of a kind of item, and the places of its attributes in the type. Reading, writing and searching follow
/// from it.
public struct ItemLayout<Item: KeychainItem>: Sendable {
    let itemClass: String
    let attributes: [LayoutAttribute<Item>]

    init(_ itemClass: CFString, _ attributes: [LayoutAttribute<Item>]) {
        self.itemClass = itemClass as String
        self.attributes = attributes
    }
}

/// The place of an attribute in a kind of item, such as `\GenericPassword.account`.
public typealias AttributePath<Item, Value> = any WritableKeyPath<Item, Value> & Sendable

/// An attribute of a kind of item: its key in dictionaries, and its place in the type.
struct LayoutAttribute<Item: KeychainItem>: Sendable {
    let key: String
    let place: any PartialKeyPath<Item> & Sendable
    let read: @Sendable (Item) -> Any?
    let write: @Sendable (inout Item, Any) -> Void

    /// An attribute that every item has.
    init<Value>(_ key: CFString, _ place: AttributePath<Item, Value>) {
        (self.key, self.place) = (key as String, place)
        read = { item in item[keyPath: place] }
        write = { item, value in if let value = value as? Value { item[keyPath: place] = value } }
    }

    /// An attribute that an item may lack.
    init<Value>(_ key: CFString, _ place: AttributePath<Item, Value?>) {
        (self.key, self.place) = (key as String, place)
        read = { item in item[keyPath: place] }
        write = { item, value in item[keyPath: place] = value as? Value }
    }

    /// An attribute with named cases that an item may lack.
    init<Value: RawRepresentable<String> & SendableMetatype>(_ key: CFString, cases place: AttributePath<Item, Value?>)
    {
        (self.key, self.place) = (key as String, place)
        read = { item in item[keyPath: place]?.rawValue }
        write = { item, value in item[keyPath: place] = (value as? String).flatMap(Value.init) }
    }
}

extension Array {
    /// The attributes of all passwords.
    static func ofPasswords<Item>(
        _ label: AttributePath<Item, String?>, _ comment: AttributePath<Item, String?>,
        _ kind: AttributePath<Item, String?>, _ accessGroup: AttributePath<Item, String?>,
        _ protection: AttributePath<Item, Protection?>,
        _ isSynchronized: AttributePath<Item, Bool>
    ) -> [LayoutAttribute<Item>] where Element == LayoutAttribute<Item> {
        [
            LayoutAttribute(kSecAttrLabel, label), LayoutAttribute(kSecAttrComment, comment),
            LayoutAttribute(kSecAttrDescription, kind), LayoutAttribute(kSecAttrAccessGroup, accessGroup),
            LayoutAttribute(kSecAttrAccessible, cases: protection),
            LayoutAttribute(kSecAttrSynchronizable, isSynchronized),
        ]
    }
}

extension KeychainItem {
    /// The item as a dictionary of the API, without its value.
    var dictionary: [String: Any] {
        var dictionary: [String: Any] = [kSecClass as String: Self.layout.itemClass]
        for attribute in Self.layout.attributes { dictionary[attribute.key] = attribute.read(self) }
        return dictionary
    }

    /// Reads a found item.
    init(_ dictionary: [String: Any]) {
        self.init()
        for attribute in Self.layout.attributes {
            if let value = dictionary[attribute.key] { attribute.write(&self, value) }
        }
        value = dictionary[kSecValueData as String] as? Data
        record = ItemRecord(dictionary)
    }
}

extension ItemRecord {
    fileprivate init?(_ dictionary: [String: Any]) {
        guard let reference = dictionary[kSecValuePersistentRef as String] as? Data,
            let created = dictionary[kSecAttrCreationDate as String] as? Date,
            let modified = dictionary[kSecAttrModificationDate as String] as? Date
        else { return nil }
        self.init(persistentReference: reference, created: created, modified: modified)
    }
}
