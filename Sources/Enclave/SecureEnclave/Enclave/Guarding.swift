import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

/// The requirements of an access control, when something is put behind it and when it is opened. They are the same for
/// rows and for private keys.
extension SoftwareEnclave {
    /// Whether something could be put behind these flags now: before a key is made for nothing.
    func requireBindable(_ flags: UInt64, in context: AuthenticationContext?) throws(Refusal) {
        _ = try bindable(flags, in: context)
    }

    /// The present binding of the flags: the enrolment, and the password.
    private func bindable(
        _ flags: UInt64, in context: AuthenticationContext?
    ) throws(Refusal) -> (enrolment: [UInt8], password: SecretBytes?) {
        let constraint = AccessConstraint(flags: flags)
        let means = try means()
        if let refusal = RequiredAuthentication(binding: constraint).refusal(means.enrolled, means) { throw refusal }
        let enrolment = constraint.demands.contains(.biometryCurrentSet) ? means.biometry.enrolment : []
        guard constraint.needsPassword else { return (enrolment, nil) }
        guard let password = password(in: context) else { throw .needsPassword }
        return (enrolment, password)
    }

    /// Binds a secret to what the flags demand: the present enrolment, and the application password of the context.
    ///
    /// - Returns: the binding to store, and the secret, in a box under the password if the flags require one.
    /// - Throws: `errSecAuthFailed` when the flags can never be met here; `errSecAuthNeeded` (`state.needs-password`).
    func bind(
        _ secret: SecretBytes, to flags: UInt64, in context: AuthenticationContext?
    ) throws(Refusal) -> (GuardBinding, SecretBytes) {
        let (enrolment, password) = try bindable(flags, in: context)
        var binding = GuardBinding(enrolment: enrolment)
        guard let password else { return (binding, secret) }
        do throws(CryptoError) {
            let layer = ApplicationPassword(cost: try cost.derivation)
            binding.password = layer.encoded
            return (binding, try layer.seal(secret, under: password))
        } catch { throw .crypto(error) }
    }

    /// Opens the content of a box under a class key, if the context has the grants for it. Flags and binding must have
    /// been authenticated with that box.
    ///
    /// - Throws: `errSecAuthNeeded` when something is lacking; `errSecAuthFailed` when it can never be met, or the
    ///   password is another one.
    func openGuarded(
        _ inner: SecretBytes, _ binding: GuardBinding, for use: GuardedUse, in context: AuthenticationContext?
    ) throws(Refusal) -> SecretBytes {
        let layer = try ApplicationPassword(binding)
        let password = layer == nil ? nil : password(in: context)
        try admit(use, binding, hasPassword: layer == nil || password != nil, in: context)
        guard let layer, let password else {
            guard !use.constraint.needsPassword else { throw .unlayeredPassword }
            return inner
        }
        do throws(Refusal) { return try layer.open(inner, with: password) } catch {
            if let context { user.passwords.withLock { $0.forgetTyped(in: context) } }
            throw error
        }
    }

    /// Whether the grants suffice. A grant for single things is spent only when nothing else is missing.
    func admit(
        _ use: GuardedUse, _ binding: GuardBinding, hasPassword: Bool = true, in context: AuthenticationContext?
    ) throws(Refusal) {
        guard use.constraint.isUnderstood else { throw .unknownDemand }
        if use.constraint.demands.isEmpty {
            guard hasPassword else { throw .needsPassword }
            return
        }
        let enrolment = try presentEnrolment(use.constraint, binding, in: context)
        guard let context else { throw .needsUser }
        let now = now
        try user.grants.withLock { (grants) throws(Refusal) in
            var spent = grants
            guard spent.admit(use, enrolment: enrolment, in: context, at: now) else { throw .needsUser }
            guard hasPassword else { throw .needsPassword }
            grants = spent
        }
    }

    /// The enrolment that it was bound to, while that is the present one; nil otherwise.
    ///
    /// - Throws: `errSecAuthFailed` (`state.enrolment-changed`) when it is not and nothing else helps; a sensor that
    ///   cannot be asked proves nothing.
    private func presentEnrolment(
        _ constraint: AccessConstraint, _ binding: GuardBinding, in context: AuthenticationContext?
    ) throws(Refusal) -> [UInt8]? {
        guard constraint.demands.contains(.biometryCurrentSet) else { return nil }
        let biometry = user.biometry
        if biometry.enrolment == binding.enrolment, !binding.enrolment.isEmpty { return binding.enrolment }
        guard biometry.state != .unavailable || binding.enrolment.isEmpty else { return nil }
        guard constraint.isMet(by: .all, enrolmentIsCurrent: false) else { throw .changedEnrolment }
        let now = now
        if let context { user.grants.withLock { $0.noteChange(constraint.flags, in: context, at: now) } }
        return nil
    }
}

// MARK: - Boxes under class keys

extension SoftwareEnclave {
    func seal(_ secret: SecretBytes, aad: [UInt8], for accessibility: Accessibility) throws(Refusal) -> [UInt8] {
        try withCipher(for: accessibility, orRefuse: .needsPasscode) { (cipher) throws(CryptoError) in
            try secret.withSpan { (bytes) throws(CryptoError) in try cipher.seal(bytes, aad: aad.span) }
        }
    }

    func openBox(_ box: [UInt8], aad: [UInt8], for accessibility: Accessibility) throws(Refusal) -> SecretBytes {
        guard box.count > AESGCM.overhead else { throw .damagedKey }
        return try withCipher(for: accessibility, orRefuse: .passcodeClassDestroyed) { (cipher) throws(CryptoError) in
            let secret = SecretBytes(count: box.count - AESGCM.overhead)
            try secret.withMutableSpan { (span) throws(CryptoError) in
                try cipher.open(box.span, aad: aad.span, into: &span)
            }
            return secret
        }
    }
}
