internal import KeychainClient
internal import Security

/// Work on threads of the module, for the keychain of the caller's task.
///
/// A dispatch queue has no task-local values, so this type carries them over. Calls of `Security` in a reply go to the
/// same keychain as those around the evaluation.
struct KeychainTask: Sendable {
    private let scoped = KeychainSession.scoped

    /// Grows when some of its threads wait for the user.
    private static let queue = DispatchQueue(label: "LocalAuthentication", attributes: .concurrent)

    /// Runs the body later, on another thread.
    func run(_ body: @escaping @Sendable () -> Void) {
        Self.queue.async { KeychainSession.scoped(to: scoped, body) }
    }

    /// Runs the body after a delay.
    func run(afterMilliseconds delay: Int, _ body: @escaping @Sendable () -> Void) {
        Self.queue.asyncAfter(deadline: .now() + .milliseconds(delay)) {
            KeychainSession.scoped(to: scoped, body)
        }
    }
}

/// Awaits the report of a function with a completion handler.
func awaiting<Value: Sendable>(
    _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in start { continuation.resume(with: $0) } }
}
