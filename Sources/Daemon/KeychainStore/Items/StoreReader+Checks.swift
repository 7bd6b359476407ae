package import KeychainModel
package import KeychainPolicy
package import LinuxSystem

/// Checking the store.
extension StoreReader {
    /// Whether the columns of a row are the digests of these attributes.
    package func hasDigests(of list: AttributeList, _ id: Int64, _ itemClass: ItemClass) throws(Refusal) -> Bool {
        guard try pairs.hasPairs(of: list, id, itemClass) else { return false }
        let columns = Schema.digestColumns(of: itemClass).map(\.code).joined(separator: ", ")
        let expected = try digester.columns(of: itemClass, list)
        return try refusing { () throws(DatabaseError) in
            let statement = try database.prepare("SELECT \(columns) FROM \(itemClass.code) WHERE id = ?", "be checked")
            try statement.bind(integer: id, at: 1)
            guard try statement.step() else { return true }
            return expected.indices.allSatisfy { index in
                guard let digest = expected[index] else { return statement.isNull(Int32(index)) }
                return statement.withBlob(Int32(index)) { $0.isEqual(to: digest.span) }
            }
        }
    }

    /// Whether a row has all pairs of its attributes.
    package func hasPairs(of list: AttributeList, _ id: Int64, _ itemClass: ItemClass) throws(Refusal) -> Bool {
        try pairs.hasPairs(of: list, id, itemClass)
    }

    /// The state of the files, by which it is known whether anybody has written them since; nil where it is not known.
    package var stateOfFiles: StoreState? {
        StoreState(of: database.path, isShared: database.isShared, now: Clock.realtimeNanoseconds)
    }

    /// Has the next reads look at the files: pages in memory may be older than what somebody has written there.
    package func forgetPages() { database.forgetPages() }

    /// The group whose items a request searches by their pairs; nil for every other request.
    package func groupSearchedByPairs(
        _ authorized: AuthorizedRequest, as itemClass: ItemClass
    ) throws(Refusal) -> ColumnDigest? {
        guard itemClass == LookupTable.itemClass, authorized.request.query[.lookupAttributes] != nil,
            case .groups(let names) = authorized.scope
        else { return nil }
        let groups = try digests(ofGroups: names)
        return groups.count == 1 ? groups.first : nil
    }

    /// The result of SQLite's own check of the file, and whether it has objects that this project did not make; empty
    /// when nothing is wrong.
    package func checkFile(by deadline: Deadline) throws(Refusal) -> String {
        database.deadline = deadline
        defer { database.deadline = .never }
        return try refusing { () throws(DatabaseError) in
            let statement = try database.prepare("PRAGMA integrity_check(10)", "be checked")
            var lines: [String] = []
            while try statement.step() { lines.append(statement.text(0)) }
            if lines == ["ok"] { lines = [] }
            if let foreign = try foreignObjects() { lines.append(foreign.problem) }
            let unnumbered = try countUnnumbered()
            if unnumbered > 0 { lines.append("\(unnumbered) rows have numbers that the keychain never gives") }
            return lines.joined(separator: "; ")
        }
    }

    /// How many rows have a number that we never give, before the first with which enumerations begin.
    private func countUnnumbered() throws(DatabaseError) -> Int64 {
        var count: Int64 = 0
        for itemClass in ItemClass.stored {
            count += try database.integer("SELECT count(*) FROM \(itemClass.code) WHERE id < 1", "be checked") ?? 0
        }
        return count
    }

    /// How many owners have counters that are not what their rows say.
    package func countWrongCounters(by deadline: Deadline) throws(Refusal) -> Int {
        database.deadline = deadline
        defer { database.deadline = .never }
        return try refusing { () throws(DatabaseError) in
            Int(try database.integer(UsageCounters.wrongCounters, "be counted") ?? 0)
        }
    }
}
