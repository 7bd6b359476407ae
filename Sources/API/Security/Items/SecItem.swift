internal import KeychainClient
internal import KeychainModel
internal import KeychainWire

/// Adds an item.
///
/// - Parameters:
///   - attributes: class, attributes, value and what to return; `kSecClass` must be there.
///   - result: receives what the return keys ask for; may be nil when none is set.
/// - Returns: `errSecSuccess`, or among others `errSecDuplicateItem` when an item with the same primary key exists,
///   `errSecParam` for a malformed dictionary, `errSecNoSuchAttr` for an attribute the class has not,
///   `errSecMissingEntitlement` for an access group the program may not use; for an access control, `errSecAuthFailed` where
///   it asks for what this device has not (no passcode, no finger), `errSecInteractionNotAllowed` when an application password
///   is needed and nobody can be asked for it. ``SecCopyLastItemError()`` tells more.
///
/// Adding an item whose access control asks for the user asks nobody (S-86).
///
/// Source: S-07, semantics B.4.
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

/// Finds items and returns what the return keys ask for of them.
///
/// Blocks until the answer is there; when the user has to be asked, until the user has answered (S-88).
///
/// - Parameters:
///   - query: class, attributes, match and return keys. Without `kSecMatchLimit` one item is returned.
///   - result: receives one object, or an array when the limit is not one; may be nil when no return key is set.
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, `errSecInteractionNotAllowed` for items that are locked now,
///   `errSecParam` and others for a malformed query; for items with an access control `errSecUserCanceled`,
///   `errSecAuthFailed`, and `errSecInteractionNotAllowed` where the user cannot, or may not, be asked.
///   ``SecCopyLastItemError()`` tells more.
///
/// The user is asked once for all items found (semantics B.4, B.6), with the text of `kSecUseOperationPrompt` or the
/// `localizedReason` of the context under `kSecUseAuthenticationContext` (S-36, S-42).
///
/// Source: S-10, S-11, semantics B.3, B.4.
@discardableResult
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus {
    reporting { () throws(Refusal) in
        var (matches, use): (CertificateMatches?, AuthenticationUse) = (nil, .unsaid)
        let request = try ItemRequest(.copyMatching, dictionary: query, use: &use, matches: &matches)
        try unsafe requirePointer(result, for: request)
        let (object, notice) = try KeychainSession.asking(use) { (session) throws(Refusal) in
            try search(session, request, matches, use)
        }
        unsafe result?.pointee = request.returns.isEmpty ? nil : object
        return notice
    }
}

/// Changes all items a query finds; attributes that are not named stay as they are (S-09).
///
/// - Parameters:
///   - query: class and attributes of the items to change; no match or return keys.
///   - attributesToUpdate: the new attributes, and the new value under `kSecValueData`.
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, `errSecDuplicateItem` when a change would give two items the same
///   primary key (then nothing is changed), `errSecNoSuchAttr` for keys that are not attributes; for items with an access
///   control what asking the user can come to, as in `SecItemCopyMatching`.
///
/// Source: semantics B.4.
@discardableResult
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus {
    reporting { () throws(Refusal) in
        var use = AuthenticationUse.unsaid
        let request = try ItemRequest(.update, dictionary: query, changes: attributesToUpdate, use: &use)
        return try KeychainSession.asking(use) { (session) throws(Refusal) in
            try session.send(request).notice
        }
    }
}

/// Deletes all items a query finds (S-08): an incomplete query deletes more than one.
///
/// - Parameter query: class and attributes of the items to delete; no match keys.
/// - Returns: `errSecSuccess`, `errSecItemNotFound`, `errSecParam` for a malformed query.
///
/// Source: semantics B.4.
@discardableResult
public func SecItemDelete(_ query: CFDictionary) -> OSStatus {
    reporting { () throws(Refusal) in
        // Deleting needs nobody (semantics B.4).
        var use = AuthenticationUse.unsaid
        let request = try ItemRequest(.delete, dictionary: query, use: &use)
        try use.checkContext()
        return try KeychainSession.current().send(request).notice
    }
}

/// What a search gives the program: an object, or an array of them when the limit is not one.
private func search(
    _ session: any KeychainConnection, _ request: ItemRequest, _ matches: CertificateMatches?, _ use: AuthenticationUse
) throws(Refusal) -> (object: AnyObject?, notice: Refusal?) {
    guard case .one = request.limit else { return try searchMany(session, request, matches, use) }
    let response =
        if let matches { try FilteredSearch(request, matches, session).run() } else { try session.sendAll(request) }
    return (response.items.first.flatMap { ItemResult(request.returns, $0, use).object }, response.notice)
}

private func searchMany(
    _ session: any KeychainConnection, _ request: ItemRequest, _ matches: CertificateMatches?, _ use: AuthenticationUse
) throws(Refusal) -> (object: AnyObject?, notice: Refusal?) {
    guard let matches else {
        let (objects, notice) = try Enumeration(session, use).objects(of: request)
        return (ItemResult.array(objects), notice)
    }
    let response = try FilteredSearch(request, matches, session).run()
    let objects = response.items.compactMap { ItemResult(request.returns, $0, use).object }
    return (ItemResult.array(objects), response.notice)
}

private func requirePointer(
    _ result: UnsafeMutablePointer<CFTypeRef?>?, for request: ItemRequest
) throws(Refusal) {
    guard unsafe result == nil, !request.returns.isEmpty else { return }
    throw Refusal(
        .param, .contradiction, "r_", "The dictionary asks for something to be returned, but there is no place for it.",
        do: "Give a result pointer, or leave the kSecReturn keys out.")
}
