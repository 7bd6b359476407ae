package import KeychainModel
internal import Synchronization

/// The explanation of the last refused `SecItem` call on this thread, as text and in parts for programs.
///
/// An extension to Apple's API, whose functions return a number only. It never contains a value of an item.
public struct SecItemError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The status that the function returned; `errSecSuccess` for a notice with a success.
    public let status: OSStatus
    /// The rule that refused the call, as a stable name such as `query.constant-name-as-key`.
    public let rule: String
    /// The subject of the rule: a dictionary key, an attribute, an access group, a state.
    public let subject: String
    /// The problem, as a sentence.
    public let problem: String
    /// The remedy, as a sentence.
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
    /// Problem and remedy.
    public var errorDescription: String? { "\(problem) \(remedy)" }
    /// The problem.
    public var failureReason: String? { problem }
    /// The remedy.
    public var recoverySuggestion: String? { remedy }
    /// The usual descriptions, and rule and subject under keys of their own.
    public var errorUserInfo: [String: Any] {
        [
            NSLocalizedDescriptionKey: "\(problem) \(remedy)", NSLocalizedFailureReasonErrorKey: problem,
            NSLocalizedRecoverySuggestionErrorKey: remedy, "SecItemErrorRule": rule, "SecItemErrorSubject": subject,
        ]
    }
}

/// The explanation of the last `SecItem` call on this thread; nil when there is nothing to explain.
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

/// Runs an item function, keeps its explanation for the thread and returns the status.
///
/// The thread's dictionary is touched only when there is, or may have been, an explanation.
package func reporting(_ body: () throws(Refusal) -> Refusal?) -> OSStatus {
    do throws(Refusal) {
        try noting { () throws(Refusal) in ((), try body()) }
        return errSecSuccess
    } catch {
        return error.status.rawValue
    }
}

/// Runs `body` and keeps its notice, or the refusal that it throws, for ``SecCopyLastItemError()`` on this thread.
func noting<Result>(
    _ body: () throws(Refusal) -> (result: Result, notice: Refusal?)
) throws(Refusal) -> Result {
    do throws(Refusal) {
        let (result, notice) = try body()
        note(notice)
        return result
    } catch {
        note(error)
        throw error
    }
}

private let anythingWasEverSaid = Atomic<Bool>(false)

private func note(_ refusal: Refusal?) {
    if refusal == nil, !anythingWasEverSaid.load(ordering: .relaxed) { return }
    anythingWasEverSaid.store(true, ordering: .relaxed)
    Thread.current.threadDictionary[lastErrorKey] = refusal.map { ErrorExplanation(SecItemError($0)) }
}
