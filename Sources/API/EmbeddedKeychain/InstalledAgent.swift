import EnclaveWire
import KeychainClient
import KeychainModel
import KeychainWire
import LinuxSystem

/// The way to the user of a keychain inside a program: `keychain-agent`, started at the first question where it is
/// installed.
///
/// Without an agent there are no prompts and no biometry. An agent that has ended is started again at the next prompt.
/// A forked child starts an agent of its own and leaves its parent's as it is.
final class InstalledAgent: UserAgent {
    private struct State {
        var connection: AgentConnection?
        /// The process that started the agent.
        var owner: Int32 = 0
    }

    private let state = Lock(State())

    init() {}

    deinit {
        let connection = state.withLock { $0.owner == CurrentProcess.identifier ? nil : $0.connection }
        // Letting it go would close the connection that the parent goes on with.
        if let connection { unsafe _ = Unmanaged.passRetained(connection) }
    }

    func biometry() throws(Refusal) -> BiometryStatus {
        try ask { (agent) throws(Refusal) in try agent.biometry() } ?? .none
    }

    func ask(_ question: UserQuestion, by deadline: Deadline) throws(Refusal) -> UserAnswer {
        try ask { (agent) throws(Refusal) in try agent.ask(question, by: deadline) } ?? .unreachable
    }

    func withdraw(_ context: AuthenticationContext) { state.withLock { $0.connection }?.withdraw(context) }

    /// Asks the agent; nil when there is none.
    private func ask<Answer>(_ body: (AgentConnection) throws(Refusal) -> Answer) throws(Refusal) -> Answer? {
        guard let connection = try ready() else { return nil }
        do throws(Refusal) { return try body(connection) } catch {
            state.withLock { state in if state.connection === connection { state.connection = nil } }
            throw error
        }
    }

    private func ready() throws(Refusal) -> AgentConnection? {
        try state.withLock { (state) throws(Refusal) in
            if let connection = state.connection { return connection }
            guard let program = try Configuration.agentProgram() else { return nil }
            let made = try AgentProcess.start(executable: program, pinentry: try Configuration.loadPinentry()) { _ in }
            (state.connection, state.owner) = (made, CurrentProcess.identifier)
            return made
        }
    }
}
