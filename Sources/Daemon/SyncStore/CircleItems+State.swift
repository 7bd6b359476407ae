import KeychainEngine
import KeychainModel
import KeychainStore
import SyncFormat
import SyncMerging

/// The state of a circle as the pieces that the store has.
extension CircleItems {
    func entries(_ pieces: [StoredPiece]) throws(Refusal) -> [StateEntry] {
        var entries: [StateEntry] = []
        for piece in pieces { entries.append(try entry(piece)) }
        return entries
    }

    private func entry(_ piece: StoredPiece) throws(Refusal) -> StateEntry {
        guard let entry = try? StateEntry(name: piece.name, value: piece.value, secret: nil) else {
            throw .damagedCircle
        }
        guard let sealed = piece.sealed else { return entry }
        return entry.with(try secret(sealed, of: entry))
    }

    func piece(_ entry: StateEntry) throws(Refusal) -> StoredPiece {
        var sealed: [UInt8]?
        if let secret = entry.secret {
            sealed = try sealSecret(secret.body, try accessibility(secret.protection), boundTo: entry.bound)
        }
        return StoredPiece(name: entry.name, value: entry.value, sealed: sealed)
    }

    private func accessibility(_ number: UInt8) throws(Refusal) -> Accessibility {
        guard let accessibility = Accessibility(rawValue: number) else { throw .damagedCircle }
        return accessibility
    }

    /// Opens a secret, whose protection class stands in the record's head.
    private func secret(_ sealed: [UInt8], of entry: StateEntry) throws(Refusal) -> StateEntry.Secret {
        guard let number = entry.protection else { throw .damagedCircle }
        guard let body = try openSecret(sealed, try accessibility(number), boundTo: entry.bound) else {
            throw .damagedCircle
        }
        return StateEntry.Secret(body, protection: number)
    }
}

extension StateEntry {
    /// The bytes that a piece's secret is bound to.
    ///
    ///     "sync" length:u32 name value
    fileprivate var bound: [UInt8] { Array("sync".utf8) + StateWriter.bytes { $0.add(run: name) } + value }
}
