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

    init(
        _ store: StoreWriter, _ sealer: ItemSealer, _ registry: GroupRegistry, _ quotas: Quotas,
        _ history: HistoryLimits
    ) {
        self.history = history.within(quotas)
        (self.registry, self.quotas) = (registry, quotas)
        self.store = store
        self.sealer = sealer
        plainGate = AccessControlGate(sealer.enclave)
    }

    /// Performs the writes in one transaction; a refused one leaves the others alone, a failed commit refuses all.
    func perform(_ writes: [PendingWrite]) {
        sealer.forgetClosedKeys()
        var authorized: [Authorized] = []
        for write in writes {
            do throws(Refusal) {
                let request = try AccessPolicy.authorize(write.request, from: write.caller)
                write.allow(request)
                try prepareKeys(for: request, by: write.deadline)
                authorized.append((write, request))
            } catch { write.refuse(error) }
        }
        guard !authorized.isEmpty else { return }
        do throws(Refusal) { try perform(authorized) } catch {
            guard error.isLackOfSpace else { return authorized.forEach { $0.0.refuse(error) } }
            let deletions = authorized.filter { $0.0.request.makesLess }
            for (write, _) in authorized where !write.request.makesLess { write.refuse(error) }
            delete(deletions)
        }
    }

    private typealias Authorized = (write: PendingWrite, request: AuthorizedRequest)

    /// Performs deletions for which there was no space: earlier versions go for them, then what is kept for deletions.
    private func delete(_ deletions: [Authorized]) {
        guard !deletions.isEmpty else { return }
        dropsHistory = true
        defer { dropsHistory = false }
        do throws(Refusal) {
            try repeated(deletions) { () throws(Refusal) in try store.forgetOldest(Self.droppedAtOnce) }
        } catch {
            guard error.isLackOfSpace else { return deletions.forEach { $0.write.refuse(error) } }
            store.giveReserve()
            do throws(Refusal) { try repeated(deletions) } catch { deletions.forEach { $0.write.refuse(error) } }
        }
    }

    /// So many earlier versions are dropped for a deletion on a full disk: to drop them all would itself take much
    /// space.
    private static let droppedAtOnce: Int64 = 128

    private func repeated(
        _ deletions: [Authorized], after prepare: () throws(Refusal) -> Void = {}
    ) throws(Refusal) {
        // Removes the answers written before the commit failed.
        for (write, _) in deletions { write.writer.buffer.removeAll() }
        try perform(deletions, after: prepare)
    }

    private func perform(
        _ authorized: [Authorized], after prepare: () throws(Refusal) -> Void = {}
    ) throws(Refusal) {
        defer { rowKeys = RowKeys() }
        try store.transaction(by: authorized.map(\.write).latestDeadline) { () throws(Refusal) in
            // A process that removes the passcode, and with it a class, does so in a transaction. The enclave's answers
            // within this one therefore hold until its end.
            rowKeys = try RowKeys(for: authorized.map(\.request), from: sealer.enclave)
            try prepare()
            // Alone in its transaction, a write needs no savepoint to be undone.
            if authorized.count == 1 { return try performOne(authorized[0].write, authorized[0].request) }
            for (write, request) in authorized { try performOneOfMany(write, request) }
        }
        if authorized.contains(where: { !$0.request.request.makesLess }) { store.keepReserve() }
    }

    /// Errors of the disk concern the whole transaction; every other one only the write it belongs to.
    private func performOneOfMany(_ write: PendingWrite, _ request: AuthorizedRequest) throws(Refusal) {
        do throws(Refusal) {
            try store.savepoint { () throws(Refusal) in try performOne(write, request) }
        } catch {
            guard !error.concernsStore, store.isInTransaction else { throw error }
            write.refuse(error)
        }
    }

    private func performOne(_ write: PendingWrite, _ request: AuthorizedRequest) throws(Refusal) {
        try write.deadline.check()
        store.owner = try store.digester.owner(write.caller.owner)
        try withinQuotas(write) { () throws(Refusal) in
            switch request.request.operation {
            case .add: try add(request, write)
            case .update: try update(request, write)
            case .delete: try delete(request, write)
            case .restore: try restore(request, write)
            case .forget: try forget(request, write)
            case .copyMatching, .history: throw .notAWrite
            }
        }
    }

    // MARK: - Rows

    /// Collects the rows of a query, the enclave asked for their keys.
    func rows(
        of request: AuthorizedRequest, as itemClass: ItemClass, by deadline: Deadline, withKeys: Bool
    ) throws(Refusal) -> RowBatch {
        batch.removeAll()
        let asked = AskedAttributes(request)
        try store.reader.select(request, as: itemClass, by: deadline) { (row) throws(Refusal) in
            if try isMeant(row, as: itemClass, by: asked) { batch.append(row) }
            return true
        }
        guard !batch.rows.isEmpty else { throw .nothingFound(request.request) }
        if withKeys { try sealer.unwrapKeys(of: batch) }
        return batch
    }

    /// Whether a row is what a query asks for. A candidate's attributes say so, which one that does not open has none
    /// of.
    ///
    /// - Throws: `errSecInteractionNotAllowed` for a candidate whose class is closed.
    func isMeant(
        _ row: SealedRow, as itemClass: ItemClass, by asked: AskedAttributes, half: ItemClass? = nil
    ) throws(Refusal) -> Bool {
        guard row.isCandidate else { return true }
        let opened = SecretBuffer(capacity: 2048)
        do throws(ItemSealer.Failure) {
            try sealer.openMetadata(of: row, as: itemClass, reader: store.reader, into: opened)
        } catch {
            if case .refused(let refusal) = error { throw refusal }
            return false
        }
        return asked.areMet(by: opened, from: 0, half: half)
    }

    /// Opens a row into an item; nil when it is damaged.
    ///
    /// - Parameter asked: what found the row, which it must meet; another is damaged.
    func open(
        _ index: Int, in batch: RowBatch, as itemClass: ItemClass, withValue: Bool, asked: AskedAttributes? = nil
    ) throws(Refusal) -> PlainItem? {
        let row = batch.rows[index]
        let output = SecretBuffer(capacity: 2048)
        do throws(ItemSealer.Failure) {
            let tamper = try sealer.openMetadata(of: row, in: batch, as: itemClass, reader: store.reader, into: output)
            if let asked, !asked.areMet(by: output, from: 0) { return nil }
            if withValue { try sealer.openValue(at: index, in: batch, as: itemClass, tamper: tamper, into: output) }
        } catch {
            if case .refused(let refusal) = error { throw refusal }
            return nil
        }
        guard let list = try? AttributeList(parsing: output.copy()) else { return nil }
        let uuid = batch.sealed.withSpan { $0.array(row.uuid.lowerBound, row.uuid.count) }
        return PlainItem(list, itemClass, uuid: uuid)
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
        guard let found = occupant.rows.first else { return }
        if found.isTombstone, found.isAuthentic { return try store.delete(found.id, from: row.itemClass) }
        let opened: PlainItem?
        do throws(Refusal) { opened = try open(0, in: occupant, as: row.itemClass, withValue: false) } catch {
            throw .duplicate(row.itemClass)
        }
        if opened == nil { try store.quarantine(found.id, from: row.itemClass) }
    }

    // MARK: - Keys

    /// Makes sure that the class an item goes into has its metadata key, in a transaction of its own.
    private func prepareKeys(for request: AuthorizedRequest, by deadline: Deadline) throws(Refusal) {
        for part in request.parts { try prepareKeys(for: part, by: deadline) }
        switch request.request.operation {
        case .add where request.parts.isEmpty:
            try ensureMetadataKey(for: try request.addedAccessibility(), by: deadline)
        case .update:
            guard let accessibility = request.request.changes.accessibility else { return }
            try ensureMetadataKey(for: accessibility, by: deadline)
        case .add, .delete, .copyMatching, .history, .restore, .forget: break
        }
    }

    private func ensureMetadataKey(for accessibility: Accessibility, by deadline: Deadline) throws(Refusal) {
        do throws(Refusal) {
            if try sealer.context(for: accessibility, in: store.reader) != nil { return }
        } catch {
            guard accessibility == .whenPasscodeSetThisDeviceOnly, error.status == .decode else { throw error }
            try setAside(accessibility, by: deadline)
        }
        try makeMetadataKey(for: accessibility, by: deadline)
        guard try sealer.context(for: accessibility, in: store.reader) != nil else { throw .locked(accessibility) }
    }

    /// Makes the first key of a class. A class that has rows but no key is refused: its rows may open again when
    /// somebody restores the key.
    private func makeMetadataKey(for accessibility: Accessibility, by deadline: Deadline) throws(Refusal) {
        var made: SecretBytes?
        try store.transaction(by: deadline) { () throws(Refusal) in
            guard try store.reader.wrappedMetadataKey(for: accessibility) == nil else { return }
            guard try !store.reader.hasRows(of: accessibility) else { throw .metadataKeyMissing(accessibility) }
            let (key, wrapped) = try sealer.enclave.makeMetadataKey(for: accessibility)
            try store.keep(metadataKey: wrapped, for: accessibility)
            made = key
        }
        if let made { try sealer.use(made, for: accessibility) }
    }

    /// A class of the passcode's whose metadata key does not open: its class key went with a passcode while a crash
    /// kept the rows, or the key is damaged. Nothing says which, so the rows are put aside with it, and not removed.
    private func setAside(_ accessibility: Accessibility, by deadline: Deadline) throws(Refusal) {
        try store.transaction(by: deadline) { () throws(Refusal) in
            // Another process may have done it, and made a new key.
            guard let wrapped = try store.reader.wrappedMetadataKey(for: accessibility),
                try !opens(wrapped, accessibility)
            else { return }
            try store.quarantine(accessibility)
        }
    }

    private func opens(_ wrapped: [UInt8], _ accessibility: Accessibility) throws(Refusal) -> Bool {
        do throws(Refusal) {
            _ = try sealer.enclave.unwrapMetadataKey(wrapped, for: accessibility)
            return true
        } catch {
            guard error.status == .decode else { throw error }
            return false
        }
    }
}

extension Refusal {
    fileprivate static func metadataKeyMissing(_ accessibility: Accessibility) -> Refusal {
        Refusal(
            .notAvailable, .damaged, "store",
            "The store has items of the class \(accessibility.code), and the key of their attributes is missing.",
            do: "Run `security verify-keychain`; to go back, \(StoreFile.restoringSnapshot).")
    }
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

    static let notAWrite = Refusal(
        .internalError, .internalError, "operation", "A query was handed to the writer.", do: "Report this as a bug.")
}
