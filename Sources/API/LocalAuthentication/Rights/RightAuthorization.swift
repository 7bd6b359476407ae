private import LinuxSystem

/// The state of a right's authorization, the callers that wait for it, and the context in which the user has
/// authenticated.
///
/// The invariants: the state is *authorizing* exactly while a caller waits. It is *authorized* while a context exists
/// in which the requirement was met. Every waiting caller gets one reply.
final class RightAuthorization: Sendable {
    typealias Completion = @Sendable ((any Error)?) -> Void

    private struct Content {
        var state = LARight.State.unknown
        var context: LAContext?
        var waiting: [Completion] = []
        /// The fingers that were enrolled at the first authorization.
        var enrolment: Data?
    }

    private let content = Lock(Content())

    var state: LARight.State { content.withLock { $0.state } }

    /// The context of a granted right; nil for any other.
    var grantedContext: LAContext? { content.withLock { $0.state == .authorized ? $0.context : nil } }

    /// Begins to authorize.
    ///
    /// - Returns: the context to evaluate; nil when the user is being asked already: that answer serves this caller
    ///   too.
    func begin(_ completion: @escaping Completion) -> LAContext? {
        content.withLock { content in
            content.waiting.append(completion)
            guard content.state != .authorizing else { return nil }
            let context = content.context ?? LAContext()
            context.interactionNotAllowed = false
            (content.state, content.context) = (.authorizing, context)
            return context
        }
    }

    /// Ends an authorization that began with a context, unless the right was given back meanwhile.
    func end(_ context: LAContext, _ error: (any Error)?, of right: LARight) {
        let waiting = change(right) { content -> [Completion] in
            guard content.context === context, content.state == .authorizing else { return [] }
            // From here on the context serves the right's key and secret, which ask for nothing by themselves.
            context.interactionNotAllowed = true
            content.state = error == nil ? .authorized : .notAuthorized
            if error != nil { content.context = nil }
            defer { content.waiting = [] }
            return content.waiting
        }
        for completion in waiting { completion(error) }
    }

    /// Gives the right back and tells the waiting callers.
    func giveBack(_ right: LARight) {
        let (context, waiting) = change(right) { content in
            defer { (content.state, content.context, content.waiting) = (.notAuthorized, nil, []) }
            return (content.context, content.waiting)
        }
        context?.invalidate()
        let task = KeychainTask()
        for completion in waiting { task.run { completion(LAError.cancelledByProgram) } }
    }

    /// Notes that a context no longer proves anything.
    func expire(_ context: LAContext, of right: LARight) {
        change(right) { content in
            guard content.context === context, content.state == .authorized else { return }
            (content.state, content.context) = (.notAuthorized, nil)
        }
    }

    /// Changes the content, and announces the right's new state.
    private func change<Result>(_ right: LARight, _ body: (inout Content) -> Result) -> Result {
        let (result, before, after) = content.withLock { content in
            let before = content.state
            return (body(&content), before, content.state)
        }
        if after != before { right.announce(after) }
        return result
    }

    /// Whether these are the fingers that the first authorization found.
    func knows(_ enrolment: Data?) -> Bool {
        content.withLock { content in
            if content.enrolment == nil { content.enrolment = enrolment }
            return content.enrolment == enrolment
        }
    }
}
