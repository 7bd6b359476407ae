package import KeychainModel

/// The parts of a query that are bound with its attributes.
struct BoundPlaces {
    /// The groups whose rows it looks at, by their digests.
    var groups: [ColumnDigest] = []
    /// The digests of the pairs that are looked up, the rarest first.
    var lookups: [ColumnDigest] = []
}

/// Searching by the pairs of ``LookupTable``.
extension StoreReader {
    /// The pairs to look up for a request, the rarest first; empty where every row has to be looked at.
    ///
    /// Pairs are salted with the group, so they are looked up where there is one group alone.
    func lookups(
        _ request: borrowing ItemRequest, as itemClass: ItemClass, in groups: [ColumnDigest]?
    ) throws(Refusal) -> [ColumnDigest] {
        guard itemClass == LookupTable.itemClass, let asked = LookupAttributes(in: request.query),
            let group = groups?.first, groups?.count == 1
        else { return [] }
        let digests = try digester.lookups(asked.pairs, in: group.span)
        guard !digests.isEmpty, try hasLookups() else { return [] }
        return try sortedByRarity(digests)
    }

    private func hasLookups() throws(Refusal) -> Bool {
        try refusing { () throws(DatabaseError) in try database.integer(LookupTable.looking, "be searched") != nil }
    }

    private func sortedByRarity(_ digests: [ColumnDigest]) throws(Refusal) -> [ColumnDigest] {
        guard digests.count > 1 else { return digests }
        return try refusing { () throws(DatabaseError) in
            let statement = try database.prepare(LookupTable.count, "be searched")
            var counted: [(digest: ColumnDigest, count: Int64)] = []
            for digest in digests {
                statement.bind(blob: digest.span, at: 1)
                counted.append((digest, try statement.step() ? statement.integer(0) : 0))
                statement.reset()
            }
            return counted.sorted { $0.count < $1.count }.map(\.digest)
        }
    }

    /// Whether a row has all pairs of these attributes in ``LookupTable``.
    func hasLookups(of list: AttributeList, _ id: Int64, _ itemClass: ItemClass) throws(Refusal) -> Bool {
        let digests = try digester.lookups(of: itemClass, list)
        guard !digests.isEmpty else { return true }
        guard try hasLookups() else { return false }
        return try refusing { () throws(DatabaseError) in
            let statement = try database.prepare(
                "SELECT 1 FROM lookup WHERE digest = ? AND item = ?", "be checked")
            for digest in digests {
                statement.bind(blob: digest.span, at: 1)
                try statement.bind(integer: id, at: 2)
                guard try statement.step() else { return false }
                statement.reset()
            }
            return true
        }
    }
}

/// Writing them.
extension StoreWriter {
    /// Adds the pairs of a row that was added.
    func addLookups(of row: NewRow, _ id: Int64) throws(Refusal) {
        guard !row.lookups.isEmpty else { return }
        if try !has(LookupTable.looking) { try makeLookups() }
        let statement = try statement(.addLookup)
        try writing { () throws(DatabaseError) in
            for digest in row.lookups {
                statement.bind(blob: digest.span, at: 1)
                try statement.bind(integer: id, at: 2)
                try statement.run()
            }
        }
    }

    /// Makes the table in the open transaction.
    private func makeLookups() throws(Refusal) {
        try writing { () throws(DatabaseError) in
            for statement in LookupTable.creation { try database.execute(statement, "add an item") }
        }
    }

    /// Adds the pairs of a row that has new content, in place of those that it had.
    func replaceLookups(of row: NewRow, _ id: Int64) throws(Refusal) {
        guard !row.lookups.isEmpty else { return }
        if try has(LookupTable.looking) { try run(.endLookups, id) }
        try addLookups(of: row, id)
    }
}

/// The digests of pairs.
extension AttributeDigester {
    /// The digests of an item's pairs.
    package func lookups(of itemClass: ItemClass, _ list: AttributeList) throws(Refusal) -> [ColumnDigest] {
        guard itemClass == LookupTable.itemClass, let found = LookupAttributes(in: list) else { return [] }
        return try lookups(found.all, in: try group(list[.accessGroup]?.string ?? "").span)
    }

    /// The digests of pairs in a group.
    func lookups(_ pairs: [String: String], in group: Span<UInt8>) throws(Refusal) -> [ColumnDigest] {
        var digests: [ColumnDigest] = []
        for (name, value) in pairs { digests.append(try lookup(name, value, in: group)) }
        return digests
    }
}
