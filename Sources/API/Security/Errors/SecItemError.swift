package import KeychainModel
internal import Synchronization

/// Why the last call of a `SecItem` function on this thread was refused, in words and in parts a program can look at.
///
/// An extension to Apple's API, whose functions return a number only. It never contains a value of an item.
public struct SecItemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The status the function returned; `errSecSuccess` for a notice that came with a success.
    public let status: OSStatus
    /// The rule that spoke, as a stable name such as `query.constant-name-as-key`.
    public let rule: String
    /// What it spoke about: a dictionary key, an attribute, an access group, a state.
    public let subject: String
    /// What is wrong.
    public let problem: String
    /// What to do about it.
    public let remedy: String

    /// Problem and remedy as one text.
    public var description: String { "\(problem) \(remedy) [\(rule), \(status)]" }

    package init(_ refusal: Refusal) {
        status = refusal.status.rawValue
        rule = refusal.rule.rawValue
        subject = refusal.subject
        problem = refusal.problem
        remedy = refusal.remedy
    }
}

extension SecItemError: CustomNSError, LocalizedError {
    /// The domain of all `OSStatus` errors.
    public static var errorDomain: String { NSOSStatusErrorDomain }
    /// The status.
    public var errorCode: Int { Int(status) }
    /// What is wrong and what to do about it.
    public var errorDescription: String? { "\(problem) \(remedy)" }
    /// What is wrong.
    public var failureReason: String? { problem }
    /// What to do about it.
    public var recoverySuggestion: String? { remedy }
    /// Rule and subject under keys of their own, beside the usual descriptions.
    public var errorUserInfo: [String: Any] {
        [
            NSLocalizedDescriptionKey: "\(problem) \(remedy)", NSLocalizedFailureReasonErrorKey: problem,
            NSLocalizedRecoverySuggestionErrorKey: remedy, "SecItemErrorRule": rule, "SecItemErrorSubject": subject,
        ]
    }
}

/// The explanation of the last `SecItem` call on this thread; nil when it had nothing to explain.
///
/// Call it right after the function, on the same thread. A call that succeeded may have left a notice.
public func SecCopyLastItemError() -> SecItemError? {
    (Thread.current.threadDictionary[lastErrorKey] as? ErrorExplanation)?.error
}

private let lastErrorKey = "swift-keychain.last-item-error"

private final class ErrorExplanation: NSObject {
    let error: SecItemError
    init(_ error: SecItemError) { self.error = error }
}

extension SecItemError {
    /// The explanation of a call that has just returned this status on this thread.
    package static func last(_ status: OSStatus) -> SecItemError {
        if let error = SecCopyLastItemError(), error.status == status { return error }
        let text = SecCopyErrorMessageString(status, nil) as String? ?? "The status is \(status)."
        return SecItemError(
            Refusal(KeychainStatus(rawValue: status), .internalError, "status", text, do: "Look the status up."))
    }
}

/// Runs an item function, keeps its explanation for the thread and gives the status.
///
/// The thread's dictionary is touched only when there is, or may have been, something to say.
package func reporting(_ body: () throws(Refusal) -> Refusal?) -> OSStatus {
    do throws(Refusal) {
        note(try body())
        return errSecSuccess
    } catch {
        note(error)
        return error.status.rawValue
    }
}

private let anythingWasEverSaid = Atomic<Bool>(false)

private func note(_ refusal: Refusal?) {
    if refusal == nil, !anythingWasEverSaid.load(ordering: .relaxed) { return }
    anythingWasEverSaid.store(true, ordering: .relaxed)
    Thread.current.threadDictionary[lastErrorKey] = refusal.map { ErrorExplanation(SecItemError($0)) }
}
