internal import KeychainClient
internal import KeychainModel
internal import KeychainWire

/// Adds an item.
///
/// - Parameters:
///   - attributes: class, attributes, value and return keys; `kSecClass` is required.
///   - result: receives the objects of the return keys; may be nil without return keys.
/// - Returns: `errSecSuccess`, or among others the following. `errSecDuplicateItem`: an item with the same primary key
///   exists. `errSecParam`: the dictionary is malformed. `errSecNoSuchAttr`: the class does not have the attribute.
///   `errSecMissingEntitlement`: the program may not use the access group. `errSecAuthFailed`: the access control
///   requires a passcode or a finger, and the device has none. `errSecInteractionNotAllowed`: an application password
///   is needed and nobody can be asked for it. ``SecCopyLastItemError()`` tells more.
///
/// Adding an item asks nobody, even when its access control requires the user.
///
/// Without `kSecUseKeychain` the item goes to the keychain of the login. `errSecNoSuchKeychain` and
/// `errSecInvalidKeychain` say that it names none.
///
/// Source: Apple, SecItemAdd; rules items.add.result, items.delete.free.
@discardableResult
public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    reporting { () throws(Refusal) in
        var use = AuthenticationUse.unsaid
        let request = try ItemRequest(.add, dictionary: attributes, use: &use)
        try unsafe requirePointer(result, for: request)
        let response = try KeychainSession.asking(use) { (session) throws(Refusal) in
            try session.send(request)
        }
        unsafe result?.pointee = response.items.first.flatMap { ItemResult(request.returns, $0, use).object }
        return response.notice
    }
}

/// Finds items and returns the objects that its return keys name.
///
/// The call blocks until the answer is there. If it prompts, it blocks until the user has answered.
///
/// - Parameters:
///   - query: class, attributes, match and return keys. Without `kSecMatchLimit` one item is returned.
///   - result: receives one object, or an array when the limit is not one; may be nil without return keys.
/// - Returns: `errSecSuccess`, or among others the following. `errSecItemNotFound`: nothing matches.
///   `errSecInteractionNotAllowed`: the items are locked, or the user cannot or must not be asked. `errSecParam` and
///   others: the query is malformed. `errSecUserCanceled` and `errSecAuthFailed`: the user did not authenticate for an
///   access control. ``SecCopyLastItemError()`` tells more.
///
/// The user is asked once for all found items. The prompt has the text of
/// `kSecUseOperationPrompt`, or the `localizedReason` of the context under `kSecUseAuthenticationContext`.
///
/// `kSecMatchSearchList` restricts the search to its keychains, in order. Without it the keychain of the login is
/// searched. A keychain that does not open hides nothing of the others, and ``SecCopyLastItemError()`` names it. Where
/// no other has anything, its status is that of the call: `errSecNoSuchKeychain`, `errSecInvalidKeychain` or
/// `errSecNotAvailable`.
///
/// Source: Apple, SecItemCopyMatching; rules queries.limit.default, results.shape.limit, results.shape.object,
/// items.delete.free.
@discardableResult
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    reporting { () throws(Refusal) in
        var (matches, use): (CertificateMatches?, AuthenticationUse) = (nil, .unsaid)
        let request = try ItemRequest(.copyMatching, dictionary: query, use: &use) { (key, value) throws(Refusal) in
            try CertificateMatches.take(key, value, into: &matches)
        }
        try unsafe requirePointer(result, for: request)
        let search = ItemSearch(request, matches, use)
        let (object, notice) = try search.run()
        unsafe result?.pointee = request.returns.isEmpty ? nil : object
        return notice
    }
}

/// Changes all items that a query finds. Attributes that are not named stay as they are.
///
/// - Parameters:
///   - query: class and attributes of the items; no match or return keys, except for a `kSecMatchSearchList` of one
///     keychain.
///   - attributesToUpdate: the new attributes, and the new value under `kSecValueData`.
/// - Returns: `errSecSuccess`, or among others the following. `errSecItemNotFound`: nothing matches.
///   `errSecDuplicateItem`: two items would have the same primary key; then nothing is changed. `errSecNoSuchAttr`: a
///   key is no attribute. For items with an access control, the statuses of a prompt as in `SecItemCopyMatching`.
///
/// Source: Apple, SecItemUpdate; rule items.delete.free.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    reporting { () throws(Refusal) in
        var use = AuthenticationUse.unsaid
        let request = try ItemRequest(.update, dictionary: query, changes: attributesToUpdate, use: &use)
        try use.takeOnlyKeychain()
        return try KeychainSession.asking(use) { (session) throws(Refusal) in
            try session.send(request).notice
        }
    }
}

/// Deletes all items that a query finds. An incomplete query may delete more than one.
///
/// - Parameter query: class and attributes of the items; no match keys, except for a `kSecMatchSearchList` of one
///   keychain.
/// - Returns: `errSecSuccess`; `errSecItemNotFound`; `errSecParam` for a malformed query.
///
/// Source: Apple, SecItemDelete; rule items.delete.free.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    reporting { () throws(Refusal) in
        // Deleting requires no authentication (rule items.delete.free).
        var use = AuthenticationUse.unsaid
        let request = try ItemRequest(.delete, dictionary: query, use: &use)
        try use.checkContext()
        try use.takeOnlyKeychain()
        return try NamedKeychainSession.connection(to: use.keychain).send(request).notice
    }
}

private func requirePointer(
    _ result: UnsafeMutablePointer<CFTypeRef?>?, for request: ItemRequest
) throws(Refusal) {
    guard unsafe result == nil, !request.returns.isEmpty else { return }
    throw Refusal(
        .param, .contradiction, "r_", "The dictionary asks for something to be returned, but there is no place for it.",
        do: "Give a result pointer, or leave the kSecReturn keys out.")
}
