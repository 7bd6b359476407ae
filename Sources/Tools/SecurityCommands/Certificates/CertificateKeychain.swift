import CommandOptions

/// The keychain that `-k` and the operands of the commands on certificates name.
enum CertificateKeychain {
    /// The session with the keychain of these names; without a name, the usual one.
    ///
    /// - Throws: `errSecNoSuchKeychain` for a name that is no keychain's.
    static func session(
        of names: [Argument], _ call: String, _ session: Session
    ) throws(CommandFailure) -> Session {
        try KeychainName.check(names, call, session)
        return session
    }
}
