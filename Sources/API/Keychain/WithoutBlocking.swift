internal import Security

/// Runs calls that may wait for the disk or the user on a thread that may block. The task is suspended meanwhile, and
/// the main actor is free.
///
///     let token = try await withoutBlocking { () throws(KeychainError) in
///         try settings.value(String.self, for: "token")
///     }
///
/// - Parameter body: calls of this module.
/// - Throws: the error of `body`.
public func withoutBlocking<Result: Sendable>(
    _ body: @Sendable () throws(KeychainError) -> Result
) async throws(KeychainError) -> Result {
    try await awaiting(body)
}
