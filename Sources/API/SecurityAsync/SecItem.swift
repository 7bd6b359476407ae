public import Security

/// Adds an item, on a thread that may wait.
///
/// The task waits, its thread does not: the disk, another program's lock or a person with a finger in the air hold up
/// nobody else. Cancelling the task does not undo what was sent; to end a prompt, invalidate the `LAContext` of the
/// call.
///
/// - Parameter attributes: as for `SecItemAdd(_:_:)`.
/// - Returns: what the return keys ask for; nil when none is set.
/// - Throws: `SecItemError` with the status that the function would have returned.
@discardableResult
nonisolated(nonsending) public func SecItemAdd(_ attributes: CFDictionary) async throws(SecItemError) -> CFTypeRef? {
    try await calling(attributes) { unsafe SecItemAdd($0, &$1) }
}

/// Finds items, on a thread that may wait.
///
/// - Parameter query: as for `SecItemCopyMatching(_:_:)`.
/// - Returns: what the return keys ask for; nil when none is set.
/// - Throws: `SecItemError` with the status that the function would have returned, `errSecItemNotFound` among them.
nonisolated(nonsending) public func SecItemCopyMatching(_ query: CFDictionary) async throws(SecItemError) -> CFTypeRef?
{
    try await calling(query) { unsafe SecItemCopyMatching($0, &$1) }
}

/// Changes all items a query finds, on a thread that may wait.
///
/// The labels keep it apart from `SecItemUpdate(_:_:)`: an overload without them would take its place in every `async`
/// function.
///
/// - Parameters:
///   - query: as for `SecItemUpdate(_:_:)`.
///   - changes: its second dictionary.
/// - Throws: `SecItemError` with the status that the function would have returned.
nonisolated(nonsending) public func SecItemUpdate(
    matching query: CFDictionary, to changes: CFDictionary
) async throws(SecItemError) {
    let changes = Transferred(content: copy(changes))
    _ = try await calling(query) { query, _ in SecItemUpdate(query, changes.content) }
}

/// Deletes all items a query finds, on a thread that may wait.
///
/// - Parameter query: as for `SecItemDelete(_:)`.
/// - Throws: `SecItemError` with the status that the function would have returned.
nonisolated(nonsending) public func SecItemDelete(matching query: CFDictionary) async throws(SecItemError) {
    _ = try await calling(query) { query, _ in SecItemDelete(query) }
}

/// Calls a function on a thread that may wait, and makes an error of its status.
nonisolated(nonsending) private func calling(
    _ dictionary: CFDictionary, _ function: @Sendable (CFDictionary, inout CFTypeRef?) -> OSStatus
) async throws(SecItemError) -> CFTypeRef? {
    let dictionary = Transferred(content: copy(dictionary))
    return try await awaiting { () throws(SecItemError) in
        var result: CFTypeRef?
        let status = function(dictionary.content, &result)
        // On this thread and no other the explanation is to be had.
        guard status == errSecSuccess else { throw .last(status) }
        return Transferred(content: result)
    }.content
}

/// The caller's own may change while it waits.
private func copy(_ dictionary: CFDictionary) -> CFDictionary { dictionary.copy() as? CFDictionary ?? dictionary }

/// What is used by one thread after the other.
private struct Transferred<Content>: @unchecked Sendable {
    let content: Content
}
