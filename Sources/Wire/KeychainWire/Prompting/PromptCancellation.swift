package import KeychainModel
package import LinuxSystem

/// A request that may have the user asked, from its arrival to its answer.
///
/// When its caller goes away the prompt must go too. The thread that notices cancels the prompt, and gets its context
/// to withdraw it.
package final class PromptCancellation: Sendable {
    private struct State {
        var context: AuthenticationContext?
        var isOver = false
        /// Whether the request has its answer, so that nobody is asked any more.
        var isFinished = false
    }

    private let state = Monitor(State())

    package init() {}

    /// Says in which context the user is about to be asked.
    ///
    /// - Throws: `errSecNotAvailable` when the caller has gone.
    package func begin(in context: AuthenticationContext) throws(Refusal) {
        let isOver = state.update { state in
            state.context = context
            return state.isOver
        }
        if isOver { throw .callerGone }
    }

    /// Ends the conversation; gives the context in which the user may be being asked, if one was begun.
    package func end() -> AuthenticationContext? {
        state.update { state in
            state.isOver = true
            return state.isFinished ? nil : state.context
        }
    }

    /// The request has its answer.
    package func finish() { state.update { $0.isFinished = true } }

    /// Waits until nobody is asked, and nobody will be; false when the deadline comes first.
    package func waitForEnd(by deadline: Deadline) -> Bool {
        state.wait(deadline: deadline) { $0.isFinished || $0.context == nil ? true : nil } ?? false
    }
}

extension Refusal {
    fileprivate static let callerGone = Refusal(
        .notAvailable, .withdrawn, "program", "The program that asked has gone.", do: "Ask again.")
}
