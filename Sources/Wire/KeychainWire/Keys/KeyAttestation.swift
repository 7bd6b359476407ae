package import KeychainModel
package import LinuxSystem

/// A TPM's statement about a key and about itself, which openssl alone can verify.
///
///     attestation = key:bytes attestationKey:bytes keyPoint:bytes attestationPoint:bytes
///                   certified:bytes signature:bytes quoted:bytes signature:bytes
///
/// The attestation key is restricted: it signs nothing but statements of the TPM itself. The statement certifies that a
/// key is loaded in the TPM under a name, the digest of its public area. This area says that the key was made there and
/// cannot leave. The public half of the attestation key does not prove that it is a TPM's. A verifier must know that
/// from elsewhere.
package struct KeyAttestation: Equatable, Sendable {
    /// The `TPMT_PUBLIC` of the key, and of the key that attests.
    package var key: [UInt8]
    package var attestationKey: [UInt8]
    /// The points of both, `04 ‖ X ‖ Y`.
    package var keyPoint: [UInt8]
    package var attestationPoint: [UInt8]
    /// About the key (TPM2_Certify).
    package var certification: Statement
    /// About the platform's registers, PCR 0 to 7 (TPM2_Quote).
    package var quote: Statement

    /// The statement that the TPM has put together and signed.
    package struct Statement: Equatable, Sendable {
        /// A `TPMS_ATTEST`.
        package var attest: [UInt8]
        /// `r ‖ s`.
        package var signature: [UInt8]

        package init(attest: [UInt8], signature: [UInt8]) { (self.attest, self.signature) = (attest, signature) }
    }

    /// The most bytes of one part.
    private static let partBytes = 1024
    private static let count = 8

    package init(
        key: [UInt8], attestationKey: [UInt8], keyPoint: [UInt8], attestationPoint: [UInt8], certification: Statement,
        quote: Statement
    ) {
        (self.key, self.attestationKey) = (key, attestationKey)
        (self.keyPoint, self.attestationPoint) = (keyPoint, attestationPoint)
        (self.certification, self.quote) = (certification, quote)
    }

    /// The attestation in its encoded form.
    package var encoded: SecretBytes {
        let buffer = SecretBuffer(capacity: 2048)
        let statements = [certification, quote].flatMap { [$0.attest, $0.signature] }
        for part in [key, attestationKey, keyPoint, attestationPoint] + statements { buffer.append(bytes: part.span) }
        return buffer.finish()
    }

    /// Reads what a peer wrote.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) for anything that is not exactly an attestation.
    package init(decoding body: SecretBytes) throws(Refusal) {
        var reader = WireReader(body)
        var parts: [[UInt8]] = []
        for _ in 0..<Self.count { parts.append(try reader.bytes(atMost: Self.partBytes)) }
        guard reader.isAtEnd, parts[2].count == 65, parts[3].count == 65, parts[5].count == 64, parts[7].count == 64
        else { throw .malformed("the attestation") }
        self.init(
            key: parts[0], attestationKey: parts[1], keyPoint: parts[2], attestationPoint: parts[3],
            certification: Statement(attest: parts[4], signature: parts[5]),
            quote: Statement(attest: parts[6], signature: parts[7]))
    }
}

extension KeyUse {
    /// Not an algorithm of Apple's: the TPM attests the key. The input is the verifier's nonce, 1 to 32 bytes; the
    /// output is a ``KeyAttestation``.
    package static let attestation = "keychain:attest:TPM2"
}
