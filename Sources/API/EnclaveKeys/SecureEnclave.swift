public import Security

/// Keys that are made inside the Secure Enclave and never leave it. The types have the shape of CryptoKit's.
///
/// ```swift
/// let key = try await SecureEnclave.P256.Signing.PrivateKey()
/// let signature = try await key.signature(for: challenge)
/// try save(key.dataRepresentation)
/// ```
///
/// An operation of a private key is a request to the keychain. It takes as long as the enclave does, with a TPM some
/// hundred milliseconds. In asynchronous code these calls are awaited and block no thread of the caller. In synchronous
/// code the same names block, as in CryptoKit.
///
/// Source: Apple, CryptoKit's `SecureEnclave`.
public enum SecureEnclave {
    /// Keys on the curve NIST P-256, the only one enclaves have.
    public enum P256 {}

    /// Whether there is an enclave, in software or a TPM. There is one wherever the keychain can be reached.
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
    /// The status that a `SecKey` function would return, such as `errSecInteractionNotAllowed` for a locked key.
    public let status: OSStatus
    /// The problem and its remedy.
    public let description: String

    init(status: OSStatus, description: String) {
        self.status = status
        self.description = description
    }

    static func malformed(_ what: String, expected: String) -> EnclaveKeyError {
        EnclaveKeyError(status: errSecParam, description: "This is not \(what). \(expected)")
    }
}
