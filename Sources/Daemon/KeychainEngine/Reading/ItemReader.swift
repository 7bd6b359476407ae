import EnclaveWire
package import KeychainModel
package import KeychainPolicy
import KeychainStore
package import KeychainWire
package import LinuxSystem

/// Answers queries. Belongs to one thread; has its own connection, its own cipher contexts and buffers that keep their
/// room.
package final class ItemReader {
    let reader: StoreReader
    let sealer: ItemSealer
    let batch = RowBatch()
    /// Before the rows that the user guards.
    let gate: AccessControlGate
    private let decisions: AuditLog
    let anchoredGroups: AnchoredGroups
    let history: HistoryLimits
    /// Values of more bytes are not opened; nil while all are.
    private var largest: Int?
    /// The turn that is being read; nil for what is read to its end.
    var turn: SearchTurn?
    /// For a row that is looked up alone.
    private let key = UnwrappedKeys.Place(keys: UnwrappedKeys(rows: 1), index: 0)

    init(
        reader: StoreReader, sealer: ItemSealer, past gate: AccessControlGate, _ decisions: AuditLog,
        _ anchoredGroups: AnchoredGroups, _ history: HistoryLimits
    ) {
        self.history = history
        self.decisions = decisions
        self.anchoredGroups = anchoredGroups
        self.reader = reader
        self.sealer = sealer
        self.gate = gate
    }

    /// Ends the read transaction if the store has changed since.
    package func endIfOutdated() { reader.endIfOutdated() }

    /// Whether something in the store waits for those who read.
    package var isInTheWay: Bool { reader.isInTheWay }

    /// Whether the descriptors of its connection are still its own.
    package var hasItsDescriptors: Bool { reader.hasItsDescriptors }

    /// Ends the read transaction before the thread blocks.
    package func endTransaction() { reader.endTransaction() }

    /// Answers a query into `writer`: the items found, or the refusal; given up at the deadline.
    package func read(
        _ request: ItemRequest, from caller: CallerIdentity, id: UInt32, by deadline: Deadline,
        into writer: ResponseWriter
    ) {
        var entry = AuditLog.Entry(caller, request)
        search(request, id: id, by: deadline, into: writer, &entry)
        decisions.record(entry)
    }

    /// The same in turns, each of which ends when `isDue` says so: a page that has something is answered then.
    ///
    /// - Parameter place: where the turn before ended; nil for the first.
    /// - Returns: where the next turn goes on, when nothing was found in this one: nothing is answered then, and
    ///   nothing noted. Nil when there is an answer.
    package func read(
        _ request: ItemRequest, from caller: CallerIdentity, id: UInt32, by deadline: Deadline,
        into writer: ResponseWriter, goingOnAt place: SearchPlace?, endingTurnWhen isDue: @escaping () -> Bool
    ) -> SearchPlace? {
        turn = SearchTurn(place, isDue)
        defer { turn = nil }
        var entry = AuditLog.Entry(caller, request)
        search(request, id: id, by: deadline, into: writer, &entry)
        if let next = turn?.next {
            writer.buffer.removeAll()
            return next
        }
        decisions.record(entry)
        return nil
    }

    /// The size in bytes of a value that takes longer to open than a lookup takes.
    private static let largeValue = 32 << 10

    /// The same for a search that should not take long; false when it did, or found a large value: it is not answered
    /// then.
    package func lookUp(
        _ request: ItemRequest, from caller: CallerIdentity, id: UInt32, by deadline: Deadline,
        within microseconds: Int,
        into writer: ResponseWriter
    ) -> Bool {
        largest = Self.largeValue
        defer { largest = nil }
        var entry = AuditLog.Entry(caller, request)
        let soon = min(deadline, .after(microseconds: microseconds))
        search(request, id: id, by: soon, into: writer, &entry)
        if entry.rule == Refusal.Rule.deadline.rawValue, !deadline.hasPassed {
            writer.buffer.removeAll()
            return false
        }
        decisions.record(entry)
        return true
    }

    /// As ``read(_:from:id:by:into:)``, without a note.
    func search(
        _ request: ItemRequest, from caller: CallerIdentity, id: UInt32, by deadline: Deadline,
        into writer: ResponseWriter
    ) {
        var unnoted = AuditLog.Entry(caller, request)
        search(request, id: id, by: deadline, into: writer, &unnoted)
    }

    /// As ``read(_:from:id:by:into:)`` for the caller of an entry. The entry gets the result; the calling code records
    /// it.
    func search(
        _ request: ItemRequest, id: UInt32, by deadline: Deadline, into writer: ResponseWriter,
        _ entry: inout AuditLog.Entry
    ) {
        defer { batch.removeAll() }
        do throws(Refusal) {
            let authorized = try AccessPolicy.authorize(request, from: entry.caller)
            entry.scope = authorized.scope
            writer.begin(id: id)
            let cursor = try answer(authorized, by: deadline, into: writer)
            if turn?.next != nil { return }
            try gate.throwIfMissing()
            guard writer.count > 0 || request.cursor > 0 || cursor > 0 else { throw .nothingFound(request) }
            writer.end(cursor: cursor)
        } catch {
            entry.end(in: error, request)
            writer.refuse(error, id: id)
        }
    }

    /// Writes a page of items and gives the row after which the next page begins, 0 when there is none.
    private func answer(
        _ authorized: AuthorizedRequest, by deadline: Deadline, into writer: ResponseWriter
    ) throws(Refusal) -> UInt64 {
        guard let itemClass = authorized.itemClass else { throw .nothingFound(authorized.request) }
        if itemClass == .identity { return try answerIdentities(authorized, by: deadline, into: writer) }
        try lookAtPairs(of: authorized, as: itemClass, by: deadline)
        var page = Page(authorized, itemClass, writer)
        if authorized.request.operation == .history { return try answerHistory(authorized, by: deadline, &page) }
        if page.limit == .one { return try answerOne(authorized, by: deadline, &page) }
        var isCut = false
        try reader.select(authorized, as: itemClass, after: turn?.place?.cursor, by: deadline) {
            (row) throws(Refusal) in
            let id = row.id
            batch.append(row)
            guard batch.count >= Self.rowsAtOnce else { return true }
            // There are many: the answer will be a full page, unless nothing has been found for a whole turn.
            if turn?.place == nil || writer.count > 0 {
                writer.buffer.makeRoom(for: WireLimits.pageBytes - writer.buffer.count + (64 << 10))
            }
            try flush(&page)
            if page.isFull || gate.isFull { return false }
            try deadline.check()
            isCut = endsTurn(after: UInt64(id), page)
            return !isCut
        }
        try flush(&page)
        return (page.isFull || isCut) && page.mayGoOn ? UInt64(page.lastRow) : 0
    }

    /// Whether the turn ends after a row. The items found so far are a page then. If there are none, the search goes on
    /// there in another turn, for an empty page would be no answer.
    ///
    /// - Parameter closed: why an item that may be meant did not open.
    func endsTurn(after cursor: UInt64, _ page: borrowing Page, closed: Refusal? = nil) -> Bool {
        // A request that may prompt gets all missing authorizations at once.
        guard let turn, gate.missing.isEmpty, turn.isDue() else { return false }
        if page.writer.count == 0 { self.turn?.next = SearchPlace(after: cursor, closed: closed) }
        return true
    }

    /// Many rows are opened together: the enclave is asked once for the keys of so many.
    static let rowsAtOnce = 64

    private func flush(_ page: inout Page) throws(Refusal) {
        guard !batch.isEmpty else { return }
        defer { batch.removeAll() }
        if page.wantsValues { try batch.keys.unwrap(by: sealer.enclave) }
        for row in batch where !page.isFull && !gate.isFull {
            try append(row.id, to: &page) { (page) throws(ItemSealer.Failure) in
                try appendItem(from: row, row.key, to: &page)
            }
        }
    }

    /// A row that does not open hides only itself (rule queries.rows.damaged); one whose class is closed refuses the
    /// query (rules queries.rows.locked, authentication.query.skip).
    ///
    /// - Parameter open: writes what is wanted of the row; false when it is none of those looked for.
    func append(
        _ row: Int64, to page: inout Page, _ open: (inout Page) throws(ItemSealer.Failure) -> Bool
    ) throws(Refusal) {
        page.writer.beginItem(page.itemClass)
        do throws(ItemSealer.Failure) {
            guard try open(&page) else { return page.writer.dropItem() }
            page.writer.endItem()
            page.took(row)
        } catch {
            page.writer.dropItem()
            if case .refused(let refusal) = error { throw refusal }
            if page.missesNothing { throw .damagedMatch(page.itemClass) }
        }
    }

    /// Writes what a page wants of a row that passes all checks; false when it is none of those looked for.
    private func appendItem(
        from row: some RowSource, _ key: UnwrappedKeys.Place, to page: inout Page
    ) throws(ItemSealer.Failure) -> Bool {
        let output = page.writer.buffer
        let start = output.count
        let opened: InlineArray<16, UInt8>?
        do throws(ItemSealer.Failure) { opened = try openAttributes(of: row, page, into: output) } catch {
            guard page.names(error) else { throw error }
            output.truncate(to: start)
            appendReference(of: row, page)
            return true
        }
        guard let tamper = opened, !isHidden(output, from: start, page), isServed(output, from: start, page),
            try passGuard(of: row, key, page, in: output, from: start)
        else { return false }
        if !page.wantsAttributes { output.truncate(to: start) }
        if page.wantsValues { try appendValue(of: row, key, tamper, page) }
        if page.wantsReferences { appendReference(of: row, page) }
        return true
    }

    private func appendReference(of row: some RowSource, _ page: borrowing Page) {
        guard let bytes = PersistentReference(page.itemClass, uuid: row.uuid).bytes else { return }
        page.writer.buffer.append(.persistentReference, .data(bytes))
    }

    /// Opens the attributes of a row at the end of a buffer and gives its tamper-check bytes; nil when they are not
    /// those asked for.
    ///
    /// - Parameter half: the class of the row where it is one half of an identity.
    func openAttributes(
        of row: some RowSource, _ page: borrowing Page, into output: SecretBuffer, half: ItemClass? = nil
    ) throws(ItemSealer.Failure) -> InlineArray<16, UInt8>? {
        if !page.minds, page.hides(try row.guarded()) { return nil }
        let start = output.count
        let tamper = try sealer.openMetadata(of: row, reader: reader, into: output)
        return page.asked.areMet(by: output, from: start, half: half) ? tamper : nil
    }

    private func appendValue(
        of row: some RowSource, _ key: UnwrappedKeys.Place, _ tamper: InlineArray<16, UInt8>, _ page: borrowing Page
    ) throws(ItemSealer.Failure) {
        let output = page.writer.buffer
        let start = output.count
        if key.keys.isEmpty { try unwrapKey(of: row, key.keys) }
        if let largest, row.withPart(.value, { $0.count }) > largest { throw .refused(.expired) }
        try sealer.openValue(of: row, with: key, tamper: tamper, into: output)
        if !page.wantsKeys { Self.dropSealedKey(from: start, of: output) }
    }

    /// A row that is looked up alone: its key is asked for only when its value is wanted.
    private func unwrapKey(of row: some RowSource, _ keys: UnwrappedKeys) throws(ItemSealer.Failure) {
        keys.appendRecord(of: row)
        do throws(Refusal) { try keys.unwrap(by: sealer.enclave) } catch { throw .refused(error) }
    }

    /// A sealed key is what a reference is made of, and no value (rule keys.enclave.reference).
    private static func dropSealedKey(from start: Int, of output: SecretBuffer) {
        let isSealedKey =
            output.count > start
            && output.withSpan { $0.littleEndian(UInt16.self, at: start) } == AttributeID.sealedKey.rawValue
        if isSealedKey { output.truncate(to: start) }
    }

    /// `kSecMatchHostOrSubdomainOfHost`: the item's server is the host or lies below it.
    private func isServed(_ output: SecretBuffer, from start: Int, _ page: borrowing Page) -> Bool {
        guard let host = page.host else { return true }
        return (try? AttributeList(parsing: output.copy(from: start)))?.isServed(by: host) ?? false
    }
}

// MARK: - Inspection

extension ItemReader {
    /// Whether a row that was opened for who inspects all groups is an anchored program's.
    private func isHidden(_ output: SecretBuffer, from start: Int, _ page: borrowing Page) -> Bool {
        guard let inspector = page.inspector else { return false }
        return anchoredGroups.hide(try? AttributeList(parsing: output.copy(from: start)), from: inspector)
    }
}

// MARK: - One row

extension ItemReader {
    /// Answers with the first row that opens, from where SQLite has it. One that may be meant or not, and is closed,
    /// refuses the query only when no other is found.
    private func answerOne(
        _ authorized: AuthorizedRequest, by deadline: Deadline, _ page: inout Page
    ) throws(Refusal) -> UInt64 {
        let place = turn?.place
        var (closed, count) = (place?.closed, 0)
        try reader.select(authorized, as: page.itemClass, after: place?.cursor, by: deadline) {
            (row) throws(Refusal) in
            do throws(Refusal) {
                try append(row.id, to: &page) { (page) throws(ItemSealer.Failure) in
                    try appendItem(from: row, to: &page)
                }
            } catch {
                guard row.isCandidate, error.rule == .locked else { throw error }
                closed = error
            }
            if row.isCandidate { try deadline.check() }
            if page.isFull || !gate.missing.isEmpty { return false }
            count += 1
            guard count % Self.rowsAtOnce == 0 else { return true }
            // The first turn has the rows as they come. If it was not enough, they are looked at once more, in their
            // order.
            return !endsTurn(after: place == nil ? authorized.request.cursor : UInt64(row.id), page, closed: closed)
        }
        if turn?.next != nil { return 0 }
        if let closed, !page.isFull, gate.missing.isEmpty { throw closed }
        return 0
    }

    /// Writes what a page wants of a row, from where SQLite has it; false when it is none of those looked for.
    func appendItem(from row: SealedRow, to page: inout Page) throws(ItemSealer.Failure) -> Bool {
        defer { key.keys.removeAll() }
        return try appendItem(from: row, key, to: &page)
    }
}

extension AttributeList {
    /// Whether the server of an internet password is a host, or lies below it.
    func isServed(by host: String) -> Bool {
        guard let server = self[.server]?.string else { return false }
        let (name, domain) = (server.lowercased(), host.lowercased())
        return name == domain || name.hasSuffix("." + domain)
    }
}

// MARK: - Guarded rows

extension ItemReader {
    /// Puts in the key of a row whose attributes were opened, if it is guarded; false when the user has to be asked
    /// first, or the row is to be left out. No other program learns that there is such an item (rules
    /// queries.rows.locked, authentication.query.skip).
    func passGuard(
        of row: some RowSource, _ key: UnwrappedKeys.Place, _ page: borrowing Page, in output: SecretBuffer,
        from start: Int
    ) throws(ItemSealer.Failure) -> Bool {
        guard page.minds, let guarded = try row.guarded() else { return true }
        do throws(Refusal) {
            let opened = try gate.unwrapKey(of: guarded, page.ui, isAnchored: page.isAnchored) {
                (try? AttributeList(parsing: output.copy(from: start)))?.displayName ?? ""
            }
            guard let opened else { return false }
            key.set(opened)
            return true
        } catch { throw error.status == .decode ? .damaged("its key") : .refused(error) }
    }
}
