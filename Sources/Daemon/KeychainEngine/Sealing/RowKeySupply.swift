import KeychainModel
import KeychainWire
import LinuxSystem

/// The secret key of a row to be added, with the UUID it is bound to and its wrapping.
struct RowKey {
    let accessibility: Accessibility
    let uuid: [UInt8]
    let key: SecretBytes
    let wrapped: [UInt8]
}

/// Row keys for adds to come: each random, for one row alone, and wrapped by the enclave before somebody waits for it.
///
/// A call of the enclave costs two changes of process. Fetched for many rows at once, and while nobody waits, it costs an add
/// nothing. Only where the enclave serves this engine alone may keys be kept: then a class that closes, or whose key is
/// destroyed, is dropped here with the metadata keys (``MetadataKeyring``). Belongs to one thread.
final class RowKeySupply {
    /// More than this are not kept; for that many the call has long become cheap.
    private static let most = 64

    private let enclave: any EnclaveService
    private let keyring: MetadataKeyring
    private var epoch: UInt32 = 0
    private var ready: [[RowKey]] = Array(repeating: [], count: Accessibility.allCases.count + 1)
    private let rows = SecretBuffer(capacity: most * RowKeyRecord.unwrappedSize)
    private let wrapped = SecretBuffer(capacity: most * RowKeyRecord.wrappedBytes)

    init(_ enclave: any EnclaveService, _ keyring: MetadataKeyring) {
        (self.enclave, self.keyring) = (enclave, keyring)
    }

    /// Takes out a key for a row of the class; nil when there is none.
    func take(for accessibility: Accessibility) -> RowKey? {
        forgetClosedKeys()
        return ready[Int(accessibility.rawValue)].popLast()
    }

    private func forgetClosedKeys() {
        let now = keyring.epoch
        guard epoch != now else { return }
        epoch = now
        for index in ready.indices { ready[index].removeAll(keepingCapacity: true) }
    }

    /// Fetches as many keys for a class as are kept, if there are less than `count`.
    ///
    /// - Throws: as ``fill(_:upTo:)``.
    func refill(_ accessibility: Accessibility, below count: Int) throws(Refusal) {
        forgetClosedKeys()
        if ready[Int(accessibility.rawValue)].count < count { try fill(accessibility, upTo: Self.most) }
    }

    /// Has at least `count` keys for a class, as far as so many are kept.
    ///
    /// - Throws: what the enclave says; then there are as many as before.
    func fill(_ accessibility: Accessibility, upTo count: Int) throws(Refusal) {
        forgetClosedKeys()
        let missing = min(count, Self.most) - ready[Int(accessibility.rawValue)].count
        guard missing > 0 else { return }
        defer {
            rows.removeAll()
            wrapped.removeAll()
        }
        rows.append(count: missing * RowKeyRecord.unwrappedSize) { rows in
            Randomness.fill(&rows)
            Self.makeNeighbours(of: &rows)
        }
        try rows.withSpan { (rows) throws(Refusal) in
            try enclave.wrapRowKeys(rows, for: accessibility, into: wrapped)
        }
        for index in 0..<missing { ready[Int(accessibility.rawValue)].append(key(index, accessibility)) }
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
