package import KeychainModel
package import KeychainPolicy
package import LinuxSystem

/// A connection that finds rows. Belongs to one thread.
package final class StoreReader {
    let database: Database
    private let snapshot: ReadTransaction?
    package let digester: AttributeDigester
    let damage: DamageReport
    package let trust: PairTrust
    private var queries: [QueryShape: Query] = [:]
    var pairs: PairSearch { PairSearch(database: database, digester: digester, trust: trust) }
    /// The query asked last, which a program that looks up many items asks again.
    private var latest: Query?

    /// A compiled query and what is bound to it first, in its order.
    private final class Query {
        let shape: QueryShape
        let statement: Statement
        let attributes: [ItemAttribute]

        init(_ shape: QueryShape, _ statement: Statement) {
            (self.shape, self.statement) = (shape, statement)
            attributes = QueryCompiler.comparedAttributes(shape)
        }
    }

    /// - Parameter snapshot: what is held of the store between queries; nil when they read each on its own.
    init(
        _ database: Database, digester: AttributeDigester, reporting damage: DamageReport, trusting trust: PairTrust,
        holding snapshot: ReadTransaction? = nil
    ) {
        self.database = database
        (self.damage, self.trust) = (damage, trust)
        self.snapshot = snapshot
        self.digester = digester
    }

    /// Finds the rows of a class that an authorised query names, one after the other, until `visit` answers false.
    ///
    /// - Parameters:
    ///   - cursor: after which row it goes on, in their order; nil for what the request says.
    ///   - deadline: when a search that has not come to its end is given up.
    /// - Throws: what SQLite says as the refusal of rule results.status.codes; `keychain.deadline`; whatever `visit`
    ///   throws.
    package func select(
        _ authorized: AuthorizedRequest, as itemClass: ItemClass, after cursor: UInt64? = nil, by deadline: Deadline,
        _ visit: (SealedRow) throws(Refusal) -> Bool
    ) throws(Refusal) {
        var found = false
        try run(authorized, as: itemClass, after: cursor, by: deadline) { (statement, isCandidate) throws(Refusal) in
            guard let row = try authentic(statement, itemClass, isCandidate: isCandidate) else {
                if authorized.request.missesNothing { throw .damagedMatch(itemClass) }
                return true
            }
            found = true
            return try visit(row)
        }
        if cursor == nil { try checkUnseen(authorized, as: itemClass, found: found, by: deadline) }
    }

    /// The row at which a statement stands; nil for one that is not as it was written, which is reported.
    func authentic(
        _ statement: Statement, _ itemClass: ItemClass, from first: Int32 = 0, isCandidate: Bool
    ) throws(Refusal) -> SealedRow? {
        let row = try SealedRow(statement, itemClass, from: first, digester: digester, isCandidate: isCandidate)
        if !row.isAuthentic { damage.note(row.id, of: itemClass.code) }
        return row.isAuthentic ? row : nil
    }

    /// Runs an authorised query and shows its statement at every row, until `visit` answers false. It also tells
    /// whether the rows are only candidates, because more is asked than their columns say.
    func run(
        _ authorized: AuthorizedRequest, as itemClass: ItemClass, after cursor: UInt64?, by deadline: Deadline,
        _ visit: (_ row: Statement, _ isCandidate: Bool) throws(Refusal) -> Bool
    ) throws(Refusal) {
        try holding { () throws(Refusal) in
            let groups = try groups(of: authorized, as: itemClass)
            var shape = QueryShape(authorized.request, as: itemClass, groups: groups?.count, goesOn: cursor != nil)
            let lookups = try pairs.pairs(of: authorized.request, as: itemClass, in: groups)
            shape.lookups = lookups.count
            let query = try query(of: shape)
            let areCandidates = shape.leavesOpen(authorized.request)
            let bound = BoundPlaces(groups: groups ?? [], lookups: lookups)
            try step(query, for: authorized, in: bound, after: cursor, by: deadline) { (row) throws(Refusal) in
                try visit(row, areCandidates)
            }
        }
    }

    /// Runs what reads, in the newest state of the store.
    func holding(_ body: () throws(Refusal) -> Void) throws(Refusal) {
        do throws(Refusal) {
            if let snapshot { try refusing { () throws(DatabaseError) in try snapshot.renew() } }
            try body()
        } catch {
            snapshot?.endTransaction()
            throw error
        }
    }

    private func step(
        _ query: Query, for authorized: AuthorizedRequest, in places: BoundPlaces, after cursor: UInt64?,
        by deadline: Deadline, _ visit: (Statement) throws(Refusal) -> Bool
    ) throws(Refusal) {
        let statement = query.statement
        database.deadline = deadline
        defer {
            statement.reset()
            database.deadline = .never
        }
        try bind(authorized, in: places, after: cursor ?? authorized.request.cursor, to: query)
        while try statement.next() {
            guard try visit(statement) else { return }
        }
    }

    /// SQLite takes so many values for one statement that more groups cannot be asked one by one; then all rows are
    /// candidates.
    private static let mostGroups = 4000

    /// The groups whose rows a query looks at, by their digests; nil for all.
    ///
    /// Salted attributes can be looked up only where the groups are known: a caller that may see all groups searches
    /// those that exist.
    func groups(
        of authorized: AuthorizedRequest, as itemClass: ItemClass
    ) throws(Refusal) -> [ColumnDigest]? {
        if case .groups(let names) = authorized.scope { return try digests(ofGroups: names) }
        guard itemClass != .identity, QueryShape.comparesSalted(authorized.request, as: itemClass) else { return nil }
        let found = try refusing { () throws(DatabaseError) in try allGroups(of: itemClass) }
        return found.count <= Self.mostGroups ? found : nil
    }

    /// A group that is named twice is looked into once.
    func digests(ofGroups names: [String]) throws(Refusal) -> [ColumnDigest] {
        var digests: [ColumnDigest] = []
        digests.reserveCapacity(names.count)
        for (index, name) in names.enumerated() where !names[..<index].containsExactly(name) {
            digests.append(try digester.group(name))
        }
        return digests
    }

    private func allGroups(of itemClass: ItemClass) throws(DatabaseError) -> [ColumnDigest] {
        let statement = try database.prepare(QueryCompiler.groups(of: itemClass), "be searched")
        var groups: [ColumnDigest] = []
        while try statement.step() {
            statement.withBlob(0) { digest in
                if digest.count == AttributeDigester.size { groups.append(ColumnDigest { digest[$0] }) }
            }
        }
        return groups
    }

    /// Ends the read transaction if the store has changed since; for a thread that has other things to do.
    package func endIfOutdated() { snapshot?.endIfOutdated() }

    /// Whether a checkpoint waits for readers; one that reads for long makes way.
    package var isInTheWay: Bool { snapshot?.isInTheWay ?? false }

    /// The state of its descriptors and files, where they are not the ones that were opened.
    package var failureOfUse: Refusal? { database.failureOfUse }

    /// Whether the descriptors of the connection are still its own.
    package var hasItsDescriptors: Bool { database.hasItsDescriptors }

    /// Whether they are, and nobody has cut a file.
    package var hasItsWholeFiles: Bool { database.lookAtDescriptors() == .intact }

    /// Ends the read transaction; for a thread that is about to block.
    package func endTransaction() { snapshot?.endTransaction() }

    /// How many rows there are, damaged ones and tombstones among them.
    package func countRows() throws(Refusal) -> UInt64 {
        try refusing { () throws(DatabaseError) in
            var count: Int64 = 0
            for itemClass in ItemClass.stored {
                count += try database.integer("SELECT count(*) FROM \(itemClass.code)", "be counted") ?? 0
            }
            return UInt64(clamping: count)
        }
    }

    /// All rows of a class after the row `id`, for a walk over everything; also those that are not as they were
    /// written.
    package func walk(
        _ itemClass: ItemClass, after id: Int64, _ visit: (SealedRow) throws(Refusal) -> Bool
    ) throws(Refusal) {
        let statement = try query(of: .everything(of: itemClass)).statement
        defer { statement.reset() }
        try refusing { () throws(DatabaseError) in try statement.bind(integer: id, at: 1) }
        while try statement.next() {
            guard try visit(SealedRow(statement, itemClass, digester: digester)) else { return }
        }
    }

    /// The wrapped metadata key of a protection class, if it has one yet.
    package func wrappedMetadataKey(for accessibility: Accessibility) throws(Refusal) -> [UInt8]? {
        try refusing { () throws(DatabaseError) in
            let statement = try database.prepare(
                "SELECT wrapped FROM metadatakeys WHERE pdmn = ?", "find a metadata key")
            try statement.bind(integer: Int64(accessibility.rawValue), at: 1)
            return try statement.step() ? statement.withBlob(0) { $0.array(0, $0.count) } : nil
        }
    }

    /// Whether there is any row of a protection class.
    package func hasRows(of accessibility: Accessibility) throws(Refusal) -> Bool {
        let tables = ItemClass.stored.map { "SELECT 1 FROM \($0.code) WHERE pdmn = ?1" }
        return try refusing { () throws(DatabaseError) in
            let statement = try database.prepare(tables.joined(separator: " UNION ALL ") + " LIMIT 1", "be searched")
            try statement.bind(integer: Int64(accessibility.rawValue), at: 1)
            return try statement.step()
        }
    }

    /// Why a store is not to be written: its schema is not what we make, and could have a write do anything, or undo
    /// it. Nil for every store that we have made.
    func foreignObjects() throws(DatabaseError) -> Refusal? {
        let statement = try database.prepare(SchemaCheck.reading, "be checked")
        var check = SchemaCheck()
        while try statement.step() {
            check.note(
                type: statement.text(0), name: statement.text(1), text: statement.isNull(2) ? nil : statement.text(2))
        }
        return check.count > 0 ? .foreignObjects(check.count) : nil
    }

    private func query(of shape: QueryShape) throws(Refusal) -> Query {
        if let latest, latest.shape == shape { return latest }
        let query: Query
        if let ready = queries[shape] { query = ready } else { query = try compile(shape) }
        latest = query
        return query
    }

    private func compile(_ shape: QueryShape) throws(Refusal) -> Query {
        // The number of shapes is the number of attribute sets peers think of: bounded, or they would fill the memory.
        if queries.count >= 256 { queries.removeAll() }
        let statement = try refusing { () throws(DatabaseError) in
            try database.prepare(QueryCompiler.select(shape), "be searched")
        }
        let query = Query(shape, statement)
        queries[shape] = query
        return query
    }

    private func bind(
        _ authorized: AuthorizedRequest, in places: BoundPlaces, after cursor: UInt64, to query: Query
    ) throws(Refusal) {
        let (statement, shape) = (query.statement, query.shape)
        let index = try bind(authorized.request, comparing: query.attributes, in: places, of: shape, to: statement)
        if shape.itemClass == .identity {
            return try bindIdentity(after: shape.isPaged ? cursor : nil, to: statement, index)
        }
        if shape.isPaged {
            try refusing { () throws(DatabaseError) in try statement.bind(integer: Int64(cursor), at: index) }
        }
    }

    /// Binds what the conditions of a shape compare with, in their order, and gives the next free place.
    ///
    /// - Parameter attributes: those that the shape compares.
    func bind(
        _ request: borrowing ItemRequest, comparing attributes: [ItemAttribute], in places: BoundPlaces,
        of shape: QueryShape, to statement: Statement, from first: Int32 = 1
    ) throws(Refusal) -> Int32 {
        let groups = places.groups
        let isByGroup = QueryCompiler.asksGroupByGroup(shape)
        var index = first
        if isByGroup {
            try bind(request, comparing: attributes, of: shape.itemClass, groupByGroup: groups, to: statement, &index)
        }
        if let reference = request.persistentReference { try bind(reference: reference, to: statement, &index) }
        bind(groups: places.lookups, to: statement, &index)
        for attribute in attributes where !(isByGroup && attribute.isSalted) {
            try bind(request, attribute, of: shape.itemClass, in: groups.first, to: statement, index)
            index += 1
        }
        if !isByGroup { bind(groups: groups, to: statement, &index) }
        return index
    }

    /// Binds, for each of several groups, its digest and those of the salted attributes in it.
    private func bind(
        _ request: borrowing ItemRequest, comparing attributes: [ItemAttribute], of itemClass: ItemClass,
        groupByGroup groups: [ColumnDigest], to statement: Statement, _ index: inout Int32
    ) throws(Refusal) {
        let salted = attributes.filter(\.isSalted)
        let digests = try salted.map { (attribute) throws(Refusal) in try digest(of: attribute, in: request) }
        for group in groups {
            bind(groups: [group], to: statement, &index)
            for (attribute, digest) in zip(salted, digests) {
                let column = try digester.salted(digest.span, attribute, of: itemClass, in: group.span)
                statement.bind(blob: column.span, at: index)
                index += 1
            }
        }
    }

    /// Binds what a column is compared with, in one group or, where it is not salted, in any.
    private func bind(
        _ request: borrowing ItemRequest, _ attribute: ItemAttribute, of itemClass: ItemClass, in group: ColumnDigest?,
        to statement: Statement, _ index: Int32
    ) throws(Refusal) {
        if attribute.id == .accessible {
            let number = Int64(request.query.accessibility?.rawValue ?? 0)
            return try refusing { () throws(DatabaseError) in try statement.bind(integer: number, at: index) }
        }
        let digest = try digest(of: attribute, in: request)
        guard attribute.isSalted, let group else { return statement.bind(blob: digest.span, at: index) }
        let owner = itemClass == .identity ? attribute.identityClass : itemClass
        let column = try digester.salted(digest.span, attribute, of: owner, in: group.span)
        statement.bind(blob: column.span, at: index)
    }

    /// The digest of what a query compares an attribute with, not salted.
    func digest(of attribute: ItemAttribute, in request: borrowing ItemRequest) throws(Refusal) -> ColumnDigest {
        let list = request.query
        guard let entry = list.entry(attribute.id) else { return ColumnDigest(repeating: 0) }
        return try list.storage.withSpan { (span) throws(Refusal) in
            try digester.digest(attribute, entry.kind, span.extracting(entry.offset..<entry.offset + entry.length))
        }
    }

    private func bind(
        reference: PersistentReference, to statement: Statement, _ index: inout Int32
    ) throws(Refusal) {
        let at = index
        switch reference.item {
        case .uuid(let uuid): statement.bind(blob: uuid.span, at: at)
        case .row(let row): try refusing { () throws(DatabaseError) in try statement.bind(integer: row, at: at) }
        }
        index += 1
    }

    func bind(groups: [ColumnDigest], to statement: Statement, _ index: inout Int32) {
        for group in groups {
            statement.bind(blob: group.span, at: index)
            index += 1
        }
    }
}

extension QueryShape {
    static func everything(of itemClass: ItemClass) -> QueryShape {
        QueryShape(
            itemClass: itemClass, groups: nil, attributes: 0, synchronizable: nil, tombstone: nil, reference: .none,
            isPaged: true)
    }
}

extension Refusal {
    fileprivate static func foreignObjects(_ count: Int) -> Refusal {
        Refusal(
            .notAvailable, .damaged, "store",
            "The store has \(count) tables, indexes, triggers or views that the keychain did not make; it is not "
                + "written to.",
            do: "Find out who changed it, then restore a snapshot from the same folder.")
    }
}
