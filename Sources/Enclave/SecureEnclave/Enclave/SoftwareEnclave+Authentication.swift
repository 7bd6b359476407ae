package import EnclaveWire
package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// Prompts (rule authentication.prompt.agent). The enclave runs them itself, so that a daemon can cause a prompt and do
/// nothing else with it.
extension SoftwareEnclave {
    package func capabilities() throws(Refusal) -> AuthenticationCapabilities {
        let means = try means()
        return AuthenticationCapabilities(biometry: means.biometry, passcodeIsSet: means.hasPasscode)
    }

    package func authenticate(
        _ task: AuthenticationTask, by deadline: Deadline
    ) throws(Refusal) -> AuthenticationResult {
        if case .context(.unlock) = task.purpose { return try unlock(asking: task, by: deadline) }
        let (now, scope) = (now, Grants.Scope(task.purpose))
        let changed = user.grants.withLock { $0.changedFlags(in: task.context, at: now) }
        let wanted = try RequiredAuthentication(task.purpose, changed: changed)
        // A task that needs no further factor waits for no other prompt.
        if let result = try shownBefore(wanted, scope, in: task.context) { return result }
        guard user.agent != nil else {
            throw wanted.isMet(by: shown(scope, in: task.context).factors) ? .missingPassword : .nobodyToAsk
        }
        return try inTurn(task, by: deadline) { (number) throws(Refusal) in
            try ask(task, wanted, scope, number, by: deadline)
        }
    }

    package func setCredential(_ password: FileDescriptor, in context: AuthenticationContext) throws(Refusal) {
        let bytes: SecretBytes
        do {
            bytes = try PasscodeFile.read(
                password, limit: WireLimits.passcodeBytes, deadline: .after(milliseconds: Self.passcodeTimeout))
        } catch { throw .unreadableCredential(error) }
        let now = now
        user.passwords.withLock { passwords in
            passwords.forget(context)
            if bytes.count > 0 { passwords.set(bytes, isTyped: false, in: context, at: now) }
        }
    }

    package func invalidate(_ context: AuthenticationContext) throws(Refusal) { user.forget(context) }

    // MARK: - What there is

    /// The factors that the user of this device could show now, by the vault as it is on disk.
    func means() throws(Refusal) -> AvailableFactors {
        let isSet = try state.withLock { (state) throws(Refusal) in
            try state.refresh(from: file)
            return state.vault.passcode != nil
        }
        return AvailableFactors(biometry: user.biometry, hasPasscode: isSet || user.acceptsLoginPassword)
    }

    var now: Grants.Now { Grants.Now(moment: clock.now(), generation: state.withLock { $0.generation }) }

    func hasPassword(in context: AuthenticationContext) -> Bool { password(in: context) != nil }

    func password(in context: AuthenticationContext?) -> SecretBytes? {
        let now = now
        return context.flatMap { context in user.passwords.withLock { $0.password(in: context, at: now) } }
    }

    /// The result, when nothing is lacking.
    private func shownBefore(
        _ wanted: RequiredAuthentication, _ scope: Grants.Scope, in context: AuthenticationContext
    ) throws(Refusal) -> AuthenticationResult? {
        let shown = shown(scope, in: context)
        let means = try means()
        guard wanted.isMet(by: shown.factors), wanted.refusal(.all, means) == nil,
            !wanted.needsPassword || hasPassword(in: context)
        else { return nil }
        return AuthenticationResult(factors: shown.factors, enrolment: shown.enrolment)
    }

    func shown(_ scope: Grants.Scope, in context: AuthenticationContext) -> Grants.Shown {
        let now = now
        return user.grants.withLock { $0.shown(in: context, for: scope, at: now) }
    }
}

// MARK: - Asking

extension SoftwareEnclave {
    /// Unlocks with the passcode that the user is asked for. Of several that wait to ask for it, one asks.
    private func unlock(asking task: AuthenticationTask, by deadline: Deadline) throws(Refusal) -> AuthenticationResult
    {
        let nothing = AuthenticationResult(factors: [], enrolment: [])
        if try status().lockState == .unlocked { return nothing }
        guard user.agent != nil else { throw .nobodyToAsk }
        return try inTurn(task, by: deadline) { (number) throws(Refusal) in
            if try status().lockState == .unlocked { return nothing }
            var dialogue = Dialogue(self, task, number, deadline)
            let shown = try dialogue.ask(RequiredAuthentication(task.purpose, changed: []), try means(), shown: [])
            return AuthenticationResult(factors: shown.factors, enrolment: shown.enrolment)
        }
    }

    /// Asks when it is the task's turn; the answer to another one of the same subject may serve it.
    func inTurn(
        _ task: AuthenticationTask, by deadline: Deadline,
        _ ask: (UInt64) throws(Refusal) -> AuthenticationResult
    ) throws(Refusal) -> AuthenticationResult {
        let subject = PromptQueue.Subject(context: task.context, purpose: task.purpose)
        let (number, admission) = try user.queue.enter(subject, by: deadline)
        switch admission {
        case .served(let result): return result
        case .withdrawn: throw .withdrawn
        case .asks:
            defer { user.queue.leave(number) }
            return try ask(number)
        }
    }

    private func ask(
        _ task: AuthenticationTask, _ wanted: RequiredAuthentication, _ scope: Grants.Scope, _ number: UInt64,
        by deadline: Deadline
    ) throws(Refusal) -> AuthenticationResult {
        let before = now
        let shown = shown(scope, in: task.context)
        var dialogue = Dialogue(self, task, number, deadline)
        let fresh = try dialogue.ask(wanted, try means(), shown: shown.factors)
        let password = try dialogue.askPassword(wanted)
        let result = AuthenticationResult(
            factors: shown.factors.union(fresh.factors),
            enrolment: fresh.enrolment.isEmpty ? shown.enrolment : fresh.enrolment)
        guard now.generation == before.generation else { throw .withdrawn }
        try user.queue.serve(number, result) { count in
            let now = Grants.Now(moment: clock.now(), generation: before.generation)
            user.grants.withLock { $0.add(fresh, for: scope.times(count), in: task.context, at: now) }
            guard let password else { return }
            user.passwords.withLock { $0.set(password, isTyped: true, in: task.context, at: now) }
        }
        return result
    }

    /// Whether the passcode is right. It costs a try, whatever it was asked for; nothing is opened by it.
    func check(passcode: SecretBytes) throws(Refusal) {
        try withVault { (vault) throws(Refusal) in
            guard vault.passcode != nil else { throw .noPasscodeToShow }
            _ = try verify(passcode, opening: &vault)
            try count(&vault)
        }
    }
}

extension Grants.Scope {
    fileprivate init(_ purpose: AuthenticationTask.Purpose) {
        switch purpose {
        case .context(.policy): self = .policy
        // An unlock is no use of anything that is guarded.
        case .context(.unlock): self = .items([:], .useItem)
        case .context(.control(let flags, let operation)): self = .control(flags: flags, operation)
        case .items(let guards, let operation):
            self = .items(Dictionary(guards.map { ($0.identifier, 1) }, uniquingKeysWith: +), operation)
        }
    }

    /// The number of requests at once.
    fileprivate func times(_ count: Int) -> Self {
        guard case .items(let items, let operation) = self else { return self }
        return .items(items.mapValues { $0 * count }, operation)
    }
}
