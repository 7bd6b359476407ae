internal import Security

/// Does what may wait for the disk or for the user on a thread that may wait, while the task, and with it the main
/// actor, goes on with others.
///
///     let token = try await withoutBlocking { () throws(KeychainError) in try settings.value(String.self, for: "token") }
///
/// - Parameter body: calls of this module.
/// - Throws: what `body` throws.
public func withoutBlocking<Result: Sendable>(
    _ body: @Sendable () throws(KeychainError) -> Result
) async throws(KeychainError) -> Result {
    try await awaiting(body)
}
