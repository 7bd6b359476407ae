import CTSS2
package import KeychainModel
package import KeychainWire
import LinuxSystem

extension TPMKeyStore {
    /// The most bytes of a nonce; the TPM takes a digest's.
    fileprivate static let nonceBytes = 32

    /// Lets the TPM certify a key, and quote the platform's registers.
    ///
    /// - Parameter nonce: 1 to 32 bytes of the verifier's choice, so that an old statement cannot be shown again.
    /// - Throws: `errSecParam` for another nonce; `errSecNotAvailable` when there is no TPM, or another one.
    package func attest(_ privatePart: Span<UInt8>, nonce: [UInt8]) throws(Refusal) -> KeyAttestation {
        guard (1...Self.nonceBytes).contains(nonce.count) else { throw .wrongNonce }
        let (auth, object) = try object(of: privatePart)
        return try tpm.run { (connection) throws(TPMFailure) in
            let key = try connection.keep(object, auth: auth)
            let attestor = try connection.loaded(.attestationKey)
            let (attestorArea, attestorPoint) = try connection.publicArea(of: attestor.handle)
            guard let point = try object.unmarshalled().point else { throw .malformed }
            let certification = try Self.authorised { () throws(TPMFailure) in
                try connection.certify(key, by: attestor.handle, nonce)
            }
            return KeyAttestation(
                key: Array(object.publicArea.dropFirst(2)), attestationKey: attestorArea, keyPoint: point,
                attestationPoint: attestorPoint, certification: certification,
                quote: try connection.quote(by: attestor.handle, nonce))
        }
    }
}

extension TPMConnection {
    /// TPM2_ReadPublic.
    ///
    /// - Returns: the `TPMT_PUBLIC`, and its point.
    fileprivate func publicArea(of handle: UInt32) throws(TPMFailure) -> (area: [UInt8], point: [UInt8]) {
        var area: UnsafeMutablePointer<TPM2B_PUBLIC>?
        try run(
            { unsafe Esys_ReadPublic_Async(context, handle, ESYS_TR_NONE, ESYS_TR_NONE, ESYS_TR_NONE) },
            { unsafe Esys_ReadPublic_Finish(context, &area, nil, nil) })
        let read = unsafe try take(area) { $0 }
        guard let point = read.point else { throw .malformed }
        return (Array(try TPMObject(read, []).publicArea.dropFirst(2)), point)
    }

    /// TPM2_Certify: both keys are authorised, each by a session of its own kind.
    fileprivate func certify(
        _ key: UInt32, by attestor: UInt32, _ nonce: [UInt8]
    ) throws(TPMFailure) -> KeyAttestation.Statement {
        let shandle = try session(.both)
        var (data, scheme) = (try TPM2B_DATA(nonce.span), TPMT_SIG_SCHEME())
        scheme.scheme = alg(TPM2_ALG_NULL)
        var (attest, signature): (UnsafeMutablePointer<TPM2B_ATTEST>?, UnsafeMutablePointer<TPMT_SIGNATURE>?)
        try run(
            {
                unsafe Esys_Certify_Async(
                    context, key, attestor, shandle, ESYS_TR_PASSWORD, ESYS_TR_NONE, &data, &scheme)
            }, { unsafe Esys_Certify_Finish(context, &attest, &signature) })
        return unsafe try statement(attest, signature)
    }

    /// TPM2_Quote of PCR 0 to 7 of the SHA-256 bank.
    fileprivate func quote(by attestor: UInt32, _ nonce: [UInt8]) throws(TPMFailure) -> KeyAttestation.Statement {
        let shandle = try session(.both)
        var (data, scheme, registers) = (try TPM2B_DATA(nonce.span), TPMT_SIG_SCHEME(), TPML_PCR_SELECTION())
        scheme.scheme = alg(TPM2_ALG_NULL)
        registers.count = 1
        registers.pcrSelections.0.hash = alg(TPM2_ALG_SHA256)
        registers.pcrSelections.0.sizeofSelect = 3
        registers.pcrSelections.0.pcrSelect.0 = 0xff
        var (attest, signature): (UnsafeMutablePointer<TPM2B_ATTEST>?, UnsafeMutablePointer<TPMT_SIGNATURE>?)
        try run(
            {
                unsafe Esys_Quote_Async(
                    context, attestor, shandle, ESYS_TR_NONE, ESYS_TR_NONE, &data, &scheme, &registers)
            }, { unsafe Esys_Quote_Finish(context, &attest, &signature) })
        return unsafe try statement(attest, signature)
    }

    private func statement(
        _ attest: UnsafeMutablePointer<TPM2B_ATTEST>?, _ signature: UnsafeMutablePointer<TPMT_SIGNATURE>?
    ) throws(TPMFailure) -> KeyAttestation.Statement {
        let attest = unsafe try take(attest) { $0.bytes }
        return KeyAttestation.Statement(attest: attest, signature: unsafe try take(signature) { $0.numbers })
    }
}

extension Refusal {
    fileprivate static var wrongNonce: Refusal {
        Refusal(
            .param, .wrongValue, "nonce", "The nonce has another size than 1 to \(TPMKeyStore.nonceBytes) bytes.",
            do: "Use what the verifier has chosen, or its SHA-256.")
    }
}
