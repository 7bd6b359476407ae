import EnclaveWire
import KeychainModel
package import KeychainPolicy
package import KeychainWire
package import LinuxSystem

/// Requests that may have to ask the user. Everything here may take as long as a person.
extension KeychainEngine {
    /// Answers an authentication request into `writer`.
    ///
    /// - Parameters:
    ///   - password: the application password, where one came with the request; this process does not read it.
    ///   - conversation: ended by the thread that notices that the caller has gone; see ``withdraw(_:)``.
    package func authentication(
        _ request: AuthenticationRequest, password: FileDescriptor?, from caller: CallerIdentity,
        _ conversation: PromptCancellation, id: UInt32, by deadline: Deadline, into writer: ResponseWriter
    ) {
        // A passcode that was typed is counted in the vault.
        let credentials = password == nil ? 0 : 1
        defer { if request.mayChangeVault(with: credentials) { lookAtVault() } }
        do throws(Refusal) {
            try deadline.check()
            let owner: [UInt8] = try caller.digest()
            switch request {
            case .capabilities:
                let capabilities = try enclave.capabilities()
                writer.answer(id) { capabilities.append(to: $0) }
            case .invalidate(let identifier):
                try enclave.invalidate(AuthenticationContext(identifier: identifier, caller: owner))
                writer.answer(id) { _ in }
            case .evaluate(let purpose, let identifier, let prompt):
                let context = AuthenticationContext(identifier: identifier, caller: owner)
                let result = try evaluate(
                    purpose, password, in: context, prompt.shown(by: caller), conversation, deadline)
                writer.answer(id) { result.append(to: $0) }
            case .perform(let inner, let identifier, let prompt):
                let given = identifier.map { AuthenticationContext(identifier: $0, caller: owner) }
                let attempt = GuardedAttempt(
                    self, inner, from: caller, in: given ?? .fresh(for: owner), isGiven: given != nil,
                    prompt.shown(by: caller), conversation, deadline)
                defer {
                    attempt.end()
                    if let decision = attempt.decision { decisions.record(decision) }
                }
                try attempt.run(with: password, id: id, into: writer)
            case .circle(let change, let prompt):
                let status = try self.change(change, from: caller, asking: prompt, conversation, by: deadline)
                writer.answer(id) { SyncReply.status(status).append(to: $0) }
            }
        } catch { writer.refuse(error.outside, id: id) }
    }

    /// Withdraws the prompt that may be open in a conversation whose caller has gone.
    package func withdraw(_ conversation: PromptCancellation) {
        guard let context = conversation.end() else { return }
        try? enclave.invalidate(context)
        circle.operations?.withdraw(context)
    }

    private func evaluate(
        _ purpose: AuthenticationPurpose, _ password: FileDescriptor?, in context: AuthenticationContext,
        _ prompt: Prompt, _ conversation: PromptCancellation, _ deadline: Deadline
    ) throws(Refusal) -> AuthenticationResult {
        if let password { try enclave.setCredential(password, in: context) }
        try conversation.begin(in: context)
        let task = AuthenticationTask(context: context, purpose: .context(purpose), prompt: prompt)
        return try enclave.authenticate(task, by: deadline)
    }
}

extension AuthenticationContext {
    /// A context that serves one request.
    static func fresh(for caller: [UInt8]) -> AuthenticationContext {
        AuthenticationContext(identifier: Randomness.bytes(identifierBytes), caller: caller)
    }
}

extension Prompt {
    /// The prompt with what the engine knows, and nothing of it from the caller; but the desktop's bridge says for
    /// which program it asks.
    func shown(by caller: CallerIdentity) -> Prompt {
        var prompt = self
        let asksForAnother = caller.mayAskForOthers && !program.isEmpty
        (prompt.program, prompt.item) = (asksForAnother ? program : caller.title, "")
        return prompt
    }
}

extension Refusal {
    /// The status that says "ask the user" has no meaning to a client that has had the user asked (rule
    /// results.status.codes).
    fileprivate var outside: Refusal {
        status == .authNeeded ? Refusal(.authFailed, rule, subject, problem, do: remedy) : self
    }
}
