package import KeychainModel
package import KeychainPolicy
package import KeychainStore
package import KeychainWire
import LinuxSystem

/// One request in, one response out: the keychain itself, without sockets and without keys of its own.
///
/// Reads happen on lanes, one for each thread that answers; writes are gathered into transactions; what may take long
/// (passcodes, walks over everything) is ``device(_:passcodes:id:into:)``, what may wait for a person
/// ``authentication(_:password:from:_:id:by:into:)``.
package final class KeychainEngine: Sendable {
    let store: ItemStore
    let enclave: any EnclaveService
    let keyring: MetadataKeyring
    /// What was decided lately.
    let decisions: DecisionLog
    let sightings = Sightings()
    private let indexKey: SecretBytes
    private let deployment: String
    private let writes: WriteQueue
    private let mover: LogMover
    /// Where the enclave serves this engine alone.
    private let supply: RowKeySupply?

    /// Puts an engine on a store and an enclave.
    ///
    /// - Parameters:
    ///   - deployment: what a person calls the place the engine runs in.
    ///   - quotas: how much there may be.
    ///   - log: takes a line for a request that was refused, a few a second at most.
    /// - Throws: what keeps enclave or store from being used.
    package init(
        store: ItemStore, enclave: any EnclaveService, deployment: String, quotas: Quotas = .none,
        log: DecisionLog.Writer? = nil
    ) throws(Refusal) {
        decisions = DecisionLog(log)
        self.store = store
        self.enclave = enclave
        self.deployment = deployment
        keyring = MetadataKeyring(enclave.epoch)
        indexKey = try enclave.indexKey()
        mover = store.makeLogMover()
        let writer = try store.makeWriter(indexKey: indexKey)
        let sealer = try ItemSealer(enclave: enclave, keyring: keyring)
        supply = store.isShared ? nil : RowKeySupply(enclave, keyring)
        writes = WriteQueue(ItemWriter(writer, sealer, supply, try GroupBook(indexKey), quotas))
    }

    /// Makes what one answering thread needs. The thread tells it when it rests.
    package func makeLane() throws(Refusal) -> EngineLane {
        try makeLane(past: GuardGate(enclave), holdsSnapshot: true)
    }

    /// Makes a lane for one request, or for one that may have the user asked.
    func makeLane(past gate: GuardGate?) throws(Refusal) -> EngineLane {
        try makeLane(past: gate ?? GuardGate(enclave), holdsSnapshot: false)
    }

    private func makeLane(past gate: GuardGate, holdsSnapshot: Bool) throws(Refusal) -> EngineLane {
        EngineLane(
            reader: try store.makeReader(indexKey: indexKey, holdsSnapshot: holdsSnapshot),
            sealer: try ItemSealer(enclave: enclave, keyring: keyring),
            past: gate, decisions)
    }

    /// Performs writes in one transaction and answers each into its own writer. Blocks until they are on disk.
    ///
    /// Writes of several threads that arrive while another transaction is being made durable share the next one.
    package func write(_ batch: [PendingWrite]) {
        perform(batch)
        for write in batch { decisions.note(write.decision) }
    }

    /// As ``write(_:)``, for whoever notes himself what came of it.
    func perform(_ batch: [PendingWrite]) { writes.perform(batch) }

    /// A program has connected: it is noted for its groups.
    package func arrived(_ caller: CallerIdentity) { sightings.note(caller) }

    /// Gets ready for writes to come, while nobody waits for one.
    ///
    /// - Returns: whether ``prepareBeside()`` would help, on another thread. Without it the log is moved here when it is full, and
    ///   row keys are fetched when they are needed.
    @discardableResult
    package func prepareForWrites() -> Bool {
        writes.exclusively { writer in
            if mover.hasMoved || writer.store.isDueForTidying { tidyUp(writer) }
            let isOrdered = writer.store.isLogLong && mover.order()
            return writer.needsKeys || isOrdered
        }
    }

    /// Does beside those who write what ``prepareForWrites()`` found to be done: fetches row keys, and moves most of the write-ahead
    /// log into the database.
    package func prepareBeside() {
        // A class that is closed has no keys; the add that comes will be told so.
        try? supply?.refill()
        mover.move()
    }

    /// Tidies the store up when there is time.
    package func maintain() { writes.exclusively(tidyUp) }

    /// Writes down what can wait, and moves the write-ahead log into the database.
    private func tidyUp(_ writer: ItemWriter) {
        mover.end()
        try? writer.store.checkpoint {
            // What cannot be written down now is seen again tomorrow, and counted then.
            try? writer.write(sightings.take())
            try? writer.store.settleCounters()
        }
    }

    /// The state of the device.
    package func status() throws(Refusal) -> DeviceStatus {
        let enclave = try enclave.status()
        return DeviceStatus(
            protection: enclave.protection, lockState: enclave.lockState, passcodeIsSet: enclave.passcodeIsSet,
            failedAttempts: enclave.failedAttempts, retryAfter: enclave.retryAfter, deployment: deployment,
            location: store.folder, enclave: enclave.kind)
    }

    /// Runs something with the writing connection while nobody else writes.
    func exclusively<Result>(_ body: (ItemWriter) -> Result) -> Result { writes.exclusively(body) }
}
