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
    /// - Throws: `errSecAuthFailed` for a context that was invalidated; `errSecParam` for a setting that makes no sense.
    func asking() throws(Refusal) -> Asking {
        var prompt = try Prompt.ofThisProcess(reason: reason ?? "")
        guard let given = context?.givenContext else { return Asking(prompt: prompt) }
        if given.isInvalidated { throw .invalidContext }
        if reason == nil { prompt.reason = given.reason }
        (prompt.fallbackTitle, prompt.cancelTitle) = (given.fallbackTitle, given.cancelTitle)
        if given.forbidsInteraction || ui != .allow { prompt.interaction = .never }
        return Asking(context: given.identifier, password: given.password, prompt: prompt)
    }

    /// A request that may not ask can still be met by what was shown in its context, which a plain one does not carry.
    fileprivate var startsPlainly: Bool { context == nil || ui == .allow }
}

extension KeychainConnection {
    /// Performs what needs no user with this connection, and once more with one that has him asked where he is needed.
    func asking<Answer>(
        _ use: AuthenticationUse, _ body: (any KeychainConnection) throws(Refusal) -> Answer
    ) throws(Refusal) -> Answer {
        if use.startsPlainly {
            do throws(Refusal) { return try body(self) } catch {
                guard error.status == .authNeeded else { throw error }
                let asking = try use.asking()
                try asking.check(error)
                if asking.prompt.interaction != .never { MainThreadWarning.sayIfNeeded() }
                return try body(AskingConnection(self, asking, startsPlainly: false))
            }
        }
        // With a context that may not ask, nobody waits for the user.
        return try body(AskingConnection(self, try use.asking(), startsPlainly: false))
    }
}

extension Refusal {
    fileprivate static let invalidContext = Refusal(
        .authFailed, .withdrawn, "u_AuthCtx", "The item needs the user, and the LAContext was invalidated.",
        do: "Make a new LAContext, or leave kSecUseAuthenticationContext out.")
}
