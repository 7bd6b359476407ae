/// Calls a function of `Security` and throws what it reports.
func calling<Value>(_ function: (UnsafeMutablePointer<Unmanaged<CFError>?>) -> Value?) throws -> Value {
    var error: Unmanaged<CFError>?
    if let value = unsafe function(&error) { return value }
    throw unsafe error?.takeRetainedValue() ?? NSError(status: errSecInternalError)
}

extension NSError {
    /// An error of `Security` with the sentence for its status.
    convenience init(status: OSStatus) {
        let text = SecCopyErrorMessageString(status, nil) as String?
        self.init(
            domain: NSOSStatusErrorDomain, code: Int(status), userInfo: text.map { [NSLocalizedDescriptionKey: $0] })
    }
}

/// Runs what blocks on a thread of the module's own and reports what comes of it.
func inBackground<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value, _ done: @escaping @Sendable (Result<Value, any Error>) -> Void
) {
    KeychainTask().run { done(Result(catching: body)) }
}

extension Result where Failure == any Error {
    /// The two halves of which a completion handler gets one.
    var halves: (value: Success?, error: (any Error)?) {
        switch self {
        case .success(let value): (value, nil)
        case .failure(let error): (nil, error)
        }
    }
}
