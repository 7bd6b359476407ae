import EnclaveWire
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat

/// A circle that a place shows, as far as it is believed.
struct FoundCircle {
    /// As the recovery key itself knows it.
    let record: CircleRecord
    let whole: WholeLogs
}

/// The circle of a recovery key among all that a place shows (docs/formats/sync.md, section 3).
extension SoftwareEnclave {
    /// Snapshots from which a circle is read in vain.
    private static let mostSnapshots = 8

    /// The circle that was announced with a code.
    func find(_ key: CircleRecoveryKey, among offers: OfferedBatches) throws(Refusal) -> FoundCircle {
        var refusal = Refusal.wrongCode
        // A place may have thousands of circles that somebody has made up.
        for (circle, offered) in offers.circles.sorted(by: { $0.key < $1.key }) {
            let claims = offered.stating.flatMap(\.statements).compactMap { statement -> BatchHash? in
                if case .recovery(key.keys, let announcement) = statement { announcement } else { nil }
            }
            guard !claims.isEmpty else { continue }
            guard claims.contains(try announcement(key, of: circle)) else {
                refusal = .forgedCircle
                continue
            }
            let found = try believe(circle, offered, as: key)
            guard found.record.membership.recoveryKey(key.id) != nil else {
                refusal = .lacksBeginnings
                continue
            }
            guard !found.record.membership.removed.contains(key.id) else { throw .replacedCode }
            guard !found.record.recordKey.isEmpty else { throw .noGenerationKeys }
            return found
        }
        throw refusal
    }

    // MARK: - What is believed

    /// Reads the logs of a circle that have no hole: since their first batches, or since a snapshot that their authors
    /// vouch for.
    private func believe(
        _ circle: CircleID, _ offered: OfferedCircle, as key: CircleRecoveryKey
    ) throws(Refusal) -> FoundCircle {
        if !offered.snapshots.parts.isEmpty {
            // Logs with holes give the keys that a manifest is sealed with, and nothing else.
            let everything = try read(offered.stating, of: circle, as: key)
            for snapshot in try snapshots(offered, everything).prefix(Self.mostSnapshots) {
                let whole = offered.whole(since: snapshot)
                let record = try read(whole.carried + whole.stating, of: circle, as: key)
                if try isVouched(snapshot, whole, in: record) { return FoundCircle(record: record, whole: whole) }
            }
        }
        let whole = offered.whole(since: nil)
        return FoundCircle(record: try read(whole.stating, of: circle, as: key), whole: whole)
    }

    /// The snapshots that members have announced, those first which most have endorsed.
    private func snapshots(
        _ offered: OfferedCircle, _ record: CircleRecord
    ) throws(Refusal) -> [OfferedSnapshot] {
        var found: [OfferedSnapshot] = []
        for (batch, hash) in offered.snapshots.announcing.values.joined() {
            guard let content = try content(of: batch, in: record),
                let listed = content.records.last(where: { $0.kind == SyncRecord.Kind.manifest }),
                let manifest = listed.withBody({ try? SnapshotManifest(decoding: $0) }),
                let snapshot = OfferedSnapshot(manifest, in: batch, hash, offered.snapshots)
            else { continue }
            found.append(snapshot)
        }
        return sorted(found, by: offered.stating, in: record)
    }

    private func sorted(
        _ snapshots: [OfferedSnapshot], by batches: [SyncBatch], in record: CircleRecord
    ) -> [OfferedSnapshot] {
        let machines = Set(record.membership.machines)
        var words: [SyncPosition: Set<MemberID>] = [:]
        for batch in batches where machines.contains(batch.header.device) {
            for position in batch.endorsed { words[position, default: []].insert(batch.header.device) }
        }
        let ranked = snapshots.map { snapshot in
            let own = machines.intersection([snapshot.position.device])
            let all = own.union(words[snapshot.position] ?? [])
            return (words: all.count, snapshot: snapshot)
        }
        return ranked.sorted { one, other in
            (one.words, one.snapshot.covered, one.snapshot.position.device)
                > (other.words, other.snapshot.covered, other.snapshot.position.device)
        }.map(\.snapshot)
    }

    /// Whether each machine that is in, and of which a snapshot has something, has made or endorsed it: what is gone of
    /// a log has its own author's word. At least one is in.
    private func isVouched(
        _ snapshot: OfferedSnapshot, _ whole: WholeLogs, in record: CircleRecord
    ) throws(Refusal) -> Bool {
        let machines = Set(record.membership.machines)
        let endorsing = whole.stating.filter { $0.endorsed.contains(snapshot.position) }
        let words = try authors(of: endorsing, in: record).union([snapshot.position.device])
        let had = Set(snapshot.ends.keys).union(snapshot.carried.map(\.header.device))
        return !words.isDisjoint(with: machines) && had.intersection(machines).isSubset(of: words)
    }

    /// The members that have signed some of the batches.
    private func authors(of batches: [SyncBatch], in record: CircleRecord) throws(Refusal) -> Set<MemberID> {
        var found: Set<MemberID> = []
        for batch in batches where !found.contains(batch.header.device) {
            guard let keys = record.membership.members[batch.header.device]?.keys else { continue }
            if try keys.isAuthor(of: batch) { found.insert(batch.header.device) }
        }
        return found
    }

    /// The content that a member has sealed; nil where its keys are not here, or it has sealed something else.
    func content(of batch: SyncBatch, in record: CircleRecord) throws(Refusal) -> SyncContent? {
        let header = batch.header
        guard let author = record.membership.members[header.device]?.keys, let sealed = batch.sealed,
            try author.isAuthor(of: batch), record.held[header.generation] != nil
        else { return nil }
        let key = try commonKey(of: header.generation, in: record)
        do throws(CryptoError) {
            let content = try CircleCipher.open(
                sealed.span, .batch, under: key, salt: header.salt.bytes, place: batch.associated)
            return try? SyncContent(decoding: content)
        } catch {
            guard error != .libraryFailure else { throw .crypto(error) }
            return nil
        }
    }

    // MARK: - Counting

    /// Counts the statements of a circle, and takes the keys that are shared with the recovery key.
    private func read(
        _ batches: [SyncBatch], of circle: CircleID, as key: CircleRecoveryKey
    ) throws(Refusal) -> CircleRecord {
        let own = CircleRecord.OwnKeys(
            keys: key.keys, id: key.id, backend: .software,
            signing: try sealPart(key.signing, .signing, of: key.id.bytes, in: circle),
            agreement: try sealPart(key.agreement, .agreement, of: key.id.bytes, in: circle))
        var record = CircleRecord(circle, random: .none, own)
        try count(batches, in: &record)
        // Names are sealed with keys that may have come later.
        for batch in batches where !batch.introduced.isEmpty { _ = try isCounted(batch, in: &record) }
        return record
    }

    /// Counts batches, each when its author is known.
    private func count(_ batches: [SyncBatch], in record: inout CircleRecord) throws(Refusal) {
        var queue = BatchQueue(batches)
        while let (place, batch) = queue.take() {
            guard try isCounted(batch, in: &record) else {
                queue.put(place, until: batch.vouchers.filter { record.membership.members[$0] == nil })
                continue
            }
            for keys in batch.introduced {
                let id = try identifier(of: keys)
                if record.membership.members[id] != nil { queue.note(id) }
            }
        }
    }

    /// - Returns: false for a batch whose author is not known yet. One that is forged is passed over.
    private func isCounted(_ batch: SyncBatch, in record: inout CircleRecord) throws(Refusal) -> Bool {
        do throws(Refusal) { try count(batch, in: &record) } catch {
            switch error.rule {
            case .unknownAuthor: return false
            case .forgedBatch, .malformedBatch: return true
            default: throw error
            }
        }
        return true
    }
}

extension SyncBatch {
    /// The keys of machines and recovery keys that it adds.
    fileprivate var introduced: [MemberKeys] {
        statements.compactMap { statement in
            switch statement {
            case .genesis(let keys, _), .recovery(let keys, _): keys
            case .add(let addition): addition.keys
            default: nil
            }
        }
    }

    /// Members that make its author known: itself, or the recovery keys that its own `add` names.
    fileprivate var vouchers: Set<MemberID> {
        statements.reduce(into: [header.device]) { found, statement in
            if case .add(let addition) = statement, addition.recoveryKey != .none { found.insert(addition.recoveryKey) }
        }
    }

    /// The batches whose snapshots it endorses.
    fileprivate var endorsed: [SyncPosition] {
        statements.compactMap { statement in
            if case .endorse(let position) = statement { position } else { nil }
        }
    }
}

extension Refusal {
    fileprivate static let replacedCode = Refusal(
        .authFailed, .wrongRecoveryCode, "circle", "The code serves no more: another one has replaced it.",
        do: "Use the newest code, or have a machine of the circle add this one.")

    fileprivate static let forgedCircle = Refusal(
        .authFailed, .forgedBatch, "circle",
        "A circle at this place names the recovery key, and was not made by those who know its code: it is forged.",
        do: "Use the place that the circle is kept at. Somebody who can write to this one is not to be trusted.")

    fileprivate static let lacksBeginnings = Refusal(
        .notAvailable, .noCircle, "circle",
        "The beginning of the circle's logs is missing, and no whole snapshot stands for it that all vouch for.",
        do: "See that all files of the circle have arrived, also those of its snapshots, and repeat the command.")
}
