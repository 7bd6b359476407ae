package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// Where the enclave's own P-256 keys are made and used: in its process, or in a TPM.
///
/// The enclave keeps nothing between calls. It seals the result of ``makeKey()`` under a class key and returns it for
/// every use. Implementations are thread-safe. The enclave holds no lock of its own during a call, because an operation
/// may take long.
package protocol EnclaveKeyStore: Sendable {
    /// The store that a sealed key names in its head.
    var backend: SealedKey.Backend { get }

    /// Makes a key.
    ///
    /// - Returns: what the store needs to use the key again, at most ``KeyLimits/privateKeyBytes`` less 28 bytes, and
    ///   the public half, `04 ‖ X ‖ Y`.
    func makeKey() throws(Refusal) -> (privatePart: SecretBytes, publicKey: [UInt8])

    /// Signs a digest of any of the usual lengths, which is cut to the order's as ECDSA does it (FIPS 186-5).
    ///
    /// - Returns: `r ‖ s`, 64 bytes.
    func sign(digest: Span<UInt8>, with privatePart: Span<UInt8>) throws(Refusal) -> [UInt8]

    /// Multiplies a point of the curve with the key.
    ///
    /// - Parameter point: `04 ‖ X ‖ Y`, as the peer gave it; a point off the curve is refused (`errSecParam`).
    /// - Returns: the X coordinate of the product, 32 bytes.
    func agree(with point: Span<UInt8>, using privatePart: Span<UInt8>) throws(Refusal) -> SecretBytes

    /// Forgets the objects loaded for keys in use, because the device is locked.
    func forgetLoadedKeys()

    /// Lets the chip say of a key that it was made in it and cannot leave.
    ///
    /// - Parameter nonce: the verifier's choice.
    /// - Throws: `errSecNotAvailable` where there is no chip that could.
    func attest(_ privatePart: Span<UInt8>, nonce: [UInt8]) throws(Refusal) -> KeyAttestation
}

extension EnclaveKeyStore {
    package func forgetLoadedKeys() {}

    package func attest(_ privatePart: Span<UInt8>, nonce: [UInt8]) throws(Refusal) -> KeyAttestation {
        throw .notAttestable
    }
}
