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
        let key = change(shelf.key.withSpan { $0.array(0, $0.count) })
        let body = SyncShelf(
            id: shelf.id, made: shelf.made, name: shelf.name, commitment: shelf.commitment,
            key: SecretBytes(copying: key.span)
        ).encoded()
        return record.with(body: body, isBoxed: false)
    }
}

extension SimulatedMachine {
    /// A shelf as this machine has it.
    ///
    /// - Parameter called: the name that it has, if that is another than it is known by here.
    func shelf(_ name: String, _ key: String = "key", called: String? = nil, hlc: UInt64) -> SyncRecord {
        let bytes = Array(key.utf8)
        let clear = SyncShelf(
            id: Self.shelfID(name), made: 1, name: called ?? name, commitment: sha256(bytes),
            key: SecretBytes(copying: bytes.span))
        return keys.sealed(SyncRecord(clear, rid: Self.shelfRecord(name), hlc: hlc))
    }

    /// The deletion of a shelf.
    static func deletedShelf(_ name: String, hlc: UInt64) -> SyncRecord {
        SyncRecord(deletedShelf: shelfID(name), rid: shelfRecord(name), hlc: hlc)
    }

    static func shelfID(_ name: String) -> ShelfID {
        let bytes = Array(sha256(Array(name.utf8)).prefix(ShelfID.size))
        return ShelfID(bytes.span) ?? .zero
    }

    static func shelfRecord(_ name: String) -> RecordID { SimulatedKeys.recordID(shelfID(name).bytes) }

    func makeShelf(_ name: String, _ key: String = "key", called: String? = nil, time: UInt64) {
        _ = replica.write(Self.shelfRecord(name), now: now(time)) { shelf(name, key, called: called, hlc: $0) }
    }

    func deleteShelf(_ name: String, time: UInt64) {
        _ = replica.write(Self.shelfRecord(name), now: now(time)) { Self.deletedShelf(name, hlc: $0) }
    }

    /// The key of a shelf that this machine has, as its enclave opens it.
    func key(of name: String) -> String? {
        guard let row = replica.rows[Self.shelfRecord(name)], let shelf = keys.unsealed(row.record).shelf else {
            return nil
        }
        return shelf.key.withSpan { $0.text(0, $0.count) }
    }
}

extension Simulation {
    /// Makes a shelf, as a backup may have brought it to others before, or deletes it.
    func editShelf(_ machine: SimulatedMachine) {
        let name = "shelf \(dice.below(plan.accounts))"
        let isThere = machine.key(of: name) != nil
        if isThere, dice.chance(40) { machine.deleteShelf(name, time: time) }
        if !isThere { machine.makeShelf(name, Self.key(of: name), time: time) }
        machine.sync()
    }

    private static func key(of shelf: String) -> String { "key of \(shelf)" }

    /// No shelf has lost its key, or has another's.
    func wrongKeys(_ machine: SimulatedMachine) -> [String] {
        machine.replica.rows.all.values.compactMap { row in
            guard let name = row.record.shelf?.name else { return nil }
            return machine.key(of: name) == Self.key(of: name) ? nil : "a shelf has another key"
        }
    }
}
