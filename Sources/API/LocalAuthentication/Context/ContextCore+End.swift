internal import KeychainClient
internal import KeychainWire
internal import LinuxSystem

/// The end of a context.
extension ContextCore {
    /// Ends the context for good. Evaluations under way fail with `appCancel`. The enclave forgets what the user has
    /// shown.
    func invalidate() {
        let (isKnown, evaluations) = state.withLock { state in
            if state.isInvalidated { return (false, [Evaluation]()) }
            (state.isInvalidated, state.password) = (true, nil)
            return (state.keychain != nil, Array(state.underWay.values))
        }
        guard isKnown || !evaluations.isEmpty else { return }
        let task = KeychainTask()
        task.run { [self] in withdraw(task) }
        for evaluation in evaluations { task.run { evaluation.end(.cancelledByProgram) } }
    }

    /// Takes the prompt away. A prompt may still be on its way when the context ends, so the first try can come too
    /// early.
    private func withdraw(_ task: KeychainTask) {
        forget()
        if state.withLock({ $0.underWay.isEmpty }) { return }
        task.run(afterMilliseconds: 200) { [self] in withdraw(task) }
    }

    /// Makes the keychain forget the context, if it knows it. A keychain that cannot be reached has nothing to forget.
    func forget() {
        let keychain = state.withLock { $0.keychain }
        _ = try? keychain?.authentication(.invalidate(context: identifier), descriptors: [])
    }
}
