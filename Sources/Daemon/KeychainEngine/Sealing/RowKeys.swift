import EnclaveWire
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

/// The secret key of a row to be added, with the UUID it is bound to and its wrapping.
struct RowKey: Sendable {
    let accessibility: Accessibility
    let uuid: [UInt8]
    let key: SecretBytes
    let wrapped: [UInt8]
}

/// The row keys of the adds of one transaction: each random, for one row alone. The enclave is asked once for the
/// wrappings of all of a class, because a call costs two changes of process.
struct RowKeys {
    private var keys: [Accessibility: [RowKey]] = [:]

    init() {}

    /// Has keys for the adds among the requests.
    ///
    /// - Throws: what the enclave says, but not that a class is closed: its adds are told so one by one.
    init(for requests: [AuthorizedRequest], from enclave: any EnclaveService) throws(Refusal) {
        try self.init(Self.adds(in: requests), from: enclave)
    }

    /// Has so many keys of each class.
    ///
    /// - Throws: as above.
    init(_ counts: [Accessibility: Int], from enclave: any EnclaveService) throws(Refusal) {
        for (accessibility, count) in counts {
            do throws(Refusal) { keys[accessibility] = try Self.fetch(count, accessibility, enclave) } catch {
                guard error.status == .interactionNotAllowed else { throw error }
            }
        }
    }

    /// Takes out a key for a row of the class; nil when there is none.
    mutating func take(for accessibility: Accessibility) -> RowKey? { keys[accessibility]?.popLast() }

    private static func adds(in requests: [AuthorizedRequest]) -> [Accessibility: Int] {
        var counts: [Accessibility: Int] = [:]
        for request in requests where request.request.operation == .add && request.parts.isEmpty {
            // A wrong add is refused when it is performed.
            guard let accessibility = try? request.addedAccessibility() else { continue }
            counts[accessibility, default: 0] += 1
        }
        return counts
    }

    private static func fetch(
        _ count: Int, _ accessibility: Accessibility, _ enclave: any EnclaveService
    ) throws(Refusal) -> [RowKey] {
        let rows = SecretBuffer(capacity: count * RowKeyRecord.unwrappedSize)
        let wrapped = SecretBuffer(capacity: count * RowKeyRecord.wrappedBytes)
        rows.append(count: count * RowKeyRecord.unwrappedSize) { Randomness.fill(&$0) }
        try rows.withSpan { (rows) throws(Refusal) in
            try enclave.wrapRowKeys(rows, for: accessibility, into: wrapped)
        }
        return (0..<count).map { index in key(index, accessibility, rows, wrapped) }
    }

    private static func key(
        _ index: Int, _ accessibility: Accessibility, _ rows: SecretBuffer, _ wrapped: SecretBuffer
    ) -> RowKey {
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
