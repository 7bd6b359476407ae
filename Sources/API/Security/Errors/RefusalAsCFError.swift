package import KeychainModel

extension Refusal {
    /// The refusal as the functions with an error parameter report it: the status, what is wrong and what to do.
    package var asCFError: CFError {
        let error = SecItemError(self)
        return NSError(domain: SecItemError.errorDomain, code: error.errorCode, userInfo: error.errorUserInfo)
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
