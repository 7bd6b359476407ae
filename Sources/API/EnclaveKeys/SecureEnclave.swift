public import Security

/// Keys that are made inside the Secure Enclave and never leave it, in the shape that Swift programs know from
/// CryptoKit.
///
/// ```swift
/// let key = try await SecureEnclave.P256.Signing.PrivateKey()
/// let signature = try await key.signature(for: challenge)
/// try save(key.dataRepresentation)
/// ```
///
/// Everything that uses a private key talks to the keychain and may take as long as the enclave does, with a TPM some
/// hundred milliseconds. From asynchronous code these calls are awaited and block no thread of the caller's; from
/// synchronous code the same names block, as in CryptoKit.
public enum SecureEnclave {
    /// Keys on the curve NIST P-256, the only one enclaves have (semantics F.5).
    public enum P256 {}

    /// Whether there is an enclave: one of software or a TPM is wherever the keychain can be reached.
    public static var isAvailable: Bool { (try? KeychainState.current) != nil }
}

extension SecureEnclave.P256 {
    /// Signing with ECDSA over SHA-256.
    public enum Signing {}

    /// Agreeing on a shared secret with ECDH.
    public enum KeyAgreement {}
}

/// Why a key could not be made, read or used.
public struct EnclaveKeyError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The status a `SecKey` function would have given, such as `errSecInteractionNotAllowed` for a key that is locked
    /// now.
    public let status: OSStatus
    /// What is wrong, and what to do.
    public let description: String

    init(status: OSStatus, description: String) {
        self.status = status
        self.description = description
    }

    static func malformed(_ what: String, expected: String) -> EnclaveKeyError {
        EnclaveKeyError(status: errSecParam, description: "This is not \(what). \(expected)")
    }
}
