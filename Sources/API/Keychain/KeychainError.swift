public import Security

/// An error of the keychain or of a value's coding.
public enum KeychainError: Error, Sendable {
    /// The keychain refused: a status of Apple's API with its explanation.
    case refused(SecItemError)
    /// An item's value is not of the expected type.
    ///
    /// - Parameters:
    ///   - account: the account of the value.
    ///   - type: the expected type.
    ///   - reason: the decoder's reason, without the value.
    case undecodable(account: String, type: String, reason: String)
    /// A value of the program that cannot be encoded.
    case unencodable(account: String, type: String, reason: String)

    /// The status: the keychain's, otherwise `errSecDecode` for `undecodable` and `errSecParam` for `unencodable`.
    public var status: OSStatus {
        switch self {
        case .refused(let error): error.status
        case .undecodable: errSecDecode
        case .unencodable: errSecParam
        }
    }
}

extension KeychainError: LocalizedError, CustomStringConvertible {
    /// The problem and its remedy.
    public var description: String {
        switch self {
        case .refused(let error): "\(error)"
        case .undecodable(let account, let type, let reason):
            "The value kept for \"\(account)\" is no \(type): \(reason) "
                + "Read it as the type it was stored as, or remove it."
        case .unencodable(let account, let type, let reason):
            "The \(type) for \"\(account)\" cannot be stored: \(reason) Give it a form that Codable can write."
        }
    }

    /// The problem and its remedy.
    public var errorDescription: String? { description }
}

/// Makes an error of a status, with the explanation of this thread's last call.
func check(_ status: OSStatus) throws(KeychainError) {
    guard status == errSecSuccess else { throw .refused(.last(status)) }
}
