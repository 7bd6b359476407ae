import KeychainModel
import LinuxSystem
import SyncFormat
import SyncMerging

/// Shelves of the simulation: their keys are sealed for one machine where it has them, and in no box.
extension SimulatedKeys {
    private var seal: [UInt8] { Array(id.bytes) }

    /// A shelf's record with its key in the clear, as it goes into a box; another record as it is.
    func unsealed(_ record: SyncRecord) -> SyncRecord {
        changingKey(of: record) { key in key.starts(with: seal) ? Array(key.dropFirst(seal.count)) : key }
    }

    /// The record with its key sealed for this machine.
    func sealed(_ record: SyncRecord) -> SyncRecord { changingKey(of: record) { seal + $0 } }

    private func changingKey(of record: SyncRecord, _ change: ([UInt8]) -> [UInt8]) -> SyncRecord {
        guard let shelf = record.shelf else { return record }
        let key = shelf.id + change(shelf.key.withSpan { $0.array(SyncShelf.idBytes, $0.count - SyncShelf.idBytes) })
        let body = SyncShelf(
            shelf.attributes, commitment: shelf.commitment, key: SecretBytes(copying: key.span)
        ).encoded()
        return record.with(body: body, isBoxed: false)
    }
}

extension SimulatedMachine {
    /// A shelf as this machine has it.
    func shelf(
        _ name: String, _ key: String = "key", hlc: UInt64, protection: Accessibility = .afterFirstUnlock
    ) -> SyncRecord {
        let bytes = Self.shelfID(name) + Array(key.utf8)
        let clear = SyncShelf(
            .empty, commitment: sha256(Array(key.utf8)), key: SecretBytes(copying: bytes.span))
        return keys.sealed(
            SyncRecord(
                kind: SyncRecord.Kind.shelf, itemClass: SyncRecord.shelfClass, protection: protection.rawValue,
                rid: Self.shelfRecord(name), hlc: hlc, body: clear.encoded()))
    }

    /// The deletion of a shelf.
    static func deletedShelf(_ name: String, hlc: UInt64) -> SyncRecord {
        SyncRecord(deletedShelf: shelfID(name), rid: shelfRecord(name), hlc: hlc)
    }

    static func shelfID(_ name: String) -> [UInt8] { Array(sha256(Array(name.utf8)).prefix(SyncShelf.idBytes)) }
    static func shelfRecord(_ name: String) -> RecordID { SimulatedKeys.recordID(shelfID(name)) }

    func makeShelf(_ name: String, time: UInt64, protection: Accessibility = .afterFirstUnlock) {
        _ = replica.write(Self.shelfRecord(name), now: now(time)) { shelf(name, hlc: $0, protection: protection) }
    }

    func deleteShelf(_ name: String, time: UInt64) {
        _ = replica.write(Self.shelfRecord(name), now: now(time)) { Self.deletedShelf(name, hlc: $0) }
    }

    /// The key of a shelf that this machine has, as its enclave opens it.
    func key(of name: String) -> String? {
        guard let row = replica.rows[Self.shelfRecord(name)], let shelf = keys.unsealed(row.record).shelf else {
            return nil
        }
        return shelf.key.withSpan { $0.text(SyncShelf.idBytes, $0.count - SyncShelf.idBytes) }
    }
}
