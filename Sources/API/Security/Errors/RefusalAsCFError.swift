internal import KeychainModel

extension Refusal {
    /// The refusal as the functions with an error parameter report it: the status, what is wrong and what to do.
    var asCFError: CFError {
        NSError(
            domain: NSOSStatusErrorDomain, code: Int(status.rawValue),
            userInfo: [
                NSLocalizedDescriptionKey: "\(problem) \(remedy)",
                NSLocalizedFailureReasonErrorKey: problem,
                NSLocalizedRecoverySuggestionErrorKey: remedy,
            ])
    }
}
