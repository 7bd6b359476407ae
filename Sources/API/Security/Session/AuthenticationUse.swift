package import KeychainClient
package import KeychainModel
internal import KeychainWire
internal import LinuxSystem

/// The settings in a program's dictionary that its own process obeys: those for prompts (rule
/// authentication.query.keys), and the keychains.
struct AuthenticationUse: Sendable {
    /// `kSecUseAuthenticationContext`. Its state is read when the request is sent, not when the program gave it.
    var context: (any AuthenticationContextSource)?
    /// `kSecUseOperationPrompt`.
    var reason: String?
    /// `kSecUseAuthenticationUI`.
    var ui = ItemRequest.AuthenticationUI.allow
    /// `kSecUseKeychain` of an add, or the keychain of the list that is searched now; nil for the login's.
    var keychain: SecKeychain?
    /// `kSecMatchSearchList`; nil when the dictionary has none.
    var searchList: [SecKeychain]?

    /// No settings.
    static let unsaid = AuthenticationUse()

    /// The settings as a request carries them, with the present state of the context.
    ///
    /// - Throws: `errSecAuthFailed` for an invalidated context; `errSecParam` for an invalid setting.
    func asking() throws(Refusal) -> Asking {
        var prompt = try Prompt.ofThisProcess(reason: reason ?? "")
        guard let given = context?.givenContext else { return Asking(prompt: prompt) }
        if given.isInvalidated { throw .invalidContext }
        if reason == nil { prompt.reason = given.reason }
        (prompt.fallbackTitle, prompt.cancelTitle) = (given.fallbackTitle, given.cancelTitle)
        if given.forbidsInteraction || ui != .allow { prompt.interaction = .never }
        return Asking(context: given.identifier, password: given.password, prompt: prompt)
    }

    /// Refuses an invalidated context, also for items that need nobody.
    ///
    /// - Throws: `errSecAuthFailed`.
    func checkContext() throws(Refusal) {
        if context?.givenContext.isInvalidated == true { throw .invalidContext }
    }

    /// A request that must not ask can still use what the user showed in its context. A plain request does not carry
    /// that.
    fileprivate var startsPlainly: Bool { context == nil || ui == .allow }
}

extension KeychainSession {
    /// Runs `body`. If an item requires authentication, runs it again over a connection that prompts the user.
    @inline(__always)
    static func asking<Answer>(
        _ use: AuthenticationUse, _ body: (any KeychainConnection) throws(Refusal) -> Answer
    ) throws(Refusal) -> Answer {
        try use.checkContext()
        var session = try use.keychain == nil ? current() : NamedKeychainSession.connection(to: use.keychain)
        if use.startsPlainly {
            do throws(Refusal) { return try body(session) } catch {
                session = try use.asking(over: session, after: error)
            }
        } else {
            // The context must not ask, so nobody waits for the user.
            session = AskingConnection(session, try use.asking(), startsPlainly: false)
        }
        return try body(session)
    }
}

extension KeychainSession {
    /// A way to a keychain that prompts the user where a request requires authentication, for as long as it lives.
    ///
    /// - Throws: `errSecAuthFailed` for an invalidated context.
    package static func prompting(
        in context: (any AuthenticationContextSource)?, over session: any KeychainConnection
    ) throws(Refusal) -> any KeychainConnection {
        let use = AuthenticationUse(context: context)
        try use.checkContext()
        return AskingConnection(session) { () throws(Refusal) in
            let asking = try use.asking()
            if asking.prompt.interaction != .never { MainThreadWarning.sayIfNeeded() }
            return asking
        }
    }
}

extension AuthenticationUse {
    /// A connection that prompts the user, after a refusal that a prompt may remedy.
    fileprivate func asking(
        over session: any KeychainConnection, after refusal: Refusal
    ) throws(Refusal) -> AskingConnection {
        guard refusal.status == .authNeeded else { throw refusal }
        let asking = try asking()
        try asking.check(refusal)
        if asking.prompt.interaction != .never { MainThreadWarning.sayIfNeeded() }
        return AskingConnection(session, asking, startsPlainly: false)
    }
}

extension Refusal {
    fileprivate static let invalidContext = Refusal(
        .authFailed, .withdrawn, "u_AuthCtx", "The LAContext was invalidated.",
        do: "Make a new LAContext, or leave kSecUseAuthenticationContext out.")
}
