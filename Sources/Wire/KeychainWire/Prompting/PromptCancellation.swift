package import KeychainModel
import LinuxSystem

/// A request that may have the user asked, from its arrival to its answer.
///
/// When its caller goes away the prompt must go too. The thread that notices cancels the prompt, and gets its context
/// to withdraw it.
package final class PromptCancellation: Sendable {
    private struct State {
        var context: AuthenticationContext?
        var isOver = false
    }

    private let state = Lock(State())

    package init() {}

    /// Says in which context the user is about to be asked.
    ///
    /// - Throws: `errSecNotAvailable` when the caller has gone.
    package func begin(in context: AuthenticationContext) throws(Refusal) {
        let isOver = state.withLock { state in
            state.context = context
            return state.isOver
        }
        if isOver { throw .callerGone }
    }

    /// Ends the conversation; gives the context in which the user may be being asked, if one was begun.
    package func end() -> AuthenticationContext? {
        state.withLock { state in
            state.isOver = true
            return state.context
        }
    }
}

extension Refusal {
    fileprivate static let callerGone = Refusal(
        .notAvailable, .withdrawn, "program", "The program that asked has gone.", do: "Ask again.")
}
