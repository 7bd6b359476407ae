import SyncFormat
import SyncMerging
import Testing

/// A lie that a member in wrong hands announces.
struct SnapshotLie: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let alter: @Sendable (inout SnapshotContent) -> Void

    init(_ description: String, _ alter: @escaping @Sendable (inout SnapshotContent) -> Void) {
        (testDescription, self.alter) = (description, alter)
    }

    static let all = [
        SnapshotLie("an item is missing") { $0.records.removeAll { $0.rid == "mail".recordID } },
        SnapshotLie("an item has another value") { content in
            content.replace("mail") { SimulatedMachine.record("mail", "a lie", hlc: $0.hlc) }
        },
        SnapshotLie("an item is deleted") { content in
            content.replace("mail") { SimulatedMachine.record("mail", nil, hlc: $0.hlc) }
        },
        SnapshotLie("an item is older") { content in
            content.replace("mail") { SimulatedMachine.record("mail", "value", hlc: $0.hlc - 1) }
        },
        SnapshotLie("a deleted item is there") { content in
            content.replace("gone") { SimulatedMachine.record("gone", "a lie", hlc: $0.hlc + 1) }
        },
        SnapshotLie("an item is there that nobody has written") { content in
            let lie = SimulatedMachine.record("never", "a lie", hlc: 1_700_000_000_000_000)
            content.records.append(lie.with(origin: content.records[0].origin))
        },
        SnapshotLie("a tombstone is there that nobody has written") { content in
            let lie = SimulatedMachine.record("never", nil, hlc: 1_900_000_000_000_000)
            content.records.append(lie.with(origin: content.records[0].origin))
        },
        SnapshotLie("a deletion is of another batch") { content in
            content.replace("gone", place: { SyncRecord.Origin(device: $0.device, seq: 1) }, by: { $0 })
        },
        SnapshotLie("a removal is missing") { content in
            content.stating.removeAll { $0.statements.contains { if case .remove = $0 { true } else { false } } }
        },
        SnapshotLie("a statement is there twice") { $0.stating.append($0.stating[0]) },
        SnapshotLie("a floor is lower") { $0.alterLog { ($0.seq, $0.hash, 0, $0.said) } },
        SnapshotLie("a member has read more than it says") { content in
            content.alterLog { log in
                (log.seq, log.hash, log.floor, log.said.map { SyncRecord.Origin(device: $0.device, seq: $0.seq + 1) })
            }
        },
        SnapshotLie("a batch has another hash") { $0.alterLog { ($0.seq, BatchHash([1]), $0.floor, $0.said) } },
        SnapshotLie("batches are covered that are not there") { content in
            content.alterLog { ($0.seq + 9, $0.hash, $0.floor, $0.said) }
        },
        SnapshotLie("a log is missing") { content in
            let author = content.author
            content.logs.removeAll { $0.device == author }
        },
    ]
}

extension SnapshotContent {
    /// The author of the deletion, who is the first machine.
    var author: MemberID { records.first { $0.rid == "gone".recordID }?.origin?.device ?? .none }

    mutating func replace(
        _ account: String, place: (SyncRecord.Origin) -> SyncRecord.Origin = { $0 }, by make: (SyncRecord) -> SyncRecord
    ) {
        guard let index = records.firstIndex(where: { $0.rid == account.recordID }),
            let origin = records[index].origin
        else { return }
        records[index] = make(records[index]).with(origin: place(origin))
    }

    mutating func alterLog(
        _ make: (SnapshotManifest.Log) -> (UInt64, BatchHash, UInt64, [SyncRecord.Origin])
    ) {
        guard let index = logs.firstIndex(where: { $0.device == author }) else { return }
        let (seq, hash, floor, said) = make(logs[index])
        logs[index] = .init(device: author, seq: seq, hash: hash, floor: floor, said: said)
    }
}
