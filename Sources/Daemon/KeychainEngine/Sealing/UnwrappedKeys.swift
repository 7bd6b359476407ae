import EnclaveWire
import KeychainModel
import KeychainStore
import LinuxSystem

/// The secret keys of rows: the records that the enclave is asked about, and its answers in their order.
struct UnwrappedKeys {
    private let records, answers: SecretBuffer

    /// - Parameter rows: so many have room at first.
    init(rows: Int) {
        records = SecretBuffer(capacity: rows * RowKeyRecord.size)
        answers = SecretBuffer(capacity: rows * RowKeyRecord.answerSize)
    }

    /// Whether there is no answer yet.
    var isEmpty: Bool { answers.count == 0 }

    func removeAll() {
        records.removeAll()
        answers.removeAll()
    }

    /// Adds the record of a row.
    func appendRecord(of row: some RowSource) {
        let isWhole =
            row.withPart(.uuid) { $0.count == RowKeyRecord.rowBytes }
            && row.withPart(.wrappedKey) { $0.count == RowKeyRecord.wrappedBytes }
        // Guarded, or a part has not its size: the row gets a record that cannot open.
        guard isWhole else { return records.append(count: RowKeyRecord.size) { _ in } }
        records.append(littleEndian: UInt32(row.accessibility?.rawValue ?? 0))
        row.withPart(.uuid) { records.append($0) }
        row.withPart(.wrappedKey) { records.append($0) }
    }

    /// Asks the enclave for the keys of all rows.
    func unwrap(by enclave: any EnclaveService) throws(Refusal) {
        try records.withSpan { (records) throws(Refusal) in try enclave.unwrapRowKeys(records, into: answers) }
    }

    /// Where the answer about one row stands.
    struct Place {
        let keys: UnwrappedKeys
        let index: Int

        private var start: Int { index * RowKeyRecord.answerSize }
        private var end: Int { start + RowKeyRecord.answerSize }

        /// Puts in the key of a guarded row, about which the enclave is not asked with others.
        func set(_ key: SecretBytes) {
            if keys.answers.count == start { keys.answers.append(count: RowKeyRecord.answerSize) { _ in } }
            guard end <= keys.answers.count, key.count == RowKeyRecord.keyBytes else { return }
            keys.answers.withMutableSpan { answers in
                answers[start] = RowKeyRecord.Outcome.opened.rawValue
                key.withSpan { answers.copy($0, to: start + 1) }
            }
        }

        /// - Throws: why there is no key of a row of this class.
        func check(_ accessibility: Accessibility?) throws(ItemSealer.Failure) {
            guard end <= keys.answers.count else { throw .damaged("its key") }
            switch keys.answers.withSpan({ RowKeyRecord.Outcome(rawValue: $0[start]) }) {
            case .opened: break
            case .locked: throw .refused(.locked(accessibility))
            case .damaged, nil: throw .damaged("its key")
            }
        }

        /// Lends the key.
        func withKey<Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Void) throws(Failure) {
            try keys.answers.withSpan { (answers) throws(Failure) in try body(answers.extracting(start + 1..<end)) }
        }
    }
}
