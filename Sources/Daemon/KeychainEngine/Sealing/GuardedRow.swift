import EnclaveWire
import KeychainModel
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

    /// Reads a row; nil when it is none that this release knows.
    init?(uuid: Span<UInt8>, _ accessibility: Accessibility?, wrappedKey: Span<UInt8>) {
        guard let accessibility, uuid.count == RowKeyRecord.rowBytes, Self.isGuarded(wrappedKey), wrappedKey[0] == 1
        else { return nil }
        self.uuid = uuid.array(0, uuid.count)
        self.accessibility = accessibility
        self.wrappedKey = wrappedKey.array(0, wrappedKey.count)
        flags = wrappedKey.littleEndian(UInt64.self, at: 4)
    }

    /// Whether a wrapped key is that of a guarded row.
    static func isGuarded(_ wrappedKey: Span<UInt8>) -> Bool { wrappedKey.count > RowKeyRecord.wrappedBytes }
}

extension SealedKey {
    /// The identifier of a key when the user is asked for it: the end of its ciphertext, which no other key has.
    var guardIdentifier: [UInt8] { Array(sealed.suffix(RowKeyRecord.rowBytes)) }
}
