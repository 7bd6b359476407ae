package import KeychainModel
package import LinuxSystem

/// Which versions are looked for, before any is opened.
package struct VersionSearch {
    package let itemClass: ItemClass
    /// The groups they may be of; nil for all.
    package let groups: [String]?
    /// The item they are of; nil for any.
    package let uuid: [UInt8]?
    /// Those that ended before are as good as gone: microseconds since 2001.
    package let since: Int64
    /// After which version it goes on.
    package let after: Int64

    package init(_ itemClass: ItemClass, groups: [String]?, uuid: [UInt8]?, since: Int64, after: Int64 = 0) {
        (self.itemClass, self.groups, self.uuid) = (itemClass, groups, uuid)
        (self.since, self.after) = (since, after)
    }
}

/// An earlier version as the store has it. Valid until the next one.
package struct StoredVersion {
    package let row: SealedRow
    /// Microseconds since 2001.
    package let ended: Int64
    package let end: VersionEnd
    /// Which machine's change has come in its place; nil for none.
    package let lost: LostVersion?

    fileprivate init?(_ row: SealedRow, _ statement: Statement) {
        guard let end = VersionEnd(statement) else { return nil }
        (self.row, self.end, ended) = (row, end, statement.integer(VersionColumns.ended))
        let isLost = !statement.isNull(VersionColumns.lost)
        lost = isLost ? LostVersion(statement.withBlob(VersionColumns.lost) { $0.array(0, $0.count) }) : nil
    }
}

/// A version in whose place another machine's change has come.
package struct StoredLoser: Sendable {
    /// Its number in the history.
    package let number: Int64
    package let place: RecordPlace
    package let lost: LostVersion

    fileprivate init?(_ statement: Statement) {
        guard let number = UInt8(exactly: statement.integer(1)), let itemClass = ItemClass(rawValue: number),
            let lost = LostVersion(statement.withBlob(3) { $0.array(0, $0.count) })
        else { return nil }
        self.number = statement.integer(0)
        place = RecordPlace(itemClass: itemClass, primaryKey: statement.withBlob(2) { $0.array(0, $0.count) })
        self.lost = lost
    }
}

extension StoreReader {
    /// Finds earlier versions, in the order in which they ended, until `visit` answers false. One that is not as it was
    /// written is reported and left out.
    ///
    /// - Throws: as ``select(_:as:after:by:_:)``.
    package func versions(
        _ search: VersionSearch, by deadline: Deadline, _ visit: (StoredVersion) throws(Refusal) -> Bool
    ) throws(Refusal) {
        database.deadline = deadline
        defer { database.deadline = .never }
        try holding { () throws(Refusal) in
            let statement = try statement(for: search)
            while try statement.next() {
                let row = try SealedRow(version: statement, search.itemClass, digester: digester)
                guard row.isAuthentic, let version = StoredVersion(row, statement) else {
                    damage.note(row.id, of: "history")
                    continue
                }
                guard try visit(version) else { return }
            }
        }
    }

    private func statement(for search: VersionSearch) throws(Refusal) -> Statement {
        let groups = try search.groups.map { (names) throws(Refusal) in try digests(ofGroups: names) }
        let sql = HistoryTable.search(groups: groups?.count, isOfOne: search.uuid != nil)
        let statement = try refusing { () throws(DatabaseError) in
            let statement = try database.prepare(sql, "be searched")
            try statement.bind(integer: Int64(search.itemClass.rawValue), at: 1)
            try statement.bind(integer: search.after, at: 2)
            try statement.bind(integer: search.since, at: 3)
            return statement
        }
        var index: Int32 = 4
        if let uuid = search.uuid {
            statement.bind(blob: uuid.span, at: index)
            index += 1
        }
        bind(groups: groups ?? [], to: statement, &index)
        return statement
    }

    /// The versions in whose place another machine's change has come, in the order in which they ended. Whether one is
    /// as it was written is not looked at.
    package func losers() throws(Refusal) -> [StoredLoser] {
        let statement = try refusing { () throws(DatabaseError) in
            try database.prepare(HistoryTable.losers, "be searched")
        }
        var found: [StoredLoser] = []
        while try statement.next() { if let loser = StoredLoser(statement) { found.append(loser) } }
        return found
    }

    /// Opens the version with a number.
    ///
    /// - Parameter body: is not called where there is none that is as it was written.
    package func version(_ number: Int64, of itemClass: ItemClass, _ body: (SealedRow) -> Void) throws(Refusal) {
        let statement = try refusing { () throws(DatabaseError) in
            let statement = try database.prepare(HistoryTable.version, "be searched")
            try statement.bind(integer: number, at: 1)
            return statement
        }
        guard try statement.next() else { return }
        let row = try SealedRow(version: statement, itemClass, digester: digester)
        if row.isAuthentic { body(row) }
    }

    /// How many versions are not as they were written.
    package func countDamagedVersions(by deadline: Deadline) throws(Refusal) -> Int {
        database.deadline = deadline
        defer { database.deadline = .never }
        let statement = try refusing { () throws(DatabaseError) in
            try database.prepare("SELECT \(VersionColumns.text) FROM history", "be checked")
        }
        var count = 0
        while try statement.next() {
            if try !digester.isAuthentic(version: statement) { count += 1 }
        }
        return count
    }
}

extension VersionEnd {
    fileprivate init?(_ statement: Statement) {
        guard let number = UInt8(exactly: statement.integer(VersionColumns.event)) else { return nil }
        self.init(rawValue: number)
    }
}
