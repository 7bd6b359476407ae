package import KeychainModel
import KeychainWire
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
    ///   - patience: how many milliseconds a call may take that needs no passcode.
    ///   - whenEnded: called on a thread of its own when the enclave has gone, or the connection.
    /// - Throws: what the enclave refuses to start for, its vault is damaged for example; `errSecNotAvailable` when it
    ///   does not answer.
    package init(
        _ socket: UnixSocket, process: ChildProcess? = nil, patience: Int = 10_000,
        whenEnded: @escaping @Sendable () -> Void = {}
    ) throws(Refusal) {
        self.process = process
        do {
            channel = try EnclaveChannel(socket, patience: patience)
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

// MARK: - Calls through a slot

extension EnclaveConnection {
    package func status() throws(Refusal) -> EnclaveStatus {
        var reader = WireReader(try call(EnclaveCall(.status)))
        return try EnclaveStatus(from: &reader)
    }

    package func indexKey() throws(Refusal) -> SecretBytes { try call(EnclaveCall(.indexKey)).checked(32) }

    package func makeMetadataKey(for accessibility: Accessibility) throws(Refusal) -> (
        key: SecretBytes, wrapped: [UInt8]
    ) {
        let size = RowKeyRecord.keyBytes
        let answer = try call(EnclaveCall(.makeMetadataKey, for: accessibility)).checked(
            size + RowKeyRecord.wrappedBytes)
        return answer.withSpan {
            (SecretBytes(copying: $0.extracting(..<size)), $0.array(size, RowKeyRecord.wrappedBytes))
        }
    }

    package func unwrapMetadataKey(
        _ wrapped: [UInt8], for accessibility: Accessibility
    ) throws(Refusal) -> SecretBytes {
        try call(EnclaveCall(.unwrapMetadataKey, for: accessibility), wrapped.span).checked(RowKeyRecord.keyBytes)
    }

    package func wrapRowKey(
        _ key: SecretBytes, row: Span<UInt8>, for accessibility: Accessibility
    ) throws(Refusal) -> [UInt8] {
        let body = SecretBuffer(capacity: 64)
        key.withSpan { body.append($0) }
        body.append(row)
        let answer = try body.withSpan { (body) throws(Refusal) in
            try call(EnclaveCall(.wrapRowKey, for: accessibility), body)
        }
        return try answer.checked(RowKeyRecord.wrappedBytes).withSpan { $0.array(0, $0.count) }
    }

    package func wrapRowKeys(
        _ rows: Span<UInt8>, for accessibility: Accessibility, into wrapped: SecretBuffer
    ) throws(Refusal) {
        // The answer is the longer of the two.
        let part = EnclaveChannelFormat.bodyLimit / RowKeyRecord.wrappedBytes * RowKeyRecord.unwrappedSize
        let start = wrapped.count
        do {
            var offset = 0
            while offset < rows.count {
                let end = min(offset + part, rows.count)
                try wrap(rows.extracting(offset..<end), for: accessibility, into: wrapped)
                offset = end
            }
        } catch {
            wrapped.truncate(to: start)
            throw error
        }
    }

    private func wrap(
        _ rows: Span<UInt8>, for accessibility: Accessibility, into wrapped: SecretBuffer
    ) throws(Refusal) {
        let expected = wrapped.count + rows.count / RowKeyRecord.unwrappedSize * RowKeyRecord.wrappedBytes
        try channel.call(EnclaveCall(.wrapRowKey, for: accessibility), rows, into: wrapped)
        guard wrapped.count == expected else { throw .malformed("the enclave's answer") }
    }

    package func unwrapRowKeys(_ records: Span<UInt8>, into keys: SecretBuffer) throws(Refusal) {
        let part = EnclaveChannelFormat.bodyLimit / RowKeyRecord.size * RowKeyRecord.size
        let start = keys.count
        do {
            var offset = 0
            while offset < records.count {
                let end = min(offset + part, records.count)
                try unwrap(records.extracting(offset..<end), into: keys)
                offset = end
            }
        } catch {
            keys.truncate(to: start)
            throw error
        }
    }

    private func unwrap(_ records: Span<UInt8>, into keys: SecretBuffer) throws(Refusal) {
        let expected = keys.count + records.count / RowKeyRecord.size * RowKeyRecord.answerSize
        try channel.call(EnclaveCall(.unwrapRowKeys), records, into: keys)
        guard keys.count == expected else { throw .malformed("the enclave's answer") }
    }

    package func lock() throws(Refusal) { _ = try call(EnclaveCall(.lock)) }

    /// Calls with a body at hand, and gives the body of the answer.
    func call(_ request: EnclaveCall, _ body: Span<UInt8> = Span()) throws(Refusal) -> SecretBytes {
        let answer = SecretBuffer(capacity: 128)
        try channel.call(request, body, into: answer)
        return answer.copy()
    }
}

// MARK: - Calls with passcodes

extension EnclaveConnection {
    package func unlock(passcode: FileDescriptor) throws(Refusal) { try channel.send(.unlock, [passcode]) }

    package func setPasscode(_ new: FileDescriptor) throws(Refusal) { try channel.send(.setPasscode, [new]) }

    package func changePasscode(from old: FileDescriptor, to new: borrowing FileDescriptor) throws(Refusal) {
        try channel.send(.changePasscode, [old, copy new])
    }

    package func removePasscode(_ old: FileDescriptor) throws(Refusal) { try channel.send(.removePasscode, [old]) }

    package func move(to kind: DeviceRootKind, passcode: FileDescriptor) throws(Refusal) {
        try channel.send(kind == .tpm ? .moveToTPM : .moveToSoftware, [passcode])
    }
}

extension SecretBytes {
    func checked(_ size: Int) throws(Refusal) -> SecretBytes {
        guard count == size else { throw .malformed("the enclave's answer") }
        return self
    }
}
