public import Security

/// Why something could not be done with the keychain.
public enum KeychainError: Error, Sendable {
    /// The keychain refused: the status of Apple's API with its explanation.
    case refused(SecItemError)
    /// An item's value is not what the program takes it for.
    ///
    /// - Parameters:
    ///   - account: whose value it is.
    ///   - type: what it was to be.
    ///   - reason: what the decoder said, without the value.
    case undecodable(account: String, type: String, reason: String)
    /// A value of the program's that cannot be written down.
    case unencodable(account: String, type: String, reason: String)

    /// The status: the keychain's, or `errSecDecode` and `errSecParam` for a value of another shape.
    public var status: OSStatus {
        switch self {
        case .refused(let error): error.status
        case .undecodable: errSecDecode
        case .unencodable: errSecParam
        }
    }
}

extension KeychainError: LocalizedError, CustomStringConvertible {
    /// What is wrong and what to do about it.
    public var description: String {
        switch self {
        case .refused(let error): "\(error)"
        case .undecodable(let account, let type, let reason):
            "The value kept for \"\(account)\" is no \(type): \(reason) Read it as the type it was stored as, or remove it."
        case .unencodable(let account, let type, let reason):
            "The \(type) for \"\(account)\" cannot be stored: \(reason) Give it a form that Codable can write."
        }
    }

    /// The same.
    public var errorDescription: String? { description }
}

/// Makes an error of a status; the explanation is that of this thread's last call.
func check(_ status: OSStatus) throws(KeychainError) {
    guard status == errSecSuccess else { throw .refused(.last(status)) }
}
