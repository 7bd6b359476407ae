package import KeychainModel
import KeychainPolicy
import LinuxSystem

/// Matches that no condition finds, because a column says something else than was written.
extension StoreReader {
    /// Refuses a request that must miss nothing (``ItemRequest/missesNothing``) where a row that its conditions leave
    /// out may be a match: it has the pairs that are asked for, and is not as it was written.
    ///
    /// - Parameter found: whether there was any row. One that is named by its reference has been found then.
    func checkUnseen(
        _ authorized: AuthorizedRequest, as itemClass: ItemClass, found: Bool, by deadline: Deadline
    ) throws(Refusal) {
        let request = authorized.request
        guard request.missesNothing, itemClass == LookupTable.itemClass, request.cursor == 0 else { return }
        try holding { () throws(Refusal) in
            let groups = try groups(of: authorized, as: itemClass)
            let lookups = try pairs.pairs(of: request, as: itemClass, in: groups)
            var shape = QueryShape(request, as: itemClass, groups: groups?.count).unpaged
            shape.lookups = lookups.count
            let mayBeAny = shape.reference == .none ? request.returns == .persistentReference : !found
            let asksForPairs = request.query[.lookupAttributes] != nil
            guard mayBeAny || asksForPairs, try pairs.hasTable() else { return }
            let statement = try refusing { () throws(DatabaseError) in
                try database.prepare(QueryCompiler.unseen(shape), "be searched")
            }
            try check(statement, request, BoundPlaces(groups: groups ?? [], lookups: lookups), shape, by: deadline)
        }
    }

    private func check(
        _ statement: Statement, _ request: ItemRequest, _ places: BoundPlaces, _ shape: QueryShape,
        by deadline: Deadline
    ) throws(Refusal) {
        database.deadline = deadline
        defer {
            statement.reset()
            database.deadline = .never
        }
        var index: Int32 = 1
        bind(groups: places.lookups, to: statement, &index)
        let attributes = QueryCompiler.comparedAttributes(shape)
        _ = try bind(request, comparing: attributes, in: places, of: shape, to: statement, from: index)
        while try statement.next() {
            guard try authentic(statement, shape.itemClass, isCandidate: true) != nil else {
                throw .damagedMatch(shape.itemClass)
            }
        }
    }
}

extension QueryShape {
    /// The same for all rows at once. Of several groups, each has its own digests: the groups alone are compared.
    fileprivate var unpaged: QueryShape {
        QueryShape(
            itemClass: itemClass, groups: groups,
            attributes: groups == 1 ? attributes : attributes & AttributeID.accessible.bit,
            synchronizable: synchronizable, tombstone: tombstone, reference: reference, isPaged: false)
    }
}

extension Refusal {
    /// An item that may be meant is there, and cannot be looked at.
    package static func damagedMatch(_ itemClass: ItemClass) -> Refusal {
        Refusal(
            .decode, .damaged, itemClass.code,
            "An item that may be the one that is looked for is not as it was written, and does not open.",
            do: "Run `security verify-keychain`; to go back, \(StoreFile.restoringSnapshot).")
    }
}
