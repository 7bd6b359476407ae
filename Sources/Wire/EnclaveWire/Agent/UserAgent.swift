package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The enclave's access to the user: a process of its own that the enclave starts (`keychain-agent`), or a substitute
/// in tests.
///
/// It asks and reports; the enclave judges the answers. Questions come one at a time.
package protocol UserAgent: Sendable {
    /// The device's biometry. The state is never ``BiometryStatus/State/lockedOut``: the enclave counts misses itself.
    func biometry() throws(Refusal) -> BiometryStatus

    /// Asks the user and waits for the answer.
    ///
    /// - Throws: `errSecNotAvailable` when the agent has gone.
    func ask(_ question: UserQuestion, by deadline: Deadline) throws(Refusal) -> UserAnswer

    /// Ends the question that is open for the context, if one is: it is answered with ``UserAnswer/withdrawn``.
    func withdraw(_ context: AuthenticationContext)

    /// The prompt methods that it has found, for people to read; nil when it cannot say.
    func found() -> AgentReport?
}

extension UserAgent {
    package func found() -> AgentReport? { nil }
}

/// One question to the user.
package struct UserQuestion: Sendable, Hashable {
    package enum Kind: UInt8, Sendable {
        /// A finger on the sensor: ``UserAnswer/matched``, or ``UserAnswer/noMatch`` after one try.
        case finger = 1
        /// The keychain's passcode: ``UserAnswer/secret(_:)``.
        case passcode = 2
        /// The application password of an item: ``UserAnswer/secret(_:)``.
        case applicationPassword = 3
        /// The same for an item that is being made: entered twice.
        case newApplicationPassword = 4
        /// The password of the user's login, which the agent has PAM verify: ``UserAnswer/matched``,
        /// ``UserAnswer/noMatch``.
        case loginPassword = 5
        /// As ``passcode``; the keychain is unlocked with it.
        case unlocking = 6
        /// The digits of a pairing, shown until the user has entered them on another machine: ``UserAnswer/seen``.
        case shownDigits = 7
        /// The digits that another machine shows: ``UserAnswer/secret(_:)``.
        case digits = 8
        /// The code of a circle's recovery key, shown once: ``UserAnswer/seen``.
        case shownCode = 9
        /// Asks for that code: ``UserAnswer/secret(_:)``.
        case code = 10
    }

    /// A change of the circle of machines that the user is asked to allow, in the enclave's words.
    package struct Change: Sendable, Hashable {
        package enum Kind: UInt8, Sendable {
            case begins = 1
            case joins = 2
            case addsMachine = 3
            case removesMachine = 4
            case leaves = 5
            case makesRecoveryKey = 6
            case recovers = 7
            case resets = 8
        }

        package let kind: Kind
        /// The machine's name; empty where there is none. Of a recovery, the day of the circle's newest change.
        package let name: String
        /// The first digits of the identifier of the circle or of the machine.
        package let fingerprint: String
        /// The machines that go with it, or that read along; the recovery keys that are replaced.
        package let others: String

        package init(_ kind: Kind, name: String = "", fingerprint: String = "", others: String = "") {
            (self.kind, self.name, self.fingerprint, self.others) = (kind, name, fingerprint, others)
        }
    }

    package var kind: Kind
    package var context: AuthenticationContext
    package var prompt: Prompt
    /// How often the user has failed at this kind of question in this conversation.
    package var failures: UInt32 = 0
    /// Seconds until a passcode is accepted again; 0 for at once.
    package var wait: UInt32 = 0
    /// Whether the passcode may be given in place of a finger.
    package var allowsFallback = false
    /// The change of the circle that the passcode is asked for, where it is for one.
    package var change: Change?
    /// The digits or the code to show. Digits stand on the screen for as long as they are good for anything.
    package var digits = ""

    package init(_ kind: Kind, _ context: AuthenticationContext, _ prompt: Prompt) {
        (self.kind, self.context, self.prompt) = (kind, context, prompt)
    }
}

/// The answer to a question.
package enum UserAnswer: Sendable {
    case matched
    case noMatch
    case secret(SecretBytes)
    /// The user wants to give the passcode instead.
    case fallback
    /// The user has closed what was shown.
    case seen
    case cancelled
    /// The program, or the system, has ended the question.
    case withdrawn
    /// There is no terminal, display or sensor to ask with, or the prompt may not use it.
    case unreachable
    case timedOut
}

/// Events of the user's session that the agent reports by itself.
package enum SessionEvent: UInt8, Sendable, CaseIterable {
    case locked = 1
    case unlocked = 2
    case goingToSleep = 3
    case awake = 4
    /// The last session has ended, a desktop was among them, and the user's programs do not go on without one.
    case ended = 5
}
