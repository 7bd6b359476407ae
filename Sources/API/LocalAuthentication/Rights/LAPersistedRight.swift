/// A right that ``LARightStore`` has saved: it guards a key, and a secret if it was saved with one.
///
/// What needs the private key or the secret works while the right is authorized, in this object alone, and for five
/// minutes after the user has authenticated. The enclave sees to it, not this class.
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

    /// Does something in the context of the right, which must be authorized.
    ///
    /// - Throws: `LAError` with `notInteractive` when it is not; what the keychain refuses.
    func whileAuthorized<Value>(_ body: (LAContext) throws -> Value) throws -> Value {
        guard let context = authorization.grantedContext else { throw LAError.notAuthorized }
        do { return try body(context) } catch let error as NSError {
            guard let failure = LAError(status: error) else { throw error }
            if failure.code == .notInteractive { authorization.expire(context, of: self) }
            throw failure
        }
    }

    /// Has the enclave use the key: it knows the fingers that were enrolled when the right was saved.
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

    /// What an error of `Security` that is about the user is in this module; nil for any other.
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
