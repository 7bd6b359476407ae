internal import KeychainClient
internal import KeychainModel
internal import KeychainWire

/// An item of an answer, and the settings for prompts that its request had.
struct SessionItem {
    let item: ItemResponse.Item
    let use: AuthenticationUse
}

/// Items for the functions of keys and identities, which stand below `SecItem`. Each call leaves its explanation for
/// ``SecCopyLastItemError()``.
extension KeychainSession {
    /// Adds the item that a dictionary describes.
    ///
    /// - Returns: the item as the return keys ask for it; nil when the dictionary has none of them.
    /// - Throws: as `SecItemAdd`.
    static func add(_ attributes: NSDictionary) throws(Refusal) -> SessionItem? {
        try first(.add, attributes)
    }

    /// Finds the first item that matches a query; nil when the query has no return keys.
    ///
    /// - Throws: as `SecItemCopyMatching`.
    static func find(_ query: NSDictionary) throws(Refusal) -> SessionItem? {
        try first(.copyMatching, query)
    }

    /// Deletes all items that match a query.
    ///
    /// - Throws: as `SecItemDelete`.
    static func delete(_ query: NSDictionary) throws(Refusal) {
        _ = try first(.delete, query)
    }

    private static func first(
        _ operation: ItemRequest.Operation, _ dictionary: NSDictionary
    ) throws(Refusal) -> SessionItem? {
        try noting { () throws(Refusal) in
            var use = AuthenticationUse.unsaid
            let request = try ItemRequest(operation, dictionary: dictionary, use: &use)
            return try inFirst(use) { (session, use) throws(Refusal) in
                let response = try operation == .copyMatching ? session.sendAll(request) : session.send(request)
                return (response.items.first.map { SessionItem(item: $0, use: use) }, response.notice)
            }
        }
    }
}
