package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// Prompts and guarded rows through the channel.
extension EnclaveConnection {
    package func capabilities() throws(Refusal) -> AuthenticationCapabilities {
        try send(EnclaveCalls.capabilities, EmptyMessage())
    }

    package func authenticate(
        _ task: AuthenticationTask, by deadline: Deadline
    ) throws(Refusal) -> AuthenticationResult {
        try task.checkSize()
        let timed = TimedTask(milliseconds: deadline.timeout, task: task)
        return try ask(EnclaveCalls.authenticate, timed, in: task.context, task.prompt, by: deadline)
    }

    /// Sends a call that waits for a person, and before it the terminal where one is attached.
    func ask<Request, Answer>(
        _ call: EnclaveCall<Request, Answer>, _ request: Request, in context: AuthenticationContext, _ prompt: Prompt,
        by deadline: Deadline
    ) throws(Refusal) -> Answer {
        if let terminal = prompt.surroundings.opened {
            _ = try send(EnclaveCalls.setTerminal, context, [terminal.device])
        }
        let (body, answer) = (SecretBuffer(capacity: 1024), SecretBuffer(capacity: 128))
        request.append(to: body)
        try body.withSpan { (body) throws(Refusal) in
            try channel.callForPrompt(call.operation.word(), body, into: answer, by: deadline)
        }
        return try Answer(decoding: answer.copy(), "the enclave's answer")
    }

    package func setCredential(_ password: FileDescriptor, in context: AuthenticationContext) throws(Refusal) {
        _ = try send(EnclaveCalls.setCredential, context, [password])
    }

    package func invalidate(_ context: AuthenticationContext) throws(Refusal) {
        _ = try send(EnclaveCalls.invalidate, context)
    }

    package func wrapGuardedRowKey(
        _ key: SecretBytes, row: [UInt8], for accessibility: Accessibility, flags: UInt64,
        in context: AuthenticationContext?
    ) throws(Refusal) -> [UInt8] {
        let request = GuardedKeyWrapping(context: context, flags: flags, row: row, key: key)
        return try send(EnclaveCalls.wrapGuardedRowKey, request, for: accessibility).bytes
    }

    package func unwrapGuardedRowKey(
        _ wrapped: [UInt8], row: [UInt8], for accessibility: Accessibility, in context: AuthenticationContext?
    ) throws(Refusal) -> SecretBytes {
        let request = GuardedKeyOpening(context: context, row: row, wrapped: wrapped)
        return try send(EnclaveCalls.unwrapGuardedRowKey, request, for: accessibility).key()
    }
}

extension Deadline {
    /// The time left for the enclave, in milliseconds.
    var timeout: UInt32 {
        let left = remainingMilliseconds
        return left < 0 ? EnclaveChannelFormat.longestTimeout : min(UInt32(left), EnclaveChannelFormat.longestTimeout)
    }

    /// A deadline so many milliseconds later.
    func later(byMilliseconds more: Int) -> Deadline {
        let left = remainingMilliseconds
        return left < 0 ? .never : .after(milliseconds: Int(left) + more)
    }
}
