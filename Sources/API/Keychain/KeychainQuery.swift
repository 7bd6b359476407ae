internal import Foundation
internal import Security

/// A search for items of one kind, by typed attributes.
///
///     let logins = try KeychainQuery<InternetPassword>()
///         .where(\.server, equals: "example.org")
///         .where(\.protocol, equals: .https)
///         .all()
///
/// It compiles to the dictionaries of `SecItemCopyMatching`, `SecItemUpdate` and `SecItemDelete`. Items of all devices
/// match unless the query asks for `isSynchronized`.
public struct KeychainQuery<Item: KeychainItem>: Sendable {
    private var criteria: [Criterion] = []
    private var prompt: String?
    private var asksTheUser = true

    private struct Criterion: Sendable {
        let attribute: LayoutAttribute<Item>
        let example: Item
    }

    /// All items of the kind that the program may see.
    public init() {}

    /// Selects the items whose attribute has this value.
    ///
    /// - Parameters:
    ///   - place: an attribute of the kind. Any other property (the value, the record) selects nothing. It is a
    ///     mistake in the program, which traps.
    ///   - value: the required value.
    public func `where`<Value>(_ place: AttributePath<Item, Value>, equals value: Value) -> Self {
        guard let attribute = Item.layout.attributes.first(where: { $0.place == place }) else {
            preconditionFailure("\(place) is no attribute by which items can be found")
        }
        var (query, example) = (self, Item())
        example[keyPath: place] = value
        query.criteria.append(Criterion(attribute: attribute, example: example))
        return query
    }

    /// Sets the text that the user reads in the prompt for an item with an access control (`kSecUseOperationPrompt`).
    public func prompting(_ reason: String) -> Self {
        var query = self
        query.prompt = reason
        return query
    }

    /// Forbids prompts: items that need the user are refused with `errSecInteractionNotAllowed`.
    public func withoutAsking() -> Self {
        var query = self
        query.asksTheUser = false
        return query
    }

    /// Returns all matching items, without their values unless the query asks for them.
    ///
    /// - Throws: ``KeychainError``, except that an empty result is an empty array.
    public func all(withValues: Bool = false) throws(KeychainError) -> [Item] {
        (try find(kSecMatchLimitAll, withValues) as? [[String: Any]] ?? []).map(Item.init)
    }

    /// Returns the first matching item with its value; nil for none. Throws ``KeychainError``.
    public func first(withValue: Bool = true) throws(KeychainError) -> Item? {
        (try find(kSecMatchLimitOne, withValue) as? [String: Any]).map(Item.init)
    }

    /// Changes all matching items. Attributes that the closure does not set stay as they are.
    ///
    ///     try query.update { $0.label = "Work" }
    ///
    /// - Parameter change: gets an empty item, and sets the new attributes.
    /// - Returns: false when nothing matched.
    /// - Throws: ``KeychainError``; then nothing was changed.
    @discardableResult
    public func update(_ change: (inout Item) -> Void) throws(KeychainError) -> Bool {
        let blank = Item()
        var changed = blank
        change(&changed)
        let before = blank.dictionary
        var changes = changed.dictionary.filter { key, value in
            (before[key] as? AnyHashable) != (value as? AnyHashable)
        }
        if let value = changed.value { changes[kSecValueData as String] = value }
        return try found(SecItemUpdate(dictionary as CFDictionary, changes as CFDictionary))
    }

    /// Deletes all matching items; false when nothing matched. Throws ``KeychainError``.
    @discardableResult
    public func delete() throws(KeychainError) -> Bool {
        try found(SecItemDelete(dictionary as CFDictionary))
    }

    private var dictionary: [String: Any] {
        var dictionary: [String: Any] = [
            kSecClass as String: Item.layout.itemClass, kSecAttrSynchronizable as String: kSecAttrSynchronizableAny,
        ]
        for criterion in criteria { dictionary[criterion.attribute.key] = criterion.attribute.read(criterion.example) }
        if let prompt { dictionary[kSecUseOperationPrompt as String] = prompt }
        if !asksTheUser { dictionary[kSecUseAuthenticationUI as String] = kSecUseAuthenticationUIFail }
        return dictionary
    }

    private func find(_ limit: CFString, _ withValues: Bool) throws(KeychainError) -> Any? {
        var query = dictionary
        query[kSecMatchLimit as String] = limit
        query[kSecReturnAttributes as String] = true
        query[kSecReturnPersistentRef as String] = true
        query[kSecReturnData as String] = withValues
        var result: CFTypeRef?
        let isThere = try found(unsafe SecItemCopyMatching(query as CFDictionary, &result))
        return isThere ? result : nil
    }

    private func found(_ status: OSStatus) throws(KeychainError) -> Bool {
        if status == errSecItemNotFound { return false }
        try check(status)
        return true
    }
}

extension KeychainItem {
    /// Adds the item.
    ///
    /// - Throws: ``KeychainError`` with `errSecDuplicateItem` when an item with the same primary key exists.
    public func add() throws(KeychainError) { try add([:]) }

    /// Adds the item, or updates the item with the same primary key. It is one step, so no other program can act in
    /// between. Attributes that this item does not set stay as they were.
    ///
    /// - Throws: ``KeychainError``.
    public func save() throws(KeychainError) { try add([kSecUseUpdateExisting as String: true]) }

    private func add(_ options: [String: Any]) throws(KeychainError) {
        var dictionary = dictionary.merging(options) { $1 }
        dictionary[kSecValueData as String] = value
        try check(SecItemAdd(dictionary as CFDictionary, nil))
    }
}
