package import EnclaveWire
package import KeychainModel
package import KeychainPolicy
package import KeychainStore
package import KeychainWire
import LinuxSystem

/// One request in, one response out: the keychain itself, without sockets and without keys of its own.
///
/// Reads happen on item readers, one for each thread that answers; writes in one transaction at a time; what may take
/// long (passcodes, walks over everything) is ``device(_:passcodes:id:into:)``, what may wait for a person
/// ``authentication(_:password:from:_:id:by:into:)``.
package final class KeychainEngine: Sendable {
    let store: ItemStore
    let enclave: any EnclaveService
    let keyring: MetadataKeyring
    /// The recent decisions.
    let decisions: AuditLog
    let activity = ProgramActivity()
    /// The rows of lists, which people name by their numbers.
    let rows = ListedRows()
    /// Whether the store is the newest.
    let age: AgeKeeper
    let anchoredGroups: AnchoredGroups
    let history: HistoryLimits
    let shelves: ShelfRegistry
    /// The time for dropping earlier versions.
    let clock: HistoryClock
    let backups = BackupsUnderWay()
    let circle = EngineCircle()
    let indexKey: SecretBytes
    let groupDigests: GroupDigests
    private let deployment: String
    private let writer: WriterLock
    let log: AuditLog.Writer?
    /// The release of this engine.
    let release = Release(since: Clock.realtimeNanoseconds / 1_000_000_000)

    /// Puts an engine on a store and an enclave.
    ///
    /// - Parameters:
    ///   - deployment: what a person calls the place the engine runs in.
    ///   - quotas: how much there may be.
    ///   - history: for how long earlier versions of items are kept.
    ///   - clock: when they are past.
    ///   - anchoredGroups: whose items are shown to their own programs and to root alone.
    ///   - log: takes a line for a request that was refused, a few a second at most.
    /// - Throws: what keeps enclave or store from being used.
    package init(
        store: ItemStore, enclave: any EnclaveService, deployment: String, quotas: Quotas = .none,
        history: HistoryLimits = HistoryLimits(), clock: HistoryClock = HistoryClock(),
        anchoredGroups: AnchoredGroups = .none, log: AuditLog.Writer? = nil
    ) throws(Refusal) {
        decisions = AuditLog(log)
        self.log = log
        age = AgeKeeper(enclave, log)
        self.anchoredGroups = anchoredGroups
        self.store = store
        self.enclave = enclave
        (self.history, self.clock) = (history, clock)
        self.deployment = deployment
        keyring = MetadataKeyring(enclave.epoch)
        indexKey = try enclave.indexKey()
        groupDigests = try GroupDigests(indexKey)
        try store.migrate(with: indexKey)
        shelves = try ShelfRegistry(store, indexKey)
        if let log { store.damage.tell(log) }
        writer = WriterLock(
            ItemWriter(
                try store.makeWriter(indexKey: indexKey), try ItemSealer(enclave: enclave, keyring: keyring),
                try GroupRegistry(indexKey), quotas, history, running: Self.run))
        exclusively { writer in
            if let foreign = writer.store.foreignObjects { log?("\(foreign.problem) \(foreign.remedy)") }
            age.look(at: writer.store)
        }
        if history.days == 0 { exclusively(dropHistory) }
    }

    /// Nothing is to be kept: what there is goes at once, and not when there is time for it.
    private func dropHistory(_ writer: ItemWriter) {
        do throws(Refusal) { try writer.trimHistory(now: clock.now) } catch {
            log?("The earlier versions were not dropped: \(error.problem)")
        }
    }

    /// Whether the descriptors of the store's lock and writer are still its own.
    package var hasItsDescriptors: Bool {
        store.hasItsDescriptor && shelves.hasItsDescriptors && exclusively { $0.store.hasItsDescriptors }
    }

    /// Why the store is no longer used; nil while all is well. Every request is refused then, and its process is to
    /// end.
    package var failure: Refusal? { store.failure.first }

    /// Why an item reader is not to be used: the store has failed, or its descriptors are no longer what was opened.
    /// For a program that has the keychain inside, and may do so to it. Whether the files still have their names is
    /// looked at when something is written: a read of what somebody has moved away tells nobody that it is kept.
    package func failureOfUse(by itemReader: ItemReader) -> Refusal? {
        if let failure { return failure }
        if store.hasItsDescriptor, itemReader.reader.hasItsWholeFiles { return nil }
        return (store.failureOfUse ?? itemReader.reader.failureOfUse).map { store.fail($0) }
    }

    /// Has something done when the store fails, once.
    package func whenStoreFails(_ body: @escaping @Sendable (Refusal) -> Void) { store.failure.whenItHappens(body) }

    /// Makes what one answering thread needs. The thread tells it when it rests.
    package func makeItemReader() throws(Refusal) -> ItemReader {
        try makeItemReader(past: AccessControlGate(enclave), holdsSnapshot: true)
    }

    /// Makes an item reader for one request, or for one that may have the user asked.
    func makeItemReader(past gate: AccessControlGate?) throws(Refusal) -> ItemReader {
        try makeItemReader(past: gate ?? AccessControlGate(enclave), holdsSnapshot: false)
    }

    private func makeItemReader(past gate: AccessControlGate, holdsSnapshot: Bool) throws(Refusal) -> ItemReader {
        ItemReader(
            reader: try store.makeReader(indexKey: indexKey, holdsSnapshot: holdsSnapshot),
            sealer: try ItemSealer(enclave: enclave, keyring: keyring),
            past: gate, decisions, anchoredGroups, history)
    }

    /// Performs writes in one transaction and answers each into its own writer. Blocks until they are on disk; those
    /// that could not be begun by their deadlines are refused.
    package func write(_ batch: [PendingWrite]) {
        perform(batch)
        for write in batch { decisions.record(write.decision) }
    }

    /// As ``write(_:)``, but the calling code records the results.
    func perform(_ batch: [PendingWrite]) {
        let done: Void? = exclusively(by: batch.latestDeadline) { writer in writer.perform(batch) }
        if done == nil { for write in batch { write.refuse(.expired) } }
    }

    /// Runs the command that the operation of a request names.
    private static func run(_ write: AuthorizedWrite, on writer: ItemWriter) throws(Refusal) {
        switch write.pending.request.operation {
        case .add where write.authorized.parts.isEmpty: try AddItem(writer: writer, write: write).run()
        case .add: try AddIdentity(writer: writer, write: write).run()
        case .update: try UpdateItems(writer: writer, write: write).run()
        case .delete: try DeleteItems(writer: writer, write: write).run()
        case .restore: try RestoreItems(writer: writer, write: write).run()
        case .forget: try ForgetVersions(writer: writer, write: write).run()
        case .copyMatching, .history: throw .notAWrite
        }
    }

    /// A program has connected: it is noted for its groups.
    package func arrived(_ caller: CallerIdentity) { activity.record(caller) }

    /// Makes a checkpoint when the log has become long, and begins a block when one is over. To be called after writes
    /// were answered, by the thread that wrote.
    package func checkpointIfDue() {
        exclusively { writer in
            age.beginBlockIfDue(of: writer.store)
            if writer.store.isCheckpointDue { tidyUp(writer) }
        }
    }

    /// Tidies the store up when there is time.
    package func maintain() {
        exclusively { writer in
            age.close(writer.store)
            tidyUp(writer)
        }
    }

    /// Writes down what can wait, and makes a checkpoint. A failure here is no write's: a failure of the disk ends the
    /// use of the store, and what could not be written down is seen again.
    private func tidyUp(_ writer: ItemWriter) {
        guard failure == nil else { return }
        do throws(Refusal) {
            try GroupRecords(writer: writer).write(activity.take())
            try writer.trimHistory(now: clock.now)
            try writer.store.checkpoint()
        } catch { log?("The store was not tidied up: \(error.problem)") }
    }

    /// The state of the device.
    package func status() throws(Refusal) -> DeviceStatus {
        let enclave = try enclave.status()
        return DeviceStatus(
            protection: enclave.protection, lockState: enclave.lockState, passcodeIsSet: enclave.passcodeIsSet,
            failedAttempts: enclave.failedAttempts, retryAfter: enclave.retryAfter, deployment: deployment,
            location: store.folder, enclave: enclave.kind,
            age: age.whole(with: enclave.age))
    }

    /// Runs something with the writing connection while nobody else writes.
    func exclusively<Result>(_ body: (ItemWriter) -> Result) -> Result {
        while true {
            // There is no deadline that could pass.
            if let result = exclusively(by: .never, body) { return result }
        }
    }

    /// - Returns: nil when the deadline has passed before it could begin.
    private func exclusively<Result>(by deadline: Deadline, _ body: (ItemWriter) -> Result) -> Result? {
        writer.exclusively(by: deadline) { writer in
            let marks = writer.store.marks
            let result = body(writer)
            if writer.store.marks != marks { circle.number.advance() }
            return result
        }
    }
}

extension Refusal {
    fileprivate static let notAWrite = Refusal(
        .internalError, .internalError, "operation", "A query was handed to the writer.", do: "Report this as a bug.")
}
