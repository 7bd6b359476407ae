import EnclaveWire
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncMerging
import SyncStore

/// The keys of a machine in its circle, which its enclave has, for one transaction.
///
/// A failure of the enclave is noted, and the transaction ends without effect: an enclave that does not answer must not
/// look like a batch that does not open.
final class EnclaveCircleKeys: CircleKeys {
    private let enclave: any EnclaveService
    private let known: KnownNames
    private var state: CircleState?
    /// Whether keys of generations have come.
    private var hasNewKeys = false
    let isUnlocked: Bool
    private(set) var failure: Refusal?

    /// - Throws: `errSecInteractionNotAllowed` before the first unlock, when nothing of a circle can be read.
    init(_ enclave: any EnclaveService, _ known: KnownNames) throws(Refusal) {
        (self.enclave, self.known) = (enclave, known)
        let lockState = try enclave.status().lockState
        guard lockState != .beforeFirstUnlock else { throw .circleIsLocked }
        isUnlocked = lockState == .unlocked
        state = try enclave.circle()
    }

    /// The public keys of this machine; nil in no circle.
    var own: MemberKeys? { state?.keys }

    /// Whether the enclave has read that a machine was removed.
    func isRemoved(_ member: MemberID) -> Bool { state?.isRemoved(member) == true }

    /// Runs a call of the enclave.
    ///
    /// - Parameter isAnswer: whether a refusal says something about what was given, and not that the enclave has
    ///   failed.
    /// - Returns: nil when the enclave has refused, or has failed before.
    private func ask<Result>(
        isAnswer: (Refusal) -> Bool = { _ in false }, _ body: () throws(Refusal) -> Result
    ) -> Result? {
        guard failure == nil else { return nil }
        do throws(Refusal) { return try body() } catch {
            if !isAnswer(error) { failure = error }
            return nil
        }
    }

    private static func means(_ rules: Refusal.Rule...) -> (Refusal) -> Bool { { rules.contains($0.rule) } }

    // MARK: - Hashes and signatures

    func hash(_ bytes: [UInt8]) -> BatchHash { digest(bytes.span) }

    private func digest(_ bytes: Span<UInt8>) -> BatchHash {
        do throws(CryptoError) {
            let digest = try Digest.sha256(bytes)
            return BatchHash(digest.span.array(0, BatchHash.size))
        } catch {
            failure = failure ?? .noHash
            return .none
        }
    }

    private static let algorithm = KeyAlgorithm(name: "algid:sign:ECDSA:message-RFC4754:SHA256")

    func isSignature(_ signature: [UInt8], of bytes: [UInt8], by signingKey: [UInt8]) -> Bool {
        guard let algorithm = Self.algorithm else { return false }
        do throws(CryptoError) {
            let key = try PublicKey(external: signingKey.span, type: .ecSECPrimeRandom)
            return try key.verify(signature.span, of: bytes.span, algorithm)
        } catch {
            if error == .libraryFailure { failure = failure ?? .noSignatureCheck }
            return false
        }
    }

    func sign(_ bytes: [UInt8]) -> [UInt8] {
        let unsigned = [UInt8](repeating: 0, count: SyncBatch.signatureSize)
        guard failure == nil else { return unsigned }
        let head = Array(bytes.dropFirst(SyncBatch.domain.count).dropLast(BatchHash.size))
        let sealedHash = BatchHash(Array(bytes.suffix(BatchHash.size)))
        return ask { () throws(Refusal) in try enclave.signBatch(head: head, sealedHash: sealedHash) } ?? unsigned
    }

    func makeSalt() -> BatchHash { BatchHash(Randomness.bytes(BatchHash.size)) }

    // MARK: - Generations

    func number(of generation: GenerationID) -> UInt32? { state?.held[generation] }

    /// The enclave decides on number and recipients by what it has verified itself.
    func makeGeneration(_ number: UInt32, for recipients: [MemberID: MemberKeys]) -> Generation? {
        guard isUnlocked else { return nil }
        // Another machine has to make it, or to share what it has made; or there is no room before one is removed.
        let statement = ask(isAnswer: Self.means(.contradiction, .noGenerationKeys, .notAMember, .fullCircle)) {
            () throws(Refusal) in try enclave.makeGeneration()
        }
        refresh()
        guard case .generation(let made)? = statement else { return nil }
        return made
    }

    func share(_ generation: GenerationID, with recipients: [MemberID: MemberKeys]) -> Generation? {
        guard isUnlocked, let state else { return nil }
        let present = Set(state.members.filter(\.isIn).map(\.id))
        let members = recipients.keys.filter(present.contains).sorted()
        guard !members.isEmpty else { return nil }
        let statement = ask(isAnswer: Self.means(.noGenerationKeys)) { () throws(Refusal) in
            try enclave.shareGeneration(generation, with: members)
        }
        guard case .share(let late)? = statement else { return nil }
        return late
    }

    func take(_ batch: SyncBatch, _ standing: BatchStanding) -> Bool {
        standing == .sought ? takeKeys(batch) : takeWhole(batch, mayWait: standing == .next)
    }

    /// Gives the enclave a batch that it has not had.
    ///
    /// A vault with little room has forgotten members that are out. Their statements have counted, and need not be
    /// taken once more.
    ///
    /// - Parameter mayWait: whether the batch can wait where the vault has no room for what it states.
    /// - Returns: whether the enclave has it.
    private func takeWhole(_ batch: SyncBatch, mayWait: Bool) -> Bool {
        let digest = hash(batch.signed)
        guard known.take(digest) else { return true }
        let isAnswer = mayWait ? Self.means(.fullCircle, .unknownAuthor) : Self.means(.unknownAuthor)
        let taken: Void? = ask(isAnswer: isAnswer) { () throws(Refusal) in try enclave.takeBatch(batch.carried) }
        if taken == nil { known.forget(digest) }
        noteKeys()
        return taken != nil
    }

    private func takeKeys(_ batch: SyncBatch) -> Bool {
        let isAnswer = Self.means(.unknownAuthor, .forgedBatch, .malformedBatch, .laterBatch, .fullCircle)
        let taken: Void? = ask(isAnswer: isAnswer) { () throws(Refusal) in try enclave.seekKeys(batch.carried) }
        if taken != nil { noteKeys() }
        return taken != nil
    }

    private func noteKeys() {
        let before = state?.held.count
        refresh()
        if state?.held.count != before { hasNewKeys = true }
    }

    /// Takes batches once more whose names of machines were sealed with keys that came later.
    func takeNames(of replica: Replica<StoredRows>) {
        guard hasNewKeys, let state else { return }
        let nameless = Set(state.members.filter { $0.name.isEmpty }.map(\.id))
        replica.remind(self) { batch in
            let isNameless = batch.statements.contains { statement in
                if case .add(let addition) = statement { nameless.contains(member(addition.keys)) } else { false }
            }
            if isNameless { known.forget(hash(batch.signed)) }
            return isNameless
        }
    }

    private func refresh() {
        if let now = ask({ () throws(Refusal) in try enclave.circle() }) { state = now }
    }

    // MARK: - What is sealed

    func seal(_ content: SecretBytes, _ header: SyncHeader, associated: (_ sealedSize: Int) -> [UInt8]) -> [UInt8] {
        let place = associated(content.count + CircleBox.overhead)
        return ask { () throws(Refusal) in try enclave.sealContent(content, header: place) } ?? []
    }

    func open(_ sealed: [UInt8], _ header: SyncHeader, associated: [UInt8]) -> SecretBytes? {
        ask(isAnswer: Self.means(.malformedBatch)) { () throws(Refusal) in
            try enclave.openContent(sealed, header: associated)
        }
    }

    func box(_ records: [SyncRecord], _ header: SyncHeader) -> [SyncRecord]? {
        guard isUnlocked, let items = box(records, header, areShelves: false),
            let shelves = box(records, header, areShelves: true)
        else { return nil }
        return Self.merged(items, shelves, like: records)
    }

    private func box(_ all: [SyncRecord], _ header: SyncHeader, areShelves: Bool) -> [SyncRecord]? {
        var boxed: [SyncRecord] = []
        for some in CircleLists.runs(all.filter { $0.isShelf == areShelves }, by: \.encodedSize) {
            let (bodies, places) = (some.map(\.body), some.map { BoxedRecord($0, in: header) })
            let boxes = ask(isAnswer: Self.means(.locked)) { () throws(Refusal) in
                try areShelves ? enclave.boxShelves(bodies, of: places) : enclave.boxBodies(bodies, of: places)
            }
            guard let boxes else { return nil }
            for (record, box) in zip(some, boxes) { boxed.append(record.with(body: box, isBoxed: true)) }
        }
        return boxed
    }

    func unbox(_ boxes: [(record: SyncRecord, header: SyncHeader)]) -> [SyncRecord?] {
        Self.merged(
            unbox(boxes, areShelves: false), unbox(boxes, areShelves: true), like: boxes.map(\.record))
    }

    private func unbox(
        _ all: [(record: SyncRecord, header: SyncHeader)], areShelves: Bool
    ) -> [SyncRecord?] {
        var opened: [SyncRecord?] = []
        let boxes = all.filter { $0.record.isShelf == areShelves }
        for some in CircleLists.runs(boxes, by: { $0.record.encodedSize }) {
            let (boxes, places) = (some.map(\.record.body), some.map { BoxedRecord($0.record, in: $0.header) })
            let bodies = ask { () throws(Refusal) in
                try areShelves ? enclave.unboxShelves(boxes, of: places) : enclave.unboxBodies(boxes, of: places)
            }
            for (index, one) in some.enumerated() {
                opened.append(bodies?[index].map { one.record.with(body: $0, isBoxed: false) })
            }
        }
        return opened
    }

    /// Answers for items and for shelves, in the order of the records.
    private static func merged<Answer>(
        _ items: [Answer], _ shelves: [Answer], like records: [SyncRecord]
    ) -> [Answer] {
        var (items, shelves) = (items[...], shelves[...])
        return records.map { $0.isShelf ? shelves.removeFirst() : items.removeFirst() }
    }

    func recordIDs(of records: [SyncRecord]) -> [RecordID?] {
        let names = records.map(\.named)
        let digests = names.map { name in name.map { $0.withSpan { span -> BatchHash in digest(span) } } }
        var unknown: [(index: Int, naming: RecordNaming)] = []
        for (index, name) in names.enumerated() {
            guard let name, let digest = digests[index], known.name(digest) == nil else { continue }
            // The number of the class, which the enclave puts before the key itself.
            let key = name.withSpan { SecretBytes(copying: $0.extracting(1..<$0.count)) }
            unknown.append((index, RecordNaming(itemClass: records[index].itemClass, primaryKey: key)))
        }
        var found = digests.map { $0.flatMap(known.name) }
        for some in CircleLists.runs(unknown, by: { $0.naming.primaryKey.count }) {
            let named = ask(isAnswer: Self.means(.noGenerationKeys)) { () throws(Refusal) in
                try enclave.recordIDs(some.map(\.naming))
            }
            for (one, rid) in zip(some, named ?? []) {
                found[one.index] = rid
                if let digest = digests[one.index] { known.keep(rid, digest) }
            }
        }
        return found
    }
}

extension SyncRecord {
    fileprivate var body: SecretBytes { withBody { SecretBytes(copying: $0) } }
}

/// Names of records, and batches that the enclave has taken, from one transaction to the next.
final class KnownNames: Sendable {
    private struct Content {
        var names: [BatchHash: RecordID] = [:]
        var taken: Set<BatchHash> = []
    }

    /// As many records as a person has; of more all are asked for again.
    private static let most = 65_536
    private let content = Lock(Content())

    func name(_ digest: BatchHash) -> RecordID? { content.withLock { $0.names[digest] } }

    func keep(_ rid: RecordID, _ digest: BatchHash) {
        content.withLock { content in
            if content.names.count >= Self.most { content.names = [:] }
            content.names[digest] = rid
        }
    }

    /// - Returns: false when the enclave has taken the batch already.
    func take(_ batch: BatchHash) -> Bool {
        content.withLock { content in
            if content.taken.count >= Self.most { content.taken = [] }
            return content.taken.insert(batch).inserted
        }
    }

    func forget(_ batch: BatchHash) { content.withLock { content in _ = content.taken.remove(batch) } }

    /// Another circle has other keys.
    func forgetAll() { content.withLock { $0 = Content() } }
}
