import KeychainModel

/// The parts of a query that are bound with its attributes.
struct BoundPlaces {
    /// The groups whose rows it looks at, by their digests.
    var groups: [ColumnDigest] = []
    /// The digests of the pairs that are looked up, the rarest first.
    var lookups: [ColumnDigest] = []
}

/// Searching by the pairs of ``LookupTable``.
struct PairSearch {
    let database: Database
    let digester: AttributeDigester
    let trust: PairTrust

    /// The pairs to look up for a request, the rarest first; empty where every row has to be looked at.
    ///
    /// Pairs are salted with the group, so they are looked up where there is one group alone, and where no pair of its
    /// items is missing.
    func pairs(
        of request: borrowing ItemRequest, as itemClass: ItemClass, in groups: [ColumnDigest]?
    ) throws(Refusal) -> [ColumnDigest] {
        guard itemClass == LookupTable.itemClass, let asked = LookupAttributes(in: request.query),
            let group = groups?.first, groups?.count == 1, !trust.isBroken(group)
        else { return [] }
        let digests = try digester.lookups(asked.pairs, in: group.span)
        guard !digests.isEmpty, try hasTable() else { return [] }
        return try sortedByRarity(digests)
    }

    func hasTable() throws(Refusal) -> Bool {
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

    /// Whether a row has all pairs of these attributes.
    func hasPairs(of list: AttributeList, _ id: Int64, _ itemClass: ItemClass) throws(Refusal) -> Bool {
        let digests = try digester.lookups(of: itemClass, list)
        guard !digests.isEmpty else { return true }
        guard try hasTable() else { return false }
        return try refusing { () throws(DatabaseError) in
            let statement = try database.prepare("SELECT 1 FROM lookup WHERE digest = ? AND item = ?", "be checked")
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
