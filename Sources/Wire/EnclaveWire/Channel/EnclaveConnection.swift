package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The daemon's end of the channel to an enclave in a process of its own.
///
/// Thread-safe: as many threads as there are slots call at once. Every call has a deadline; one that passes it ends the
/// channel, for an enclave that does not answer cannot be trusted to answer the next call with the right answer. When
/// the enclave dies, all calls under way and to come are refused at once.
package final class EnclaveConnection: EnclaveService {
    let channel: EnclaveChannel
    /// The enclave's process, where this side started it.
    package let process: ChildProcess?

    /// Opens the channel: hands the shared memory over and waits until the enclave serves.
    ///
    /// - Parameters:
    ///   - process: the enclave's process, to be waited for when the channel ends.
    ///   - timeout: how many milliseconds a call may take that needs no passcode.
    ///   - whenEnded: called on a thread of its own when the enclave or the connection has ended.
    /// - Throws: the enclave's reason not to start, for example a damaged vault; `errSecNotAvailable` when it does not
    ///   answer.
    package init(
        _ socket: UnixSocket, process: ChildProcess? = nil, timeout: Int = 10_000 * DebugPatience.factor,
        whenEnded: @escaping @Sendable () -> Void = {}
    ) throws(Refusal) {
        self.process = process
        do {
            channel = try EnclaveChannel(socket, timeout: timeout)
            try channel.open {
                process?.reap()
                whenEnded()
            }
        } catch {
            process?.reap()
            throw error
        }
    }

    deinit { channel.close() }
}

// MARK: - Calls

extension EnclaveConnection {
    /// Sends a request and reads the answer: through the socket if files travel along, through a slot otherwise.
    func send<Request, Answer>(
        _ call: EnclaveCall<Request, Answer>, _ request: Request, for accessibility: Accessibility? = nil,
        _ files: [FileDescriptor] = []
    ) throws(Refusal) -> Answer {
        let body = SecretBuffer(capacity: 128)
        request.append(to: body)
        let word = call.operation.word(for: accessibility)
        let answer = try body.withSpan { (body) throws(Refusal) in
            files.isEmpty ? try receive(word, body) : try channel.sendFiles(files, word, body)
        }
        return try Answer(decoding: answer, "the enclave's answer")
    }

    private func receive(_ word: UInt32, _ body: Span<UInt8>) throws(Refusal) -> SecretBytes {
        let answer = SecretBuffer(capacity: 128)
        try channel.call(word, body, into: answer)
        return answer.copy()
    }
}

extension EnclaveConnection {
    package func status() throws(Refusal) -> EnclaveStatus { try send(EnclaveCalls.status, EmptyMessage()) }

    package func indexKey() throws(Refusal) -> SecretBytes {
        try send(EnclaveCalls.indexKey, EmptyMessage()).key()
    }

    package func makeMetadataKey(for accessibility: Accessibility) throws(Refusal) -> (
        key: SecretBytes, wrapped: [UInt8]
    ) {
        let made = try send(EnclaveCalls.makeMetadataKey, EmptyMessage(), for: accessibility)
        return (made.key, made.wrapped)
    }

    package func unwrapMetadataKey(
        _ wrapped: [UInt8], for accessibility: Accessibility
    ) throws(Refusal) -> SecretBytes {
        try send(EnclaveCalls.unwrapMetadataKey, BytesMessage(wrapped), for: accessibility).key()
    }

    package func renew(_ mark: StoreMark?, beginsBlock: Bool) throws(Refusal) -> StoreAge {
        try send(EnclaveCalls.renewMark, MarkRenewal(mark: mark, beginsBlock: beginsBlock))
    }

    package func acceptStore(_ passcode: FileDescriptor) throws(Refusal) -> StoreMark {
        try send(EnclaveCalls.acceptStore, EmptyMessage(), [passcode])
    }
}

// MARK: - Lock and passcode

extension EnclaveConnection {
    package func lock() throws(Refusal) { _ = try send(EnclaveCalls.lock, EmptyMessage()) }

    package func unlock(passcode: FileDescriptor) throws(Refusal) {
        _ = try send(EnclaveCalls.unlock, EmptyMessage(), [passcode])
    }

    package func setPasscode(_ new: FileDescriptor) throws(Refusal) {
        _ = try send(EnclaveCalls.setPasscode, EmptyMessage(), [new])
    }

    package func changePasscode(from old: FileDescriptor, to new: borrowing FileDescriptor) throws(Refusal) {
        _ = try send(EnclaveCalls.changePasscode, EmptyMessage(), [old, copy new])
    }

    package func removePasscode(_ old: FileDescriptor) throws(Refusal) {
        _ = try send(EnclaveCalls.removePasscode, EmptyMessage(), [old])
    }

    package func move(to kind: DeviceRootKind, passcode: FileDescriptor) throws(Refusal) {
        let call = kind == .tpm ? EnclaveCalls.moveToTPM : EnclaveCalls.moveToSoftware
        _ = try send(call, EmptyMessage(), [passcode])
    }
}

extension SecretMessage {
    /// The secret of an answer that is a key of 32 bytes.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) for one of another length.
    func key() throws(Refusal) -> SecretBytes {
        guard secret.count == RowKeyRecord.keyBytes else { throw .malformed("the enclave's answer") }
        return secret
    }
}
