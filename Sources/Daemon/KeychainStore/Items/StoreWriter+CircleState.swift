package import KeychainModel
import LinuxSystem

/// A piece of what the machine knows of its circle (sync.md, section 8).
package struct StoredPiece: Equatable, Sendable {
    package let name: [UInt8]
    package let value: [UInt8]
    /// The secret of the piece, sealed; nil without one.
    package let sealed: [UInt8]?

    package init(name: [UInt8], value: [UInt8], sealed: [UInt8]?) {
        (self.name, self.value, self.sealed) = (name, value, sealed)
    }
}

extension StoreWriter {
    /// Writes a piece of the state, in the open transaction.
    package func keep(_ piece: StoredPiece) throws(Refusal) {
        let statement = try statement(.keepPiece)
        try writing { () throws(DatabaseError) in
            statement.bind(blob: piece.name.span, at: 1)
            statement.bind(blob: piece.value.span, at: 2)
            if let sealed = piece.sealed { statement.bind(blob: sealed.span, at: 3) }
            try statement.run()
        }
    }

    /// Drops a piece of the state, in the open transaction.
    package func drop(pieceNamed name: [UInt8]) throws(Refusal) {
        let statement = try statement(.dropPiece)
        try writing { () throws(DatabaseError) in
            statement.bind(blob: name.span, at: 1)
            try statement.run()
        }
    }
}

extension StoreReader {
    /// The pieces of the state of the circle; none in a store of no circle, or of one that knows nothing yet.
    package func circleState() throws(Refusal) -> [StoredPiece] {
        let found = try refusing { () throws(DatabaseError) -> Statement? in
            guard try database.integer(CircleTables.looking, "be searched") != nil else { return nil }
            return try database.prepare(CircleTables.state, "be searched")
        }
        guard let statement = found else { return [] }
        var pieces: [StoredPiece] = []
        while try statement.next() {
            let blobs = (0..<3).map { column in statement.withBlob(column) { $0.array(0, $0.count) } }
            pieces.append(
                StoredPiece(name: blobs[0], value: blobs[1], sealed: statement.isNull(2) ? nil : blobs[2]))
        }
        return pieces
    }
}
