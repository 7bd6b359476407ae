package import KeychainModel
import KeychainWire
package import LinuxSystem

/// Row keys through the channel, in batches of as many as fit a slot.
extension EnclaveConnection {
    package func wrapRowKey(
        _ key: SecretBytes, row: Span<UInt8>, for accessibility: Accessibility
    ) throws(Refusal) -> [UInt8] {
        let (body, answer) = (SecretBuffer(capacity: 64), SecretBuffer(capacity: 64))
        key.withSpan { body.append($0) }
        body.append(row)
        try body.withSpan { (body) throws(Refusal) in try wrap(body, for: accessibility, into: answer) }
        return answer.withSpan { $0.array(0, $0.count) }
    }

    package func wrapRowKeys(
        _ rows: Span<UInt8>, for accessibility: Accessibility, into wrapped: SecretBuffer
    ) throws(Refusal) {
        // A wrapped key is longer than its request.
        let part = EnclaveChannelFormat.bodyLimit / RowKeyRecord.wrappedBytes * RowKeyRecord.unwrappedSize
        try inParts(of: part, rows, into: wrapped) { (rows) throws(Refusal) in
            try wrap(rows, for: accessibility, into: wrapped)
        }
    }

    private func wrap(
        _ rows: Span<UInt8>, for accessibility: Accessibility, into wrapped: SecretBuffer
    ) throws(Refusal) {
        let expected = wrapped.count + rows.count / RowKeyRecord.unwrappedSize * RowKeyRecord.wrappedBytes
        try channel.call(EnclaveCalls.wrapRowKeys.word(for: accessibility), rows, into: wrapped)
        guard wrapped.count == expected else { throw .malformed("the enclave's answer") }
    }

    package func unwrapRowKeys(_ records: Span<UInt8>, into keys: SecretBuffer) throws(Refusal) {
        let part = EnclaveChannelFormat.bodyLimit / RowKeyRecord.size * RowKeyRecord.size
        try inParts(of: part, records, into: keys) { (records) throws(Refusal) in
            let expected = keys.count + records.count / RowKeyRecord.size * RowKeyRecord.answerSize
            try channel.call(EnclaveCalls.unwrapRowKeys.word(), records, into: keys)
            guard keys.count == expected else { throw .malformed("the enclave's answer") }
        }
    }

    /// Calls `body` with at most `size` bytes at a time. A refused part leaves `answer` as it was before the first one.
    private func inParts(
        of size: Int, _ bytes: Span<UInt8>, into answer: SecretBuffer, _ body: (Span<UInt8>) throws(Refusal) -> Void
    ) throws(Refusal) {
        let start = answer.count
        do throws(Refusal) {
            var offset = 0
            while offset < bytes.count {
                let end = min(offset + size, bytes.count)
                try body(bytes.extracting(offset..<end))
                offset = end
            }
        } catch {
            answer.truncate(to: start)
            throw error
        }
    }
}
