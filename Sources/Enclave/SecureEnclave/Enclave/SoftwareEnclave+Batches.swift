import EnclaveWire
import KeychainCrypto
package import KeychainModel
import KeychainWire
import LinuxSystem
package import SyncFormat

/// Batches: what others state in theirs, and the signature of this machine's.
extension SoftwareEnclave {
    package func takeBatch(_ carried: [UInt8]) throws(Refusal) {
        let batch = try decode(carried)
        try changeCircle { (record) throws(Refusal) in
            try count(batch, in: &record)
            try boxWaitingKeys(in: &record)
        }
        heralded.withLock { $0 = HeraldedMembers() }
    }

    package func seekKeys(_ carried: [UInt8]) throws(Refusal) {
        let batch = try decode(carried)
        // A batch of a removal brings its keys before it makes room.
        try changeCircle(upTo: CircleRecord.mostBytes) { (record) throws(Refusal) in
            // It may never count, or not in this order: of the circle as it would be then, the keys alone are kept.
            var ahead = record
            heralded.withLock { $0.join(&ahead) }
            try count(batch, in: &ahead)
            heralded.withLock { $0.note(ahead, besides: record) }
            let before = Set(record.held.keys)
            record.takeKeys(of: ahead, by: batch.header.device)
            if record.encoded().count > CircleRecord.mostBytes { record.forgetSought(before) }
        }
    }

    private func decode(_ carried: [UInt8]) throws(Refusal) -> SyncBatch {
        let batch: SyncBatch
        do { batch = try SyncBatch(carried: carried) } catch { throw .malformedBatch }
        guard batch.header.least <= SyncLimits.version, !batch.statements.contains(where: \.isOfLaterVersion) else {
            throw .laterBatch
        }
        // Names and keys go into boxes of this class.
        try requireOpen(.afterFirstUnlock)
        return batch
    }

    /// Counts what a batch of the circle states, once its signature is that of its author.
    func count(_ batch: SyncBatch, in record: inout CircleRecord) throws(Refusal) {
        guard batch.header.circle == record.circle else { throw .malformedBatch }
        guard try author(of: batch, in: record).isAuthor(of: batch) else {
            throw .forgedBatch
        }
        for statement in batch.statements { try count(statement, of: batch.header, in: &record) }
        for case .add(let addition) in batch.statements { try keepName(addition, of: batch.header, in: &record) }
    }

    /// The keys that a batch must be signed with: those of a machine that was added, or those that its own first batch
    /// introduces.
    private func author(of batch: SyncBatch, in record: CircleRecord) throws(Refusal) -> MemberKeys {
        let device = batch.header.device
        if let member = record.membership.members[device], !member.isRecoveryKey { return member.keys }
        guard batch.header.seq == 1 else { throw .unknownAuthor }
        for statement in batch.statements {
            if let keys = try introduction(statement, of: device, in: record) { return keys }
        }
        throw .unknownAuthor
    }

    /// The keys of a machine that a statement introduces on the word of the circle's name or of a recovery key; nil for
    /// any other statement.
    private func introduction(
        _ statement: SyncStatement, of device: MemberID, in record: CircleRecord
    ) throws(Refusal) -> MemberKeys? {
        switch statement {
        case .genesis(let keys, _):
            guard try identifier(of: keys) == device else { return nil }
            return try circleID(statement) == record.circle ? keys : nil
        case .add(let addition):
            // Before the signature, which costs much more: a batch may have many of others.
            guard try identifier(of: addition.keys) == device else { return nil }
            // Also of a key that is out: its removal may keep the machine, and may be read before this.
            guard let sponsor = record.membership.recoveryKey(addition.recoveryKey) else { return nil }
            let isSigned = try sponsor.keys.hasSigned(addition.signature, of: addition.signed(in: record.circle))
            return isSigned ? addition.keys : nil
        default: return nil
        }
    }

    /// Counts a statement whose batch was signed by a machine of the circle.
    ///
    /// Statements of a removed machine count too. Machines that it adds are out as well, nothing takes anybody back,
    /// and its removals can only make the circle smaller.
    private func count(
        _ statement: SyncStatement, of header: SyncHeader, in record: inout CircleRecord
    ) throws(Refusal) {
        switch statement {
        case .genesis(let keys, _):
            guard try circleID(statement) == record.circle else { return }
            try add(keys, sponsor: .none, header, in: &record)
        case .add(let addition):
            let isOwn = try identifier(of: addition.keys) == header.device
            guard addition.recoveryKey == .none || isOwn else { return }
            let sponsor = addition.recoveryKey == .none ? header.device : addition.recoveryKey
            try add(addition.keys, sponsor: sponsor, header, reads: addition.most, in: &record)
        case .remove(let target, _, let kept): record.remove(target, kept: kept, by: header.device)
        case .generation(let made):
            record.membership.make(made, by: header.device)
            try takeKeys(of: made, by: header.device, in: &record)
        case .share(let late):
            record.noteShares(late, by: header.device)
            try takeKeys(of: late, by: header.device, in: &record)
        case .recovery(let keys, _): try add(keys, sponsor: header.device, header, reads: nil, in: &record)
        case .want, .endorse, .unknown: return
        }
    }

    /// - Parameter reads: the newest version that a machine reads; nil for a recovery key.
    private func add(
        _ keys: MemberKeys, sponsor: MemberID, _ header: SyncHeader, reads: UInt16? = SyncLimits.version,
        in record: inout CircleRecord
    ) throws(Refusal) {
        let place = SyncRecord.Origin(device: header.device, seq: header.seq)
        record.membership.add(
            try identifier(of: keys),
            .init(keys: keys, sponsor: sponsor, place: place, isRecoveryKey: reads == nil, reads: reads ?? 0))
    }

    /// Keeps the name of a machine as its sponsor has it, if the keys that it is sealed with are here.
    private func keepName(
        _ addition: Addition, of header: SyncHeader, in record: inout CircleRecord
    ) throws(Refusal) {
        let id = try identifier(of: addition.keys)
        guard record.membership.members[id]?.place.device == header.device, record.names[id] == nil,
            record.held[header.generation] != nil
        else { return }
        let key = try commonKey(of: header.generation, in: record)
        let place = record.circle.bytes + id.bytes
        let opened = try? CircleCipher.open(
            addition.name.span, .name, under: key, salt: id.bytes, place: place)
        guard let name = opened?.withSpan({ span in span.array(0, span.count).prefix { $0 != 0 } }),
            (1...CircleState.nameBytes).contains(name.count)
        else { return }
        record.names[id] = try sealPart(
            SecretBytes(copying: Array(name).span), .name, of: id.bytes, in: record.circle)
    }

    // MARK: - Signing

    package func signBatch(head: [UInt8], sealedHash: BatchHash) throws(Refusal) -> [UInt8] {
        let batch: SyncBatch
        do { batch = try SyncBatch(unsigned: head, sealedHash: sealedHash) } catch { throw .malformedBatch }
        let record = try circleRecord()
        guard batch.header.circle == record.circle, batch.header.device == record.own.id, record.isIn else {
            throw .notOfThisMachine
        }
        let made = stated.withLock { $0 }
        for statement in batch.statements {
            guard try made.allow(statement, in: record) else { throw .notStated }
        }
        return try sign(batch.signed, in: record)
    }

    /// Signs with this machine's key.
    func sign(_ bytes: [UInt8], in record: CircleRecord) throws(Refusal) -> [UInt8] {
        let key = try openPart(record.own.signing, .signing, of: record.own.id.bytes, in: record.circle)
        let store = try store(record.own.backend)
        let digest = try digest(of: bytes)
        return try key.withSpan { (key) throws(Refusal) in try store.sign(digest: digest.span, with: key) }
    }

    private func digest(of bytes: [UInt8]) throws(Refusal) -> [UInt8] {
        do { return try BatchHash(sha256: bytes.span).bytes } catch { throw .crypto(error) }
    }
}

extension SyncStatement {
    fileprivate var isOfLaterVersion: Bool { if case .unknown = self { true } else { false } }
}
