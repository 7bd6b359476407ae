internal import KeychainClient
internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem

/// What a program's dictionary says about asking the user (semantics B.6).
struct AuthenticationUse: Sendable {
    /// `kSecUseAuthenticationContext`. Its state counts when something is asked, not when it was given.
    var context: (any AuthenticationContextSource)?
    /// `kSecUseOperationPrompt`.
    var reason: String?
    /// `kSecUseAuthenticationUI`.
    var ui = ItemRequest.AuthenticationUI.allow

    /// Nothing was said.
    static let unsaid = AuthenticationUse()

    /// What it comes to now.
    ///
    /// - Throws: `errSecAuthFailed` for a context that was invalidated; `errSecParam` for a setting that makes no
    ///   sense.
    func asking() throws(Refusal) -> Asking {
        var prompt = try Prompt.ofThisProcess(reason: reason ?? "")
        guard let given = context?.givenContext else { return Asking(prompt: prompt) }
        if given.isInvalidated { throw .invalidContext }
        if reason == nil { prompt.reason = given.reason }
        (prompt.fallbackTitle, prompt.cancelTitle) = (given.fallbackTitle, given.cancelTitle)
        if given.forbidsInteraction || ui != .allow { prompt.interaction = .never }
        return Asking(context: given.identifier, password: given.password, prompt: prompt)
    }

    /// An invalidated context is refused also for items that need nobody.
    ///
    /// - Throws: `errSecAuthFailed`.
    func checkContext() throws(Refusal) {
        if context?.givenContext.isInvalidated == true { throw .invalidContext }
    }

    /// A request that may not ask can still be met by what was shown in its context, which a plain one does not carry.
    fileprivate var startsPlainly: Bool { context == nil || ui == .allow }
}

extension KeychainSession {
    /// Performs what needs no user with the keychain that is asked, and once more with one that has him asked where he
    /// is needed.
    @inline(__always)
    static func asking<Answer>(
        _ use: AuthenticationUse, _ body: (any KeychainConnection) throws(Refusal) -> Answer
    ) throws(Refusal) -> Answer {
        try use.checkContext()
        var session = try current()
        if use.startsPlainly {
            do throws(Refusal) { return try body(session) } catch {
                session = try use.asking(over: session, after: error)
            }
        } else {
            // With a context that may not ask, nobody waits for the user.
            session = AskingConnection(session, try use.asking(), startsPlainly: false)
        }
        return try body(session)
    }
}

extension AuthenticationUse {
    /// A connection that has the user asked, after a refusal that asking him may remedy.
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
