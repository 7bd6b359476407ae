import KeychainEngine
import KeychainModel
import KeychainStore
import SyncMerging

/// The memory of a member of a circle, from one change to the next.
///
/// It is what the store has, or it is not used. Records that the same connection has written meanwhile are read again.
/// After a write of another connection, after a failure, and in a new process, everything is: each statement is then
/// verified from the genesis on. An older or an edited store is found there, as it always was.
///
/// No item's body is in it.
package struct CircleMemory {
    /// Batches that wait for their turn, which are in no store.
    let waiting: WaitingBatches?
    private(set) var known: KnownCircle?

    package init() { (waiting, known) = (nil, nil) }

    /// - Parameter known: what the store has after the change that was just made.
    init(_ known: KnownCircle) {
        waiting = known.replica.waitingForTheirTurn
        self.known = known.isWithoutBodies ? known : nil
    }

    /// Takes what is known, so that nothing is left when the next change fails.
    mutating func take() -> KnownCircle? {
        defer { known = nil }
        return known
    }
}

/// The circle as the store has it, and as it will be when the open transaction is on disk. One change at a time has it.
final class KnownCircle {
    var replica: Replica<StoredRows>
    /// The pieces of the state in the store, by name.
    private var pieces: [[UInt8]: StoredPiece]
    /// The floor that the store has been told.
    private var floor: UInt64 = 0
    /// When the rows were read last.
    var moment: RecordMoment

    init(_ replica: Replica<StoredRows>, _ pieces: [StoredPiece], at moment: RecordMoment) {
        (self.replica, self.moment) = (replica, moment)
        self.pieces = Dictionary(pieces.map { ($0.name, $0) }) { $1 }
    }

    /// Has all that has changed in the store, in the open transaction, and gives the bodies away.
    func keep(in items: CircleItems) throws(Refusal) {
        try replica.rows.apply()
        try keepPieces(in: items)
        if replica.stampFloor > floor {
            try items.tables.raiseFloor(to: Int64(replica.stampFloor))
            floor = replica.stampFloor
        }
        replica.rows.end()
    }

    private func keepPieces(in items: CircleItems) throws(Refusal) {
        var (next, gone): ([[UInt8]: StoredPiece], [[UInt8]: StoredPiece]) = ([:], pieces)
        for entry in replica.saved {
            let piece = try items.piece(entry)
            if gone.removeValue(forKey: piece.name) != piece { try items.tables.keep(piece) }
            next[piece.name] = piece
        }
        for name in gone.keys { try items.tables.drop(pieceNamed: name) }
        pieces = next
    }

    /// Whether nothing of it is a secret between two changes. Records far ahead of the clock have their bodies.
    var isWithoutBodies: Bool { replica.futureCount == 0 && replica.me == replica.rows.me }
}
