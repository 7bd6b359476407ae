internal import KeychainClient
internal import KeychainModel
internal import KeychainWire
internal import LinuxSystem
internal import Security

/// The settings of a context that a program can change.
struct ContextSettings {
    var reason = ""
    var fallbackTitle: String?
    var cancelTitle: String?
    var reuseDuration: TimeInterval = 0
    var forbidsInteraction = false
    var maxBiometryFailures: NSNumber?
}

extension ContextCore {
    /// The settings as they are now.
    var settings: ContextSettings { state.withLock { $0.settings } }

    /// Changes settings.
    func change(_ body: (inout ContextSettings) -> Void) { state.withLock { body(&$0.settings) } }

    /// Stores the application password; nil removes it.
    func setPassword(_ password: SecretBytes?) {
        state.withLock { state in
            // Empty rather than nil: the enclave may still have the password that was set before.
            if password != nil || state.password != nil { state.password = password ?? SecretBytes(count: 0) }
        }
    }

    /// Whether there is an application password.
    var hasPassword: Bool { state.withLock { ($0.password?.count ?? 0) > 0 } }

    /// The context as the functions of `Security` take it.
    var given: GivenContext {
        let keychain = try? KeychainSession.current()
        return state.withLock { state in
            if let keychain { state.keychain = keychain }
            var given = GivenContext(identifier: identifier)
            given.reason = state.settings.reason
            (given.fallbackTitle, given.cancelTitle) = state.settings.titles
            given.forbidsInteraction = state.settings.forbidsInteraction
            (given.password, given.isInvalidated) = (state.password, state.isInvalidated)
            return given
        }
    }
}

extension ContextCore {
    /// How to ask the user, with a reason.
    ///
    /// - Throws: `errSecParam` for an invalid setting in the program's environment.
    func prompt(_ reason: String) throws(Refusal) -> Prompt {
        let settings = settings
        var prompt = try Prompt.ofThisProcess(reason: reason)
        (prompt.fallbackTitle, prompt.cancelTitle) = settings.titles
        if settings.forbidsInteraction { prompt.interaction = .never }
        return prompt
    }
}

extension ContextSettings {
    /// The titles as a prompt takes them. An empty cancel title is the usual one; an empty fallback title removes the
    /// fallback.
    var titles: (fallback: String?, cancel: String?) {
        (fallbackTitle, cancelTitle.flatMap { $0.isEmpty ? nil : $0 })
    }
}
