import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem

/// Where prompts wait for each other: one is open at a time, in the order in which they came.
///
/// A request that waits behind an equal one is served by it. No lock is held while the user is asked.
final class PromptQueue: Sendable {
    /// The properties that make two requests equal.
    struct Subject: Hashable, Sendable {
        let context: AuthenticationContext
        let purpose: AuthenticationTask.Purpose
    }

    /// The result of waiting.
    enum Admission {
        /// The user is to be asked; ``PromptQueue/leave(_:)`` must follow.
        case asks
        case served(AuthenticationResult)
        case withdrawn
    }

    fileprivate struct Turn {
        let number: UInt64
        let subject: Subject
        var result: AuthenticationResult?
        var isWithdrawn = false
    }

    /// In the order in which they came. The first that is neither served nor withdrawn has the user, once it is
    /// admitted.
    fileprivate struct Turns {
        var all: [Turn] = []
        var next: UInt64 = 0
        var open: UInt64?
    }

    private let turns = Monitor(Turns())

    /// How often an open prompt is withdrawn again that may just have been about to open, and for how long each is
    /// waited for, in milliseconds.
    private static let (withdrawals, timeout) = (10, 20)

    // MARK: - Asking

    /// Joins the queue, and waits for the result.
    ///
    /// - Throws: `errSecNotAvailable` (`keychain.deadline`).
    func enter(_ subject: Subject, by deadline: Deadline) throws(Refusal) -> (number: UInt64, admission: Admission) {
        let number = turns.update { turns in
            turns.next += 1
            turns.all.append(Turn(number: turns.next, subject: subject))
            return turns.next
        }
        guard let admission = turns.wait(deadline: deadline, { $0.admission(of: number) }) else {
            leave(number)
            throw .unansweredInTime
        }
        if case .asks = admission {} else { leave(number) }
        return (number, admission)
    }

    /// Whether the open prompt is to be ended.
    func isWithdrawn(_ number: UInt64) -> Bool {
        turns.update { turns in turns.all.first { $0.number == number }?.isWithdrawn ?? true }
    }

    /// Gives a result to all equal requests. `keep` gets their number before any of them returns.
    ///
    /// - Throws: `errSecAuthFailed` (`state.withdrawn`) when the prompt was withdrawn; nothing is kept then.
    func serve(_ number: UInt64, _ result: AuthenticationResult, keep: (Int) -> Void) throws(Refusal) {
        try turns.update { (turns) throws(Refusal) in
            guard let own = turns.all.first(where: { $0.number == number }), !own.isWithdrawn else { throw .withdrawn }
            let equal = turns.all.indices.filter {
                turns.all[$0].subject == own.subject && turns.all[$0].number != number && !turns.all[$0].isWithdrawn
            }
            keep(1 + equal.count)
            for index in equal { turns.all[index].result = result }
        }
    }

    func leave(_ number: UInt64) {
        turns.update { turns in
            turns.all.removeAll { $0.number == number }
            if turns.open == number { turns.open = nil }
        }
    }

    /// How many requests wait, with the one that has the user.
    var length: Int { turns.update { $0.all.count } }

    // MARK: - Withdrawing

    /// Withdraws the requests of a context, or all. The agent is told to end the open question.
    func withdraw(_ context: AuthenticationContext? = nil, from agent: (any UserAgent)?) {
        for _ in 0..<Self.withdrawals {
            guard let (number, asked) = turns.update({ $0.withdraw(context) }) else { return }
            agent?.withdraw(asked)
            // A question that was about to open when the agent was told has missed it.
            let hasEnded: Void? = turns.wait(deadline: .after(milliseconds: Self.timeout)) {
                $0.open == number ? nil : ()
            }
            if hasEnded != nil { return }
        }
    }
}

extension PromptQueue.Turns {
    fileprivate mutating func admission(of number: UInt64) -> PromptQueue.Admission? {
        guard let turn = all.first(where: { $0.number == number }), !turn.isWithdrawn else { return .withdrawn }
        if let result = turn.result { return .served(result) }
        guard open == nil, all.first(where: { $0.result == nil && !$0.isWithdrawn })?.number == number else {
            return nil
        }
        open = number
        return .asks
    }

    /// Marks the withdrawn requests, and returns the open ones among them.
    fileprivate mutating func withdraw(
        _ context: AuthenticationContext?
    ) -> (number: UInt64, context: AuthenticationContext)? {
        var found: (UInt64, AuthenticationContext)?
        for index in all.indices where context == nil || all[index].subject.context == context {
            all[index].isWithdrawn = true
            if all[index].number == open { found = (all[index].number, all[index].subject.context) }
        }
        return found
    }
}
