internal import KeychainModel

extension Refusal {
    /// The refusal as the functions with an error parameter report it: the status, what is wrong and what to do.
    var asCFError: CFError {
        let error = SecItemError(self)
        return NSError(domain: SecItemError.errorDomain, code: error.errorCode, userInfo: error.errorUserInfo)
    }
}
