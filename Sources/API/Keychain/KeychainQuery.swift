internal import Foundation
internal import Security

/// A search for items of one kind, by attributes the compiler knows.
///
///     let logins = try KeychainQuery<InternetPassword>()
///         .where(\.server, equals: "example.org")
///         .where(\.protocol, equals: .https)
///         .all()
///
/// It compiles to the dictionaries of `SecItemCopyMatching`, `SecItemUpdate` and `SecItemDelete`. Items of all devices
/// count unless `isSynchronized` is asked for.
public struct KeychainQuery<Item: KeychainItem>: Sendable {
    private var criteria: [Criterion] = []
    private var prompt: String?
    private var asksTheUser = true

    private struct Criterion: Sendable {
        let attribute: ItemAttribute<Item>
        let example: Item
    }

    /// All items of the kind that the program may see.
    public init() {}

    /// Only items whose attribute has this value.
    ///
    /// - Parameters:
    ///   - place: an attribute of the kind. What is none (the value, the record) narrows nothing down and is a mistake in the
    ///     program, which ends it.
    ///   - value: what it is to be.
    public func `where`<Value>(_ place: AttributePath<Item, Value>, equals value: Value) -> Self {
        guard let attribute = Item.layout.attributes.first(where: { $0.place == place }) else {
            preconditionFailure("\(place) is no attribute by which items can be found")
        }
        var (query, example) = (self, Item())
        example[keyPath: place] = value
        query.criteria.append(Criterion(attribute: attribute, example: example))
        return query
    }

    /// What the user reads when he is asked for an item that he guards (`kSecUseOperationPrompt`).
    public func prompting(_ reason: String) -> Self {
        var query = self
        query.prompt = reason
        return query
    }

    /// Nobody is asked: items that need the user are refused with `errSecInteractionNotAllowed`.
    public func withoutAsking() -> Self {
        var query = self
        query.asksTheUser = false
        return query
    }

    /// All items that match, without their values unless they are asked for.
    ///
    /// - Throws: ``KeychainError`` for everything but "there is none", which is an empty array.
    public func all(withValues: Bool = false) throws(KeychainError) -> [Item] {
        (try find(kSecMatchLimitAll, withValues) as? [[String: Any]] ?? []).map(Item.init)
    }

    /// The first that matches, with its value; nil for none.
    public func first(withValue: Bool = true) throws(KeychainError) -> Item? {
        (try find(kSecMatchLimitOne, withValue) as? [String: Any]).map(Item.init)
    }

    /// Changes all items that match; what the closure leaves alone stays as it is.
    ///
    ///     try query.update { $0.label = "Work" }
    ///
    /// - Parameter change: gets an item that says nothing, and says of it what is to be new.
    /// - Returns: false when there was nothing to change.
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

    /// Deletes all items that match; false when there was none.
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
    /// - Throws: ``KeychainError`` with `errSecDuplicateItem` when there is one with the same primary key already.
    public func add() throws(KeychainError) { try add([:]) }

    /// Adds the item, or changes the one that is there with the same primary key: in one step, so that no other program
    /// comes between, and what this item does not say stays as it was.
    ///
    /// - Throws: ``KeychainError``.
    public func save() throws(KeychainError) { try add([kSecUseUpdateExisting as String: true]) }

    private func add(_ options: [String: Any]) throws(KeychainError) {
        var dictionary = dictionary.merging(options) { $1 }
        dictionary[kSecValueData as String] = value
        try check(SecItemAdd(dictionary as CFDictionary, nil))
    }
}
