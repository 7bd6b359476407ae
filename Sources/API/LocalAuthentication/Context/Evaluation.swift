internal import KeychainModel
internal import KeychainWire
private import LinuxSystem
internal import Security

/// One evaluation of a context, and the program that waits for its outcome.
///
/// The invariant: the program gets one reply. It comes from the keychain or from the end of the context, whichever is
/// first.
final class Evaluation: Sendable {
    typealias Reply = @Sendable (Bool, (any Error)?) -> Void

    let subject: Subject
    /// The reason, which the user reads.
    let reason: String
    private let reply: Lock<Reply?>

    init(_ subject: Subject, reason: String, reply: @escaping Reply) {
        self.subject = subject
        self.reason = reason
        self.reply = Lock(reply)
    }

    /// Replies to the program, unless it has its reply.
    func end(_ failure: LAError?) {
        let reply = reply.withLock { reply in
            defer { reply = nil }
            return reply
        }
        reply?(failure == nil, failure)
    }

    /// The subject of an evaluation.
    enum Subject: Sendable {
        case policy(LAPolicy)
        case control(flags: UInt64, GuardedOperation)

        /// The subject as the keychain knows it.
        var purpose: AuthenticationPurpose {
            switch self {
            case .policy(let policy): .policy(UInt8(policy.rawValue))
            case .control(let flags, let operation): .control(flags: flags, operation)
            }
        }

        /// An application password belongs to the subject.
        var needsPassword: Bool {
            guard case .control(let flags, _) = self else { return false }
            return AccessConstraint(flags: flags).needsPassword
        }
    }
}

extension LAAccessControlOperation {
    /// The operation as the keychain knows it: by the same number.
    var guarded: GuardedOperation {
        switch self {
        case .createItem: .createItem
        case .useItem: .useItem
        case .createKey: .createKey
        case .useKeySign: .useKeySign
        case .useKeyDecrypt: .useKeyDecrypt
        case .useKeyKeyExchange: .useKeyKeyExchange
        }
    }
}
