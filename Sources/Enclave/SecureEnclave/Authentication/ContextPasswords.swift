import KeychainWire
import LinuxSystem

/// The application passwords of contexts (rule access-control.password.credential): set by programs, or typed by users
/// for a request.
struct ContextPasswords {
    /// As many contexts have one at a time; of too many the oldest goes.
    static let limit = 64

    private struct Entry {
        let context: AuthenticationContext
        let password: SecretBytes
        let isTyped: Bool
        let expiry: Expiry
    }

    private var entries: [Entry] = []

    /// Keeps a password, in place of the context's other one.
    ///
    /// - Parameter isTyped: whether the user has typed it and may have mistyped it; it is then kept for that request
    ///   alone.
    mutating func set(
        _ password: SecretBytes, isTyped: Bool, in context: AuthenticationContext, at now: Grants.Now
    ) {
        entries.removeAll { $0.context == context || !$0.expiry.isAhead(of: now) }
        if entries.count >= Self.limit { entries.removeFirst() }
        let expiry = Expiry(after: isTyped ? 60 : 300, from: now)
        entries.append(Entry(context: context, password: password, isTyped: isTyped, expiry: expiry))
    }

    func password(in context: AuthenticationContext, at now: Grants.Now) -> SecretBytes? {
        entries.first { $0.context == context && $0.expiry.isAhead(of: now) }?.password
    }

    mutating func forget(_ context: AuthenticationContext) { entries.removeAll { $0.context == context } }

    /// Forgets a password that turned out wrong, so that the user can be asked again.
    mutating func forgetTyped(in context: AuthenticationContext) {
        entries.removeAll { $0.context == context && $0.isTyped }
    }

    mutating func forgetAll() { entries = [] }
}
