package import KeychainModel
import LinuxSystem

/// The writer's operations on earlier versions (``HistoryTable``).
extension StoreWriter {
    /// Keeps a row, which the open transaction is about to change or delete, as it stands.
    package func keep(_ version: EndedVersion<some RowSource>) throws(Refusal) {
        let owner = owner?.span.array(0, RowCodes.size) ?? []
        let code = try digester.code(of: version, owner: owner.span)
        let statement = try statement(.keepVersion(version.row.itemClass))
        try writing { () throws(DatabaseError) in
            try statement.bind(integer: version.row.id, at: 1)
            statement.bind(blob: owner.span, at: 2)
            try statement.bind(integer: version.ended, at: 3)
            try statement.bind(integer: Int64(version.end.rawValue), at: 4)
            statement.bind(blob: code.span, at: 5)
            if let lost = version.lost { statement.bind(blob: lost.bytes.span, at: 6) }
            try statement.run()
        }
    }

    /// Keeps a version that no row has had.
    package func keep(lost version: EndedVersion<UnstoredRow>) throws(Refusal) {
        let (row, owner) = (version.row, owner?.span.array(0, RowCodes.size) ?? [])
        let code = try digester.code(of: version, owner: owner.span)
        let statement = try statement(.addVersion)
        let parts: [RowPart] = [.uuid, .primaryKey, .group, .wrappedKey, .metadata, .value]
        for (index, part) in parts.enumerated() {
            row.withPart(part) { statement.bind(blob: $0, at: Int32(index) + 1) }
        }
        statement.bind(blob: owner.span, at: 7)
        statement.bind(blob: code.span, at: 8)
        if let lost = version.lost { statement.bind(blob: lost.bytes.span, at: 14) }
        let numbers = [
            Int64(row.itemClass.rawValue), Int64(version.accessibility.rawValue), row.isSynchronizable ? 1 : 0,
            version.ended, Int64(version.end.rawValue),
        ]
        try writing { () throws(DatabaseError) in
            for (index, number) in numbers.enumerated() { try statement.bind(integer: number, at: Int32(index) + 9) }
            try statement.run()
        }
    }

    /// Takes the change of a version for known to those that came after it; in the open transaction. Nothing happens
    /// to one that is not as it was written.
    package func settle(_ loser: StoredLoser) throws(Refusal) {
        let (found, lost) = (try statement(.version), loser.lost.settled)
        try refusing { () throws(DatabaseError) in try found.bind(integer: loser.number, at: 1) }
        guard try found.next(), try digester.isAuthentic(version: found) else { return found.reset() }
        let code = try digester.code(ofVersion: found, as: lost)
        found.reset()
        let statement = try statement(.settleVersion)
        try writing { () throws(DatabaseError) in
            try statement.bind(integer: loser.number, at: 1)
            statement.bind(blob: lost.bytes.span, at: 2)
            statement.bind(blob: code.span, at: 3)
            try statement.run()
        }
    }

    /// Drops one version.
    package func forget(version: Int64) throws(Refusal) { try run(.forgetVersion, version) }

    /// Drops the earlier versions of the item that has a row, and those of items that had its name before.
    package func forgetVersions(of row: some RowSource) throws(Refusal) {
        let statement = try statement(.forgetItem)
        try writing { () throws(DatabaseError) in
            try statement.bind(integer: Int64(row.itemClass.rawValue), at: 1)
            row.withPart(.uuid) { statement.bind(blob: $0, at: 2) }
            row.withPart(.primaryKey) { statement.bind(blob: $0, at: 3) }
            try statement.run()
        }
    }

    /// Drops the versions of a group's items.
    package func forgetVersions(of group: ColumnDigest) throws(Refusal) { try run(.forgetGroup, on: group) }

    /// Drops what the owner of the rows written now has ended.
    package func forgetOwnVersions() throws(Refusal) {
        if let owner { try run(.forgetOwner, on: owner) }
    }

    /// Drops the oldest versions, so many at most.
    package func forgetOldest(_ count: Int64) throws(Refusal) { try run(.forgetOldest, count) }

    /// Drops the versions that ended before a time, in microseconds since 2001, and then the oldest until the others
    /// have so many bytes at most; in a transaction of its own, where there is something to drop.
    package func trimHistory(endedBefore first: Int64, atMost bytes: Int64) throws(Refusal) {
        guard try hasExcess(first, bytes) else { return }
        try transaction { () throws(Refusal) in
            try run(.forgetExpired, first)
            try run(.forgetOverflow, bytes)
        }
    }

    private func hasExcess(_ first: Int64, _ bytes: Int64) throws(Refusal) -> Bool {
        let statement = try statement(.historyExcess)
        defer { statement.reset() }
        try refusing { () throws(DatabaseError) in
            try statement.bind(integer: first, at: 1)
            try statement.bind(integer: bytes, at: 2)
        }
        return try statement.next() && statement.integer(0) != 0
    }
}
