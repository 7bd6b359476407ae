/// Calls a function of `Security` and throws its error.
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

/// Runs a blocking function on a thread of the module and reports its outcome.
func inBackground<Value: Sendable>(
    _ body: @escaping @Sendable () throws -> Value, _ done: @escaping @Sendable (Result<Value, any Error>) -> Void
) {
    KeychainTask().run { done(Result(catching: body)) }
}

extension Result where Failure == any Error {
    /// The two values of which a completion handler gets one.
    var halves: (value: Success?, error: (any Error)?) {
        switch self {
        case .success(let value): (value, nil)
        case .failure(let error): (nil, error)
        }
    }
}
