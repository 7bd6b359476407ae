import EnclaveWire
import KeychainModel
import KeychainStore
import KeychainWire
import LinuxSystem

/// A row whose secret key the user guards, as it lies in the store.
///
///     wrappedKey = version:u8 zero:u8 zero:u16 flags:u64 …          ; longer than any other row's
struct GuardedRow {
    let uuid: [UInt8]
    let accessibility: Accessibility
    let wrappedKey: [UInt8]
    /// The bits of the access control, as the row says: the enclave goes by what is sealed.
    let flags: UInt64

    /// Reads a guarded row; nil when it is none that this release knows.
    fileprivate init?(_ row: some RowSource) {
        let key = row.withPart(.wrappedKey) { $0.array(0, $0.count) }
        guard let accessibility = row.accessibility, row.uuid.count == RowKeyRecord.rowBytes, key[0] == 1 else {
            return nil
        }
        (uuid, self.accessibility, wrappedKey) = (row.uuid, accessibility, key)
        flags = key.span.littleEndian(UInt64.self, at: 4)
    }
}

extension RowSource {
    var uuid: [UInt8] { withPart(.uuid) { $0.array(0, $0.count) } }

    /// Whether its wrapped key is that of a guarded row.
    var isGuarded: Bool { withPart(.wrappedKey) { $0.count > RowKeyRecord.wrappedBytes } }

    /// The row with what guards it; nil for a row that nobody guards.
    ///
    /// - Throws: `damaged` for a guard that this release does not know.
    func guarded() throws(ItemSealer.Failure) -> GuardedRow? {
        guard isGuarded else { return nil }
        guard let row = GuardedRow(self) else { throw .damaged("its key") }
        return row
    }
}

extension SealedKey {
    /// The identifier of a key when the user is asked for it: the end of its ciphertext, which no other key has.
    var guardIdentifier: [UInt8] { Array(sealed.suffix(RowKeyRecord.rowBytes)) }
}
