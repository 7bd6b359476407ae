public import Security

/// Adds an item, on a thread that may block.
///
/// The task is suspended, and its thread serves others while the disk, another program's lock or the user delays the
/// call. Cancelling the task does not undo a request that was sent. To end a prompt, invalidate the `LAContext` of the
/// call.
///
/// - Parameter attributes: as for `SecItemAdd(_:_:)`.
/// - Returns: the objects of the return keys; nil without return keys.
/// - Throws: `SecItemError` with the status that the function would have returned.
@discardableResult
nonisolated(nonsending) public func SecItemAdd(_ attributes: CFDictionary) async throws(SecItemError) -> CFTypeRef? {
    try await calling(attributes) { unsafe SecItemAdd($0, &$1) }
}

/// Finds items, on a thread that may block.
///
/// - Parameter query: as for `SecItemCopyMatching(_:_:)`.
/// - Returns: the objects of the return keys; nil without return keys.
/// - Throws: `SecItemError` with the status that the function would have returned, `errSecItemNotFound` among them.
nonisolated(nonsending) public func SecItemCopyMatching(_ query: CFDictionary) async throws(SecItemError) -> CFTypeRef?
{
    try await calling(query) { unsafe SecItemCopyMatching($0, &$1) }
}

/// Changes all items that a query finds, on a thread that may block.
///
/// The labels distinguish it from `SecItemUpdate(_:_:)`: an overload without them would replace that function in every
/// `async` function.
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

/// Deletes all items that a query finds, on a thread that may block.
///
/// - Parameter query: as for `SecItemDelete(_:)`.
/// - Throws: `SecItemError` with the status that the function would have returned.
nonisolated(nonsending) public func SecItemDelete(matching query: CFDictionary) async throws(SecItemError) {
    _ = try await calling(query) { query, _ in SecItemDelete(query) }
}

/// Calls a function on a thread that may block, and makes an error of its status.
nonisolated(nonsending) private func calling(
    _ dictionary: CFDictionary, _ function: @Sendable (CFDictionary, inout CFTypeRef?) -> OSStatus
) async throws(SecItemError) -> CFTypeRef? {
    let dictionary = Transferred(content: copy(dictionary))
    return try await awaiting { () throws(SecItemError) in
        var result: CFTypeRef?
        let status = function(dictionary.content, &result)
        // The explanation is only available on this thread.
        guard status == errSecSuccess else { throw .last(status) }
        return Transferred(content: result)
    }.content
}

/// A copy: the caller may change the original during the call.
private func copy(_ dictionary: CFDictionary) -> CFDictionary { dictionary.copy() as? CFDictionary ?? dictionary }

/// A value that one thread uses after another, never two at once.
private struct Transferred<Content>: @unchecked Sendable {
    let content: Content
}
