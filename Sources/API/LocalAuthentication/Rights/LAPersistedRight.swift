/// A right that ``LARightStore`` has saved. It guards a key, and a secret if it was saved with one.
///
/// The private key and the secret work while the right is authorized, in this object alone. An authorization lasts five
/// minutes. The enclave enforces this, not this class.
///
/// Source: Apple, `LAPersistedRight`.
public final class LAPersistedRight: LARight, @unchecked Sendable {
    let items: RightItems
    private let publicKey: SecKey

    /// The right's key. Encrypting and verifying with its public half always works.
    public var key: LAPrivateKey { LAPrivateKey(self, publicKey) }

    /// The right's secret.
    public var secret: LASecret { LASecret(self) }

    /// Finds a saved right.
    ///
    /// - Throws: `errSecItemNotFound` when there is none.
    init(_ items: RightItems) throws {
        let key = try items.privateKey(in: nil)
        guard let publicKey = SecKeyCopyPublicKey(key),
            let control = SecKeyCopyAttributes(key)?[kSecAttrAccessControl] as? SecAccessControl
        else { throw NSError(status: errSecDecode) }
        self.items = items
        self.publicKey = publicKey
        super.init(requirement: LAAuthenticationRequirement(flags: control.flags.subtracting(.privateKeyUsage)))
    }

    /// Runs `body` in the context of the right, which must be authorized.
    ///
    /// - Throws: `LAError` with `notInteractive` when it is not authorized; the refusals of the keychain.
    func whileAuthorized<Value>(_ body: (LAContext) throws -> Value) throws -> Value {
        guard let context = authorization.grantedContext else { throw LAError.notAuthorized }
        do { return try body(context) } catch let error as NSError {
            guard let failure = LAError(status: error) else { throw error }
            if failure.code == .notInteractive { authorization.expire(context, of: self) }
            throw failure
        }
    }

    /// Lets the enclave use the key. The enclave knows the fingers that were enrolled when the right was saved.
    override func confirm(_ context: LAContext) -> LAError? {
        guard requirement == .biometryCurrentSet else { return nil }
        do {
            let key = try items.privateKey(in: context)
            _ = try unsafe calling {
                unsafe SecKeyCreateSignature(key, .ecdsaSignatureMessageX962SHA256, NSData(), $0)
            }
            return nil
        } catch { return .otherFingers }
    }
}

extension LAError {
    static let notAuthorized = LAError(
        .notInteractive, problem: "The right is not authorized.",
        remedy: "Call authorize(localizedReason:) and wait for it.")

    /// The `LAError` for an error of `Security` that is about the user; nil for any other error.
    init?(status error: NSError) {
        guard error.domain == NSOSStatusErrorDomain,
            let code = Self.byOSStatus[OSStatus(truncatingIfNeeded: error.code)]
        else { return nil }
        self.init(
            code,
            userInfo: [
                NSLocalizedDescriptionKey: error.localizedDescription, NSUnderlyingErrorKey: error,
            ])
    }

    private static let byOSStatus: [OSStatus: Code] = [
        errSecUserCanceled: .userCancel,
        errSecInteractionNotAllowed: .notInteractive,
        errSecAuthFailed: .authenticationFailed,
    ]
}
