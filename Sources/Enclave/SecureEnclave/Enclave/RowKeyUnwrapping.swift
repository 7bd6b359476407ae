import EnclaveWire
import KeychainCrypto
package import KeychainModel
import KeychainWire
package import LinuxSystem

/// The hot path: one call per item that is read, no allocation and no system call in it but the clock's, which the
/// kernel answers in this process.
extension SoftwareEnclave {
    package func unwrapRowKeys(_ records: Span<UInt8>, into keys: SecretBuffer) throws(Refusal) {
        guard records.count % RowKeyRecord.size == 0 else { throw .wrongSize("batch of row keys") }
        let start = keys.count
        var closes = false
        let allOpened = state.withLock { (state) in
            closes = state.use()
            return state.unwrap(records, into: keys)
        }
        if closes { forgetWhatWasOpen() }
        if allOpened { return }
        // A key that does not open may be of a vault that another process has changed: looked at only now, because
        // asking the file system every time would cost as much as the rest.
        try state.withLock { (state) throws(Refusal) in
            try state.checkAge()
            guard state.isOutdated(file) else { return }
            try state.refresh(from: file)
            keys.truncate(to: start)
            _ = state.unwrap(records, into: keys)
        }
    }
}

extension DeviceState {
    /// Appends an answer for every record; whether all were opened.
    fileprivate func unwrap(_ records: Span<UInt8>, into keys: SecretBuffer) -> Bool {
        var allOpened = true
        var offset = 0
        while offset < records.count {
            let record = records.extracting(offset..<offset + RowKeyRecord.size)
            let answer = keys.count
            keys.append(RowKeyRecord.Outcome.opened.rawValue)
            let outcome = unwrapRecord(record, into: keys)
            if outcome != .opened {
                allOpened = false
                keys.overwrite(littleEndian: outcome.rawValue, at: answer)
                keys.append(count: RowKeyRecord.keyBytes) { _ in }
            }
            offset += RowKeyRecord.size
        }
        return allOpened
    }

    @inline(__always)
    private func unwrapRecord(_ record: Span<UInt8>, into keys: SecretBuffer) -> RowKeyRecord.Outcome {
        guard let accessibility = Accessibility(rawValue: record[0]) else { return .damaged }
        guard let cipher = cipher(for: accessibility) else { return .locked }
        let binding = record.extracting(..<WrappingBinding.rowBytes)
        do throws(CryptoError) {
            try cipher.open(record.extracting(WrappingBinding.rowBytes...), aad: binding, into: keys)
            return .opened
        } catch { return .damaged }
    }
}
