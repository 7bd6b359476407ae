import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem

/// The enclave's state about its user: the agent, the grants, and the failed attempts.
final class UserAccess: Sendable {
    /// After so many fingers in a row that did not match, the passcode is required (rule
    /// authentication.policy.lockout).
    static let mostMisses: UInt32 = 5

    let agent: (any UserAgent)?
    /// The password of the user's login counts as the passcode while none is set.
    let acceptsLoginPassword: Bool
    let queue = PromptQueue()
    let grants = Lock(Grants())
    let passwords = Lock(ContextPasswords())
    private let misses = Lock<UInt32>(0)

    init(_ agent: (any UserAgent)?, acceptsLoginPassword: Bool) {
        self.agent = agent
        self.acceptsLoginPassword = acceptsLoginPassword && agent != nil
    }

    /// The biometry with its lockout. Without an agent there is none.
    var biometry: BiometryStatus {
        guard let agent, var status = try? agent.biometry() else { return .none }
        if status.state == .ready, isLockedOut { status.state = .lockedOut }
        return status
    }

    // MARK: - Misses

    private var isLockedOut: Bool { misses.withLock { $0 >= Self.mostMisses } }

    /// Counts a finger that did not match. True when no further finger is accepted.
    func missFinger() -> Bool {
        misses.withLock { misses in
            misses = min(misses + 1, Self.mostMisses)
            return misses == Self.mostMisses
        }
    }

    /// A finger has matched, or the passcode was right.
    func forgetMisses() { misses.withLock { $0 = 0 } }

    // MARK: - Forgetting

    /// Ends the context's prompts and forgets its grants.
    func forget(_ context: AuthenticationContext) {
        queue.withdraw(context, from: agent)
        grants.withLock { $0.forget(context) }
        passwords.withLock { $0.forget(context) }
    }

    /// The device is locked.
    func forgetAll() {
        grants.withLock { $0.forgetAll() }
        passwords.withLock { $0.forgetAll() }
        queue.withdraw(from: agent)
    }
}
