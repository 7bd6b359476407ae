internal import KeychainClient
internal import Security

/// Work on threads of the module's own, for the keychain that the caller's task talks to.
///
/// A dispatch queue knows nothing of the task that hands it work, so what the task knows is carried over; calls of
/// `Security` in a reply go to the same keychain as those around the evaluation.
struct KeychainTask: Sendable {
    private let scoped = KeychainSession.scoped

    /// Grows when some of its threads wait for the user.
    private static let queue = DispatchQueue(label: "LocalAuthentication", attributes: .concurrent)

    /// Runs the body later, on another thread.
    func run(_ body: @escaping @Sendable () -> Void) {
        Self.queue.async { KeychainSession.scoped(to: scoped, body) }
    }

    /// Runs the body later still.
    func run(afterMilliseconds delay: Int, _ body: @escaping @Sendable () -> Void) {
        Self.queue.asyncAfter(deadline: .now() + .milliseconds(delay)) {
            KeychainSession.scoped(to: scoped, body)
        }
    }
}

/// Awaits what a function with a completion handler reports.
func awaiting<Value: Sendable>(
    _ start: (@escaping @Sendable (Result<Value, any Error>) -> Void) -> Void
) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in start { continuation.resume(with: $0) } }
}
