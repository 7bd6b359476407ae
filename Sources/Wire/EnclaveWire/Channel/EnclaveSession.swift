package import KeychainModel
package import KeychainWire
import LinuxSystem

/// The enclave's end of one channel: the enclave, and what its daemon has left open.
package struct EnclaveSession: Sendable {
    package let enclave: any EnclaveService
    package let questions = OpenQuestions()
    let terminals = WaitingTerminals()

    package init(_ enclave: any EnclaveService) { self.enclave = enclave }

    func authenticate(_ task: AuthenticationTask, by deadline: Deadline) throws(Refusal) -> AuthenticationResult {
        var task = task
        if task.prompt.surroundings.comesOpened { task.prompt.surroundings.opened = terminals.take(task.context) }
        return try questions.during(task.context) { () throws(Refusal) in
            try enclave.authenticate(task, by: deadline)
        }
    }

    /// Runs `change`, which asks the user.
    func asking<Request, Result>(
        _ asked: AskedChange<Request>, _ change: (CircleQuestion, Deadline) throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        var question = asked.question
        if question.prompt.surroundings.comesOpened {
            question.prompt.surroundings.opened = terminals.take(question.context)
        }
        let timeout = min(asked.milliseconds, EnclaveChannelFormat.longestTimeout)
        return try questions.during(question.context) { () throws(Refusal) in
            try change(question, .after(milliseconds: Int(timeout)))
        }
    }
}

/// The contexts of a daemon's open prompts. When the daemon goes, nobody waits for the answers any more.
package final class OpenQuestions: Sendable {
    private struct State {
        var contexts: [AuthenticationContext] = []
        var isOver = false
    }

    private let state = Lock(State())

    /// Runs `ask` as an open question of the context.
    ///
    /// - Throws: what `ask` throws; `errSecAuthFailed` (`state.withdrawn`) when the daemon has gone.
    func during<Result>(
        _ context: AuthenticationContext, _ ask: () throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        let isOver = state.withLock { state in
            state.contexts.append(context)
            return state.isOver
        }
        defer {
            state.withLock { state in
                if let index = state.contexts.firstIndex(of: context) { state.contexts.remove(at: index) }
            }
        }
        if isOver { throw .withdrawn }
        return try ask()
    }

    /// Calls `withdraw` for every open question, and refuses all later ones.
    package func end(_ withdraw: (AuthenticationContext) -> Void) {
        let contexts = state.withLock { state in
            state.isOver = true
            return state.contexts
        }
        for context in contexts { withdraw(context) }
    }
}

/// Terminals that came through the socket, each until its request comes through a slot.
final class WaitingTerminals: Sendable {
    /// More than there are prompt slots. A daemon that leaves more terminals behind loses them all.
    private static let most = 64

    private let waiting = Lock<[AuthenticationContext: OpenedTerminal]>([:])

    func put(_ terminal: OpenedTerminal, for context: AuthenticationContext) {
        waiting.withLock { waiting in
            if waiting.count >= Self.most { waiting = [:] }
            waiting[context] = terminal
        }
    }

    func take(_ context: AuthenticationContext) -> OpenedTerminal? {
        waiting.withLock { $0.removeValue(forKey: context) }
    }
}

extension Refusal {
    package static let withdrawn = Refusal(
        .authFailed, .withdrawn, "user", "The question was withdrawn before it was answered.",
        do: "Ask again, if the device is unlocked and the context still valid.")
}
