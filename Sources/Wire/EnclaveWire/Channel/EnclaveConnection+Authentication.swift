package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The user and what he guards, through the channel.
extension EnclaveConnection {
    package func capabilities() throws(Refusal) -> AuthenticationCapabilities {
        var reader = WireReader(try call(EnclaveCall(.capabilities)))
        return try AuthenticationCapabilities(from: &reader)
    }

    package func authenticate(
        _ task: AuthenticationTask, by deadline: Deadline
    ) throws(Refusal) -> AuthenticationResult {
        try task.checkSize()
        if let terminal = task.prompt.surroundings.opened { try setTerminal(terminal.device, in: task.context) }
        let body = SecretBuffer(capacity: 1024)
        body.append(littleEndian: deadline.patience)
        task.append(to: body)
        let answer = SecretBuffer(capacity: 128)
        try body.withSpan { (body) throws(Refusal) in
            try channel.callPatiently(EnclaveCall(.authenticate), body, into: answer, by: deadline)
        }
        var reader = WireReader(answer.copy())
        return try AuthenticationResult(from: &reader)
    }

    private func setTerminal(_ terminal: FileDescriptor, in context: AuthenticationContext) throws(Refusal) {
        let body = SecretBuffer(capacity: 64)
        context.append(to: body)
        try body.withSpan { (body) throws(Refusal) in try channel.send(.setTerminal, [terminal], body) }
    }

    package func setCredential(_ password: FileDescriptor, in context: AuthenticationContext) throws(Refusal) {
        let body = SecretBuffer(capacity: 64)
        context.append(to: body)
        try body.withSpan { (body) throws(Refusal) in try channel.send(.setCredential, [password], body) }
    }

    package func invalidate(_ context: AuthenticationContext) throws(Refusal) {
        _ = try call(EnclaveCall(.invalidate)) { context.append(to: $0) }
    }

    package func wrapGuardedRowKey(
        _ key: SecretBytes, row: [UInt8], for accessibility: Accessibility, flags: UInt64,
        in context: AuthenticationContext?
    ) throws(Refusal) -> [UInt8] {
        let answer = try call(EnclaveCall(.wrapGuardedRowKey, for: accessibility)) { body in
            context.append(to: body)
            body.append(littleEndian: flags)
            body.append(row.span)
            key.withSpan { body.append($0) }
        }
        return answer.withSpan { $0.array(0, $0.count) }
    }

    package func unwrapGuardedRowKey(
        _ wrapped: [UInt8], row: [UInt8], for accessibility: Accessibility, in context: AuthenticationContext?
    ) throws(Refusal) -> SecretBytes {
        let answer = try call(EnclaveCall(.unwrapGuardedRowKey, for: accessibility)) { body in
            context.append(to: body)
            body.append(row.span)
            body.append(bytes: wrapped.span)
        }
        return try answer.checked(RowKeyRecord.keyBytes)
    }

    /// Calls with a body that is written for it.
    func call(_ request: EnclaveCall, _ write: (SecretBuffer) -> Void) throws(Refusal) -> SecretBytes {
        let body = SecretBuffer(capacity: 1024)
        write(body)
        return try body.withSpan { (body) throws(Refusal) in try call(request, body) }
    }
}

extension Deadline {
    /// What is left, in milliseconds: what the enclave is told.
    fileprivate var patience: UInt32 {
        let left = remainingMilliseconds
        return left < 0 ? EnclaveChannelFormat.mostPatience : min(UInt32(left), EnclaveChannelFormat.mostPatience)
    }

    /// So much later.
    func later(byMilliseconds more: Int) -> Deadline {
        let left = remainingMilliseconds
        return left < 0 ? .never : .after(milliseconds: Int(left) + more)
    }
}
