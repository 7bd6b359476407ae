import KeychainModel
import LinuxSystem
import SyncFormat
import SyncMerging

/// Shelves of the simulation: their keys are sealed for one machine where it has them, and in no box.
extension SimulatedKeys {
    private var seal: [UInt8] { Array(id.bytes) }

    /// A shelf's record with its key in the clear, as it goes into a box; another record as it is.
    func unsealed(_ record: SyncRecord) -> SyncRecord {
        changingKey(of: record) { key in key.starts(with: seal) ? Array(key.dropFirst(seal.count)) : [] }
    }

    /// The record with its key sealed for this machine.
    func sealed(_ record: SyncRecord) -> SyncRecord { changingKey(of: record) { seal + $0 } }

    private func changingKey(of record: SyncRecord, _ change: ([UInt8]) -> [UInt8]) -> SyncRecord {
        guard let shelf = record.shelf else { return record }
        let key = change(shelf.key.withSpan { $0.array(0, $0.count) })
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
        let buffer = SecretBuffer(capacity: 64)
        buffer.append(.account, .string(name))
        let list = (try? AttributeList(parsing: buffer.finish())) ?? .empty
        let clear = SyncShelf(list, commitment: sha256(Array(key.utf8)), key: SecretBytes(copying: Array(key.utf8).span))
        return keys.sealed(
            SyncRecord(
                kind: SyncRecord.Kind.shelf, itemClass: SyncRecord.shelfClass, protection: protection.rawValue,
                rid: name.recordID, hlc: hlc, body: clear.encoded()))
    }

    /// The deletion of a shelf.
    static func deletedShelf(_ name: String, hlc: UInt64) -> SyncRecord {
        let deletion = record(name, nil, hlc: hlc)
        return SyncRecord(
            kind: deletion.kind, itemClass: SyncRecord.shelfClass, protection: deletion.protection,
            rid: deletion.rid, hlc: hlc, body: deletion.withBody { SecretBytes(copying: $0) })
    }

    func makeShelf(_ name: String, time: UInt64, protection: Accessibility = .afterFirstUnlock) {
        _ = replica.write(name.recordID, now: now(time)) { shelf(name, hlc: $0, protection: protection) }
    }

    func deleteShelf(_ name: String, time: UInt64) {
        _ = replica.write(name.recordID, now: now(time)) { Self.deletedShelf(name, hlc: $0) }
    }

    /// The key of a shelf that this machine has, as its enclave opens it.
    func key(of name: String) -> String? {
        guard let row = replica.rows[name.recordID], let shelf = keys.unsealed(row.record).shelf else { return nil }
        return shelf.key.withSpan { $0.text(0, $0.count) }
    }
}
