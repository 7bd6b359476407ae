package import KeychainModel

extension Refusal {
    /// The refusal as the functions with an error parameter report it: the status, and a description of the form that
    /// Apple's errors have, with what is wrong and what to do in it.
    package var asCFError: CFError {
        let error = SecItemError(self)
        var information = error.errorUserInfo
        information[NSLocalizedDescriptionKey] =
            "The operation couldn’t be completed. (OSStatus error \(error.status) - \(problem) \(remedy))"
        return NSError(domain: SecItemError.errorDomain, code: error.errorCode, userInfo: information)
    }
}

/// Runs a function with an error parameter: nil with the error when it is refused.
func explaining<Result>(
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?, _ body: () throws(Refusal) -> Result
) -> Result? {
    do throws(Refusal) { return try body() } catch let refusal {
        unsafe error?.pointee = .passRetained(refusal.asCFError)
        return nil
    }
}
