package import KeychainModel
package import KeychainWire
package import LinuxSystem
import SecureEnclave

/// The enclave's own keys, made and used in the TPM.
///
///     privatePart = auth:32 object
///
/// `auth` is random and belongs to the one key. An attacker with the object alone cannot use it, even on this TPM.
package struct TPMKeyStore: EnclaveKeyStore {
    private static let authBytes = 32
    /// The size of the order of P-256.
    private static let orderBytes = 32

    let tpm: TPM

    package init(_ tpm: TPM) { self.tpm = tpm }

    package var backend: SealedKey.Backend { .tpm }

    package func makeKey() throws(Refusal) -> (privatePart: SecretBytes, publicKey: [UInt8]) {
        let auth = SecretBytes(count: Self.authBytes)
        auth.withMutableSpan { Randomness.fill(&$0) }
        let (object, point) = try tpm.run { (connection) throws(TPMFailure) in
            let object = try connection.create(ObjectTemplate.userKey, auth: auth)
            guard let point = try object.unmarshalled().point else { throw .malformed }
            return (object, point)
        }
        let part = SecretBuffer(capacity: 512)
        auth.withSpan { part.append($0) }
        part.append(object.encoded.span)
        return (part.finish(), point)
    }

    package func sign(digest: Span<UInt8>, with privatePart: Span<UInt8>) throws(Refusal) -> [UInt8] {
        // ECDSA takes the first bits of a longer digest, and a shorter one as the number it is (FIPS 186-5, 6.4.1): the
        // TPM, which wants a digest of a known length, gets the same number in 32 bytes.
        let number = digest.array(0, min(digest.count, Self.orderBytes)).leftPadded(to: Self.orderBytes)
        return try use(privatePart) { (connection, key) throws(TPMFailure) in try connection.sign(number, with: key) }
    }

    package func agree(with point: Span<UInt8>, using privatePart: Span<UInt8>) throws(Refusal) -> SecretBytes {
        let point = point.array(0, point.count)
        return try use(privatePart) { (connection, key) throws(TPMFailure) in
            try connection.agree(with: point, using: key)
        }
    }

    package func forgetLoadedKeys() { tpm.ifConnected { $0.forgetKeys() } }

    /// Lends a key that is loaded. It stays loaded until others are used more.
    func use<Result>(
        _ privatePart: Span<UInt8>, _ body: (TPMConnection, UInt32) throws(TPMFailure) -> Result
    ) throws(Refusal) -> Result {
        let (auth, object) = try object(of: privatePart)
        return try tpm.run { (connection) throws(TPMFailure) in
            let key = try connection.keep(object, auth: auth)
            return try Self.authorised { () throws(TPMFailure) in try body(connection, key) }
        }
    }

    /// Runs a command that a key's authorisation is for. It is kept with the key, so a wrong one is a damaged one.
    ///
    /// - Throws: ``TPMFailure/malformed`` when the TPM does not take the authorisation.
    static func authorised<Result>(_ command: () throws(TPMFailure) -> Result) throws(TPMFailure) -> Result {
        do throws(TPMFailure) { return try command() } catch {
            let isWrong = error == .response(ResponseCode.badAuth) || error == .response(ResponseCode.authFail)
            throw isWrong ? .malformed : error
        }
    }

    /// - Throws: `errSecDecode` when it is none.
    func object(of privatePart: Span<UInt8>) throws(Refusal) -> (auth: SecretBytes, object: TPMObject) {
        do throws(TPMFailure) { return try Self.parts(of: privatePart) } catch { throw error.refusal(tpm.address) }
    }

    private static func parts(of part: Span<UInt8>) throws(TPMFailure) -> (SecretBytes, TPMObject) {
        guard part.count > authBytes else { throw .malformed }
        var reader = RecordReader(part.array(authBytes, part.count - authBytes))
        let object = try TPMObject(from: &reader)
        guard reader.isAtEnd else { throw .malformed }
        return (SecretBytes(copying: part.extracting(..<authBytes)), object)
    }
}
