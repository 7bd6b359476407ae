/// The public half of a right's key. It works whether or not the right is authorized.
///
/// Completion handlers are called once, on a queue of the module. A call that does not fit the algorithm or the data
/// fails with `errSecParam` of `NSOSStatusErrorDomain`.
///
/// Source: Apple, `LAPublicKey`.
public final class LAPublicKey: NSObject, Sendable {
    private let key: SecKey

    init(_ key: SecKey) { self.key = key }

    // MARK: - The key itself

    /// Gives the key as 04 ‖ X ‖ Y, 65 bytes.
    public func exportBytes(completion: @escaping @Sendable (Data?, (any Error)?) -> Void) {
        perform(exporting, completion)
    }

    /// The key: 04 ‖ X ‖ Y, 65 bytes.
    public var bytes: Data { get async throws { try await awaiting { inBackground(exporting, $0) } } }

    private var exporting: @Sendable () throws -> Data {
        { [key] in try unsafe calling { unsafe SecKeyCopyExternalRepresentation(key, $0) } as Data }
    }

    // MARK: - Encrypting

    /// Encrypts data that only the private key decrypts.
    public func encrypt(
        _ data: Data, algorithm: SecKeyAlgorithm, completion: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) { perform(encrypting(data, algorithm), completion) }

    /// Encrypts, as the function with a completion handler does.
    public func encrypt(_ data: Data, algorithm: SecKeyAlgorithm) async throws -> Data {
        try await awaiting { inBackground(encrypting(data, algorithm), $0) }
    }

    /// Whether the key encrypts with an algorithm.
    public func canEncrypt(using algorithm: SecKeyAlgorithm) -> Bool {
        SecKeyIsAlgorithmSupported(key, .encrypt, algorithm)
    }

    private func encrypting(_ data: Data, _ algorithm: SecKeyAlgorithm) -> @Sendable () throws -> Data {
        { [key] in
            try unsafe calling { unsafe SecKeyCreateEncryptedData(key, algorithm, data as CFData, $0) } as Data
        }
    }

    // MARK: - Verifying

    /// Verifies a signature.
    ///
    /// - Parameters:
    ///   - signedData: the message that was signed, or its digest, as the algorithm's name says.
    ///   - completion: gets nil for a signature of the private key, otherwise an error: `errSecVerifyFailed` for a
    ///     wrong signature.
    public func verify(
        _ signedData: Data, signature: Data, algorithm: SecKeyAlgorithm,
        completion: @escaping @Sendable ((any Error)?) -> Void
    ) { inBackground(verifying(signedData, signature, algorithm)) { completion($0.halves.error) } }

    /// Verifies a signature, as the function with a completion handler does.
    public func verify(_ signedData: Data, signature: Data, algorithm: SecKeyAlgorithm) async throws {
        try await awaiting { inBackground(verifying(signedData, signature, algorithm), $0) }
    }

    /// Whether the key verifies with an algorithm.
    public func canVerify(using algorithm: SecKeyAlgorithm) -> Bool {
        SecKeyIsAlgorithmSupported(key, .verify, algorithm)
    }

    private func verifying(
        _ signedData: Data, _ signature: Data, _ algorithm: SecKeyAlgorithm
    ) -> @Sendable () throws -> Void {
        { [key] in
            _ = try unsafe calling {
                unsafe SecKeyVerifySignature(key, algorithm, signedData as CFData, signature as CFData, $0)
                    ? true : nil
            }
        }
    }

    private func perform(
        _ body: @escaping @Sendable () throws -> Data, _ completion: @escaping @Sendable (Data?, (any Error)?) -> Void
    ) {
        inBackground(body) {
            let (data, error) = $0.halves
            completion(data, error)
        }
    }
}
