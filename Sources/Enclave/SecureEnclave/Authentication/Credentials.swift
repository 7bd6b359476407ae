import KeychainWire
import LinuxSystem

/// The application passwords of contexts (S-84): set by programs, or typed by users for a request.
struct Credentials {
    /// As many contexts have one at a time; of too many the oldest goes.
    static let limit = 64

    private struct Credential {
        let context: AuthenticationContext
        let password: SecretBytes
        let isTyped: Bool
        let expiry: Expiry
    }

    private var credentials: [Credential] = []

    /// Keeps a password, in place of the context's other one.
    ///
    /// - Parameter isTyped: by the user, who may have mistyped it; it is kept for the request it was typed for.
    mutating func set(
        _ password: SecretBytes, isTyped: Bool, in context: AuthenticationContext, at now: Grants.Now
    ) {
        credentials.removeAll { $0.context == context || !$0.expiry.isAhead(of: now) }
        if credentials.count >= Self.limit { credentials.removeFirst() }
        let expiry = Expiry(after: isTyped ? 60 : 300, from: now)
        credentials.append(Credential(context: context, password: password, isTyped: isTyped, expiry: expiry))
    }

    func password(in context: AuthenticationContext, at now: Grants.Now) -> SecretBytes? {
        credentials.first { $0.context == context && $0.expiry.isAhead(of: now) }?.password
    }

    mutating func forget(_ context: AuthenticationContext) { credentials.removeAll { $0.context == context } }

    /// Forgets a password that turned out wrong, so that the user can be asked again.
    mutating func forgetTyped(in context: AuthenticationContext) {
        credentials.removeAll { $0.context == context && $0.isTyped }
    }

    mutating func forgetAll() { credentials = [] }
}
