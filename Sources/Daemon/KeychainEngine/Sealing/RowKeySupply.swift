import KeychainModel
import KeychainWire
import LinuxSystem

/// The secret key of a row to be added, with the UUID it is bound to and its wrapping.
struct RowKey: Sendable {
    let accessibility: Accessibility
    let uuid: [UInt8]
    let key: SecretBytes
    let wrapped: [UInt8]
}

/// Row keys for adds to come: each random, for one row alone, and wrapped by the enclave before somebody waits for it.
///
/// A call of the enclave costs two changes of process. Fetched for many rows at once, and by a thread that nobody waits for, it
/// costs an add nothing. Only where the enclave serves this engine alone may keys be kept: then a class that closes, or whose key
/// is destroyed, is dropped here with the metadata keys (``MetadataKeyring``). Several threads may use it.
final class RowKeySupply: Sendable {
    /// More than this are not kept; for that many the call has long become cheap.
    private static let most = 64
    /// With fewer more are fetched: these last while that is done.
    private static let few = most / 2

    private struct Stock {
        /// The state of the device they were wrapped in.
        var epoch: UInt32 = 0
        var keys: [[RowKey]] = Array(repeating: [], count: Accessibility.allCases.count + 1)
        /// The class that is running out.
        var wanted: Accessibility?
    }

    /// Where keys come from: one thread at a time fetches some.
    fileprivate struct Source {
        let enclave: any EnclaveService
        let rows = SecretBuffer(capacity: most * RowKeyRecord.unwrappedSize)
        let wrapped = SecretBuffer(capacity: most * RowKeyRecord.wrappedBytes)
    }

    private let keyring: MetadataKeyring
    private let stock = Lock(Stock())
    private let source: Lock<Source>

    init(_ enclave: any EnclaveService, _ keyring: MetadataKeyring) {
        source = Lock(Source(enclave: enclave))
        self.keyring = keyring
    }

    /// Takes out a key for a row of the class; nil when there is none.
    func take(for accessibility: Accessibility) -> RowKey? {
        withStock { $0.keys[Int(accessibility.rawValue)].popLast() }
    }

    /// Whether keys for a class run out, so that ``refill()`` is to be called on a thread that nobody waits for.
    func isLow(_ accessibility: Accessibility) -> Bool {
        withStock { stock in
            let isLow = stock.keys[Int(accessibility.rawValue)].count < Self.few
            stock.wanted = isLow ? accessibility : nil
            return isLow
        }
    }

    /// Fetches as many keys as are kept for the class that was found to run out.
    ///
    /// - Throws: as ``fill(_:upTo:)``.
    func refill() throws(Refusal) {
        guard let wanted = withStock({ $0.wanted.take() }), isLow(wanted) else { return }
        try fill(wanted, upTo: Self.most)
    }

    /// Has at least `count` keys for a class, as far as so many are kept.
    ///
    /// - Throws: what the enclave says; then there are as many as before.
    func fill(_ accessibility: Accessibility, upTo count: Int) throws(Refusal) {
        guard missing(accessibility, of: count) > 0 else { return }
        try source.withLock { (source) throws(Refusal) in
            let epoch = keyring.epoch
            // Somebody may have fetched them meanwhile.
            let missing = missing(accessibility, of: count)
            guard missing > 0 else { return }
            try source.fetch(missing, accessibility) { key in
                // A class that has closed since takes them with it.
                withStock { if $0.epoch == epoch { $0.keys[Int(accessibility.rawValue)].append(key) } }
            }
        }
    }

    private func missing(_ accessibility: Accessibility, of count: Int) -> Int {
        min(count, Self.most) - withStock { $0.keys[Int(accessibility.rawValue)].count }
    }

    /// What is kept, without the keys of a class that has closed.
    private func withStock<Result: Sendable>(_ body: (inout Stock) -> Result) -> Result {
        stock.withLock { stock in
            let now = keyring.epoch
            if stock.epoch != now { stock = Stock(epoch: now) }
            return body(&stock)
        }
    }
}

extension RowKeySupply.Source {
    fileprivate func fetch(
        _ count: Int, _ accessibility: Accessibility, _ take: (RowKey) -> Void
    ) throws(Refusal) {
        defer {
            rows.removeAll()
            wrapped.removeAll()
        }
        rows.append(count: count * RowKeyRecord.unwrappedSize) { rows in
            Randomness.fill(&rows)
            Self.makeNeighbours(of: &rows)
        }
        try rows.withSpan { (rows) throws(Refusal) in
            try enclave.wrapRowKeys(rows, for: accessibility, into: wrapped)
        }
        for index in 0..<count { take(key(index, accessibility)) }
    }

    /// Gives all UUIDs the first half of the first one. What is added in a row is then beside each other in the index of UUIDs, and a
    /// commit of many adds writes one of its pages instead of as many as it has adds.
    private static func makeNeighbours(of rows: inout MutableSpan<UInt8>) {
        let first = RowKeyRecord.keyBytes
        for start in stride(from: first + RowKeyRecord.unwrappedSize, to: rows.count, by: RowKeyRecord.unwrappedSize) {
            for byte in 0..<RowKeyRecord.rowBytes / 2 { rows[start + byte] = rows[first + byte] }
        }
    }

    private func key(_ index: Int, _ accessibility: Accessibility) -> RowKey {
        let start = index * RowKeyRecord.unwrappedSize
        let middle = start + RowKeyRecord.keyBytes
        return rows.withSpan { rows in
            RowKey(
                accessibility: accessibility, uuid: rows.array(middle, RowKeyRecord.rowBytes),
                key: SecretBytes(copying: rows.extracting(start..<middle)),
                wrapped: wrapped.withSpan { $0.array(index * RowKeyRecord.wrappedBytes, RowKeyRecord.wrappedBytes) })
        }
    }
}
