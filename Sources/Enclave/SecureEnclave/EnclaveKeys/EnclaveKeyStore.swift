package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// Where the enclave's own P-256 keys are made and used: in its process, or in a TPM.
///
/// The enclave keeps nothing between calls: it seals what ``makeKey()`` gives under a class key and hands it back for
/// every use. Implementations are thread-safe; the enclave calls without holding a lock of its own, as an operation may
/// take long.
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

    /// Forgets what is loaded for keys in use; the device is locked.
    func forgetLoadedKeys()

    /// Lets the chip say of a key that it was made in it and cannot leave.
    ///
    /// - Parameter nonce: what the verifier has chosen.
    /// - Throws: `errSecNotAvailable` where there is no chip that could.
    func attest(_ privatePart: Span<UInt8>, nonce: [UInt8]) throws(Refusal) -> KeyAttestation
}

extension EnclaveKeyStore {
    package func forgetLoadedKeys() {}

    package func attest(_ privatePart: Span<UInt8>, nonce: [UInt8]) throws(Refusal) -> KeyAttestation {
        throw .notAttestable
    }
}
