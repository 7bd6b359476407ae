import EnclaveWire
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// Performs writes, many in one transaction. One thread at a time uses it.
final class ItemWriter {
    let store: StoreWriter
    let sealer: ItemSealer
    /// For writes that came plainly: nobody is asked for them.
    let plainGate: AccessControlGate
    /// The records of groups.
    let registry: GroupRegistry
    let quotas: Quotas
    /// For how long earlier versions are kept.
    let history: HistoryLimits
    /// There is no space: deletions keep nothing, and make some.
    private(set) var dropsHistory = false
    /// For the adds of the open transaction.
    var rowKeys = RowKeys()
    private let batch = RowBatch()
    private let run: Command

    /// Carries out a write, whose transaction is open.
    typealias Command = (AuthorizedWrite, ItemWriter) throws(Refusal) -> Void

    init(
        _ store: StoreWriter, _ sealer: ItemSealer, _ registry: GroupRegistry, _ quotas: Quotas,
        _ history: HistoryLimits, running run: @escaping Command
    ) {
        self.run = run
        self.history = history.within(quotas)
        (self.registry, self.quotas) = (registry, quotas)
        self.store = store
        self.sealer = sealer
        plainGate = AccessControlGate(sealer.enclave)
    }

    /// Performs the writes in one transaction; a refused one leaves the others alone, a failed commit refuses all.
    func perform(_ writes: [PendingWrite]) {
        sealer.forgetClosedKeys()
        let keys = MetadataKeys(store: store, sealer: sealer)
        var authorized: [AuthorizedWrite] = []
        for pending in writes {
            do throws(Refusal) {
                let write = try AuthorizedWrite(pending)
                try keys.prepare(for: write.authorized, by: pending.deadline)
                authorized.append(write)
            } catch { pending.refuse(error) }
        }
        guard !authorized.isEmpty else { return }
        do throws(Refusal) { try commit(authorized) } catch {
            guard error.isLackOfSpace else { return authorized.refuse(error) }
            authorized.filter { !$0.pending.request.makesLess }.refuse(error)
            delete(authorized.filter(\.pending.request.makesLess))
        }
    }

    /// Performs deletions for which there was no space: earlier versions go for them, then what is kept for deletions.
    private func delete(_ deletions: [AuthorizedWrite]) {
        guard !deletions.isEmpty else { return }
        dropsHistory = true
        defer { dropsHistory = false }
        do throws(Refusal) {
            try repeated(deletions) { () throws(Refusal) in try store.forgetOldest(Self.droppedAtOnce) }
        } catch {
            guard error.isLackOfSpace else { return deletions.refuse(error) }
            store.giveReserve()
            do throws(Refusal) { try repeated(deletions) } catch { deletions.refuse(error) }
        }
    }

    /// So many earlier versions are dropped for a deletion on a full disk: to drop them all would itself take much
    /// space.
    private static let droppedAtOnce: Int64 = 128

    private func repeated(
        _ deletions: [AuthorizedWrite], after prepare: () throws(Refusal) -> Void = {}
    ) throws(Refusal) {
        // Removes the answers written before the commit failed.
        for write in deletions { write.pending.writer.buffer.removeAll() }
        try commit(deletions, after: prepare)
    }

    private func commit(
        _ writes: [AuthorizedWrite], after prepare: () throws(Refusal) -> Void = {}
    ) throws(Refusal) {
        defer { rowKeys = RowKeys() }
        try store.transaction(by: writes.map(\.pending).latestDeadline) { () throws(Refusal) in
            // A process that removes the passcode, and with it a class, does so in a transaction. The enclave's answers
            // within this one therefore hold until its end.
            rowKeys = try RowKeys(for: writes.map(\.authorized), from: sealer.enclave)
            try prepare()
            // Alone in its transaction, a write needs no savepoint to be undone.
            if writes.count == 1 { return try performOne(writes[0]) }
            for write in writes { try performOneOfMany(write) }
        }
        if writes.contains(where: { !$0.pending.request.makesLess }) { store.keepReserve() }
    }

    /// Errors of the disk concern the whole transaction; every other one only the write it belongs to.
    private func performOneOfMany(_ write: AuthorizedWrite) throws(Refusal) {
        do throws(Refusal) {
            try store.savepoint { () throws(Refusal) in try performOne(write) }
        } catch {
            guard !error.concernsStore, store.isInTransaction else { throw error }
            write.pending.refuse(error)
        }
    }

    private func performOne(_ write: AuthorizedWrite) throws(Refusal) {
        try write.pending.deadline.check()
        let application = write.authorized.scope.sandboxed
        store.owner = try store.digester.owner(application ?? write.pending.caller.owner)
        let quotas = application == nil ? quotas : quotas.inSandbox
        try quotas.hold(for: write.pending.request, in: store) { () throws(Refusal) in try run(write, self) }
        // Nobody hears of what an anchored program has changed.
        try store.settleChanges(areShown: !write.pending.caller.isAnchored)
    }

    // MARK: - Rows

    /// Collects the rows of a query, the enclave asked for their keys.
    func rows(
        of request: AuthorizedRequest, as itemClass: ItemClass, by deadline: Deadline, withKeys: Bool
    ) throws(Refusal) -> RowBatch {
        batch.removeAll()
        let asked = AskedAttributes(request)
        try store.reader.select(request, as: itemClass, by: deadline) { (row) throws(Refusal) in
            if try isMeant(row, by: asked) { batch.append(row) }
            return true
        }
        guard !batch.isEmpty else { throw .nothingFound(request.request) }
        if withKeys { try batch.keys.unwrap(by: sealer.enclave) }
        return batch
    }

    /// Whether a row is what a query asks for. A candidate's attributes say so, which one that does not open has none
    /// of.
    ///
    /// - Throws: `errSecInteractionNotAllowed` for a candidate whose class is closed.
    func isMeant(_ row: SealedRow, by asked: AskedAttributes, half: ItemClass? = nil) throws(Refusal) -> Bool {
        guard row.isCandidate else { return true }
        let opened = SecretBuffer(capacity: 2048)
        do throws(ItemSealer.Failure) {
            try sealer.openMetadata(of: row, reader: store.reader, into: opened)
        } catch {
            if case .refused(let refusal) = error { throw refusal }
            return false
        }
        return asked.areMet(by: opened, from: 0, half: half)
    }

    /// Opens a row into an item; nil when it is damaged.
    ///
    /// - Parameter asked: what found the row, which it must meet; another is damaged.
    func decryptedItem(
        of row: BatchRow, withValue: Bool, asked: AskedAttributes? = nil
    ) throws(Refusal) -> PlainItem? {
        let output = SecretBuffer(capacity: 2048)
        do throws(ItemSealer.Failure) {
            let tamper = try sealer.openMetadata(of: row, reader: store.reader, into: output)
            if let asked, !asked.areMet(by: output, from: 0) { return nil }
            if withValue { try sealer.openValue(of: row, with: row.key, tamper: tamper, into: output) }
        } catch {
            if case .refused(let refusal) = error { throw refusal }
            return nil
        }
        guard let list = try? AttributeList(parsing: output.copy()) else { return nil }
        return PlainItem(list, row.itemClass, uuid: row.uuid)
    }

    /// Puts a row in, taking the place of a tombstone or of a row that no longer opens; nothing has changed when it
    /// throws.
    ///
    /// - Parameter id: the row to replace; nil adds one.
    func put(_ row: NewRow, at id: Int64?) throws(Refusal) {
        if try place(row, at: id) { return }
        try store.savepoint { () throws(Refusal) in
            try makeRoom(for: row)
            guard try place(row, at: id) else { throw .duplicate(row.itemClass) }
        }
    }

    private func place(_ row: NewRow, at id: Int64?) throws(Refusal) -> Bool {
        if let id { try store.replace(id, with: row) } else { try store.insert(row) }
    }

    private func makeRoom(for row: NewRow) throws(Refusal) {
        let occupant = RowBatch()
        try store.occupant(of: row.primaryKey, in: row.itemClass) { occupant.append($0) }
        guard let found = occupant.first else { return }
        if found.isTombstone, found.isAuthentic { return try store.delete(found.id, from: row.itemClass) }
        let opened: PlainItem?
        do throws(Refusal) { opened = try decryptedItem(of: found, withValue: false) } catch {
            throw .duplicate(row.itemClass)
        }
        if opened == nil { try store.quarantine(found.id, from: row.itemClass) }
    }
}

extension [AuthorizedWrite] {
    fileprivate func refuse(_ refusal: Refusal) { for write in self { write.pending.refuse(refusal) } }
}

extension Refusal {
    static func duplicate(_ itemClass: ItemClass) -> Refusal {
        let key = AttributeTable.primaryKey(of: itemClass).map(\.constants[0]).joined(separator: ", ")
        return Refusal(
            .duplicateItem, .duplicate, itemClass.code, "There is already an item with the same primary key (\(key)).",
            do: "Change that item with SecItemUpdate, or delete it first.")
    }

    /// Whether there was no space on the disk; a quota is another matter.
    fileprivate var isLackOfSpace: Bool { status == .diskFull && rule == .unavailable }

    /// Whether it says that the store cannot be written, which concerns all writes of a transaction.
    fileprivate var concernsStore: Bool { rule == .unavailable || rule == .unknownOutcome }
}
