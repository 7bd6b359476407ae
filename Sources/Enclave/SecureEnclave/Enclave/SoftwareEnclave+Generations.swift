import EnclaveWire
import KeychainCrypto
package import KeychainModel
import KeychainWire
import LinuxSystem
package import SyncFormat

/// The keys of a circle's generations: made, shared and taken here.
extension SoftwareEnclave {
    package func makeGeneration() throws(Refusal) -> SyncStatement {
        try requireOpen(.whenUnlocked)
        let statements = try stating { (record) throws(Refusal) in
            try record.requireIn()
            try boxWaitingKeys(in: &record)
            guard let current = record.membership.currentGeneration?.id, record.held[current] != nil else {
                return [try newGeneration(in: &record)]
            }
            // To state another machine's keys again would be to vouch for them when that machine is removed.
            guard record.isOwn(current) else { throw .generationIsThere }
            let made = try shares(of: current, for: record.recipients, in: record)
            record.membership.make(made, by: record.own.id)
            return [.generation(made)]
        }
        return statements[0]
    }

    /// Makes keys for all who are in. The caller has the machine unlocked.
    func newGeneration(in record: inout CircleRecord) throws(Refusal) -> SyncStatement {
        guard let number = record.membership.nextGeneration else { throw .fullCircle }
        let keys = GenerationKeys(record: try recordKey(in: record))
        let commitment: BatchHash
        do { commitment = try keys.commitment(in: record.circle, number) } catch { throw .crypto(error) }
        let id = GenerationID(commitment.bytes)
        try hold(keys, id, number, in: &record)
        // Before the shares, which are of a generation that is known.
        record.membership.restore(id, .init(commitment: commitment))
        let made = try shares(of: id, for: record.recipients, in: record)
        record.membership.make(made, by: record.own.id)
        return .generation(made)
    }

    /// The circle's record key, which never changes; nil where the first generation is to make it.
    private func recordKey(in record: CircleRecord) throws(Refusal) -> SecretBytes? {
        if !record.recordKey.isEmpty {
            return try openPart(record.recordKey, .recordKey, of: record.own.id.bytes, in: record.circle)
        }
        // Another one would give every record a second name.
        guard record.random != .none, record.membership.generations.isEmpty else { throw .noGenerationKeys }
        return nil
    }

    package func shareGeneration(
        _ generation: GenerationID, with members: [MemberID]
    ) throws(Refusal) -> SyncStatement {
        try requireOpen(.whenUnlocked)
        let statements = try stating { (record) throws(Refusal) in
            try record.requireIn()
            try boxWaitingKeys(in: &record)
            guard members.count <= SyncLimits.recipients else { throw .fullCircle }
            let late = try shares(of: generation, for: Set(members).sorted(), in: record)
            record.noteShares(late, by: record.own.id)
            return [.share(late)]
        }
        return statements[0]
    }

    /// The keys of a generation for members that are in, and for nobody else, whatever the daemon says.
    private func shares(
        of generation: GenerationID, for members: [MemberID], in record: CircleRecord
    ) throws(Refusal) -> Generation {
        guard let held = record.held[generation] else { throw .noGenerationKeys }
        let keys = try keys(of: generation, held, in: record)
        // Others may have stated it wrongly.
        let commitment: BatchHash
        do { commitment = try keys.commitment(in: record.circle, held.number) } catch { throw .crypto(error) }
        var shares: [KeyShare] = []
        for member in members {
            guard let recipient = record.membership.present[member]?.keys else { throw .notAMember }
            do throws(CryptoError) {
                shares.append(try keys.share(of: generation, in: record.circle, for: member, recipient))
            } catch {
                // Keys that are no points open nothing. Others are not to wait for the machine that has them.
                guard error == .malformedKey else { throw .crypto(error) }
            }
        }
        return Generation(number: held.number, commitment: commitment, shares: shares)
    }

    // MARK: - Keys that came in shares

    /// Takes the keys of a generation, if it has a share for this machine that keeps the commitment. A share that does
    /// not is none.
    ///
    /// The first keys may come from a machine in wrong hands, with a record key of its own. They go when a sponsor of
    /// this machine has others.
    func takeKeys(of made: Generation, by author: MemberID, in record: inout CircleRecord) throws(Refusal) {
        guard record.held[made.id] == nil, let share = made.shares.first(where: { $0.recipient == record.own.id }),
            let keys = try open(share, of: made.id, made.number, in: record),
            (try? keys.commitment(in: record.circle, made.number)) == made.commitment
        else { return }
        if let known = try knownRecordKey(in: record), !known.isEqual(to: keys.record) {
            let isProven = record.held.keys.contains { record.isVouched($0) }
            guard !isProven, record.isVouched(made.id, by: author) else { return }
            record.forgetKeys()
        }
        try hold(keys, made.id, made.number, waiting: share, in: &record)
    }

    private func knownRecordKey(in record: CircleRecord) throws(Refusal) -> SecretBytes? {
        guard !record.recordKey.isEmpty else { return nil }
        return try openPart(record.recordKey, .recordKey, of: record.own.id.bytes, in: record.circle)
    }

    private func open(
        _ share: KeyShare, of generation: GenerationID, _ number: UInt32, in record: CircleRecord
    ) throws(Refusal) -> GenerationKeys? {
        let own = try openPart(record.own.agreement, .agreement, of: record.own.id.bytes, in: record.circle)
        let store = try store(record.own.backend)
        let shared: SecretBytes
        do throws(Refusal) {
            shared = try own.withSpan { (own) throws(Refusal) in
                try store.agree(with: share.encapsulated.span, using: own)
            }
        } catch {
            // An author in wrong hands may have written anything in place of a point.
            guard error.status == .param else { throw error }
            return nil
        }
        return GenerationKeys(
            opening: share, of: generation, number, in: record.circle, record.own.keys, sharedX: shared)
    }

    /// Keeps keys under the class keys. While the machine is locked, the key for an unlocked one stays in its share.
    private func hold(
        _ keys: GenerationKeys, _ id: GenerationID, _ number: UInt32, waiting share: KeyShare? = nil,
        in record: inout CircleRecord
    ) throws(Refusal) {
        if record.recordKey.isEmpty {
            record.recordKey = try sealPart(keys.record, .recordKey, of: record.own.id.bytes, in: record.circle)
        }
        let common = try sealPart(keys.common, .common, of: id.bytes, in: record.circle)
        let unlocked: CircleRecord.Unlocked
        do throws(Refusal) {
            unlocked = .boxed(try sealPart(keys.unlocked, .unlocked, of: id.bytes, in: record.circle))
        } catch {
            guard let share, error.rule == .locked else { throw error }
            unlocked = .waiting(share)
        }
        record.held[id] = CircleRecord.Held(number: number, common: common, unlocked: unlocked)
    }

    /// Puts keys that came while the machine was locked under the class key that is open now.
    func boxWaitingKeys(in record: inout CircleRecord) throws(Refusal) {
        guard (try? requireOpen(.whenUnlocked)) != nil else { return }
        for (id, held) in record.held {
            guard case .waiting = held.unlocked else { continue }
            let key = try unlockedKey(of: id, held, in: record)
            record.held[id]?.unlocked = .boxed(try sealPart(key, .unlocked, of: id.bytes, in: record.circle))
        }
    }

    // MARK: - Keys in use

    /// Kc.
    func commonKey(of generation: GenerationID, in record: CircleRecord) throws(Refusal) -> SecretBytes {
        guard let held = record.held[generation] else { throw .noGenerationKeys }
        return try openPart(held.common, .common, of: generation.bytes, in: record.circle)
    }

    /// Ka, on an unlocked machine.
    func unlockedKey(
        of generation: GenerationID, _ held: CircleRecord.Held, in record: CircleRecord
    ) throws(Refusal) -> SecretBytes {
        try requireOpen(.whenUnlocked)
        switch held.unlocked {
        case .boxed(let box): return try openPart(box, .unlocked, of: generation.bytes, in: record.circle)
        case .waiting(let share):
            guard let keys = try open(share, of: generation, held.number, in: record) else { throw .damagedKey }
            return keys.unlocked
        }
    }

    private func keys(
        of generation: GenerationID, _ held: CircleRecord.Held, in record: CircleRecord
    ) throws(Refusal) -> GenerationKeys {
        guard let recordKey = try knownRecordKey(in: record) else { throw .noGenerationKeys }
        return GenerationKeys(
            unlocked: try unlockedKey(of: generation, held, in: record),
            common: try commonKey(of: generation, in: record), record: recordKey)
    }
}

extension CircleRecord {
    /// Whether there are keys here for new batches.
    var canGoOn: Bool { membership.currentGeneration.map { held[$0.id] != nil } ?? false }

    /// Those who get new keys: this machine first, as many others as a statement takes.
    fileprivate var recipients: [MemberID] {
        let others = membership.present.keys.filter { $0 != own.id }.sorted()
        return ([own.id] + others).prefix(SyncLimits.recipients).sorted()
    }

    /// Whether this machine has made a generation.
    fileprivate func isOwn(_ generation: GenerationID) -> Bool {
        membership.generations[generation]?.authors.values.contains { $0.contains(own.id) } ?? false
    }

    /// Counts late shares, of which the statement that made the generation may not have come yet.
    mutating func noteShares(_ late: Generation, by author: MemberID) {
        if membership.generations[late.id] == nil {
            membership.restore(late.id, .init(commitment: late.commitment))
        }
        membership.share(late, by: author)
    }
}
