package import EnclaveWire
import KeychainCrypto
package import KeychainModel
import KeychainWire
package import LinuxSystem
package import SyncFormat

/// The circle of machines that the keychain belongs to (docs/formats/sync.md).
///
/// Its guarantees:
/// 1. A machine is in only if a chain of signed adds leads to it from the genesis, which gives the circle its name.
/// 2. No private key and no key of a generation leaves, but in shares for machines that are in.
/// 3. A signature of this machine's stands under its enclave's own statements alone. Its user was asked for those that
///    add or remove.
/// 4. Everything is in the vault before it is of any effect.
extension SoftwareEnclave {
    package func circle() throws(Refusal) -> CircleState? {
        let record = try state.withLock { (state) throws(Refusal) in
            try state.refresh(from: file)
            return state.vault.circle
        }
        guard let record else { return nil }
        let members = record.membership.members.sorted { $0.key < $1.key }.map { id, member in
            CircleState.Member(
                id: id, isIn: !record.membership.removed.contains(id), isRecoveryKey: member.isRecoveryKey,
                name: name(of: id, in: record))
        }
        return CircleState(
            circle: record.circle, keys: record.own.keys, random: record.random == .none ? nil : record.random,
            members: members, held: record.held.mapValues(\.number))
    }

    package func enterCircle(
        _ circle: CircleID?, name: String, asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> CircleState {
        guard try self.circle() == nil else { throw .circleIsThere }
        guard (1...CircleState.nameBytes).contains(name.utf8.count) else { throw .malformedMachine }
        let change = UserQuestion.Change(
            circle == nil ? .begins : .joins, name: name, fingerprint: circle.map(\.fingerprint) ?? "")
        try confirm(change, question, by: deadline)
        try keepNew(try makeRecord(joining: circle, as: name))
        guard let made = try self.circle() else { throw .noCircle }
        return made
    }

    /// Writes the circle that this machine enters into the vault.
    ///
    /// - Parameter old: this machine in the circle that the new one takes the place of; nil for none.
    func keepNew(_ record: CircleRecord, replacing old: MemberID? = nil) throws(Refusal) {
        guard record.encoded().count <= CircleRecord.mostBytes else { throw .fullCircle }
        try withVault { (vault) throws(Refusal) in
            guard vault.circle?.own.id == old else { throw .circleIsThere }
            if vault.version < Vault.slotVersion {
                var keybag = try unlockedKeybag(of: vault)
                try modernise(&vault, &keybag)
            }
            vault.keep(record)
            try keep(&vault, counting: .content)
        }
    }

    /// - Parameter name: of this machine, which the circle knows it by if it begins one.
    func makeRecord(joining circle: CircleID?, as name: String) throws(Refusal) -> CircleRecord {
        let store = try newKeyStore()
        let (signing, agreement) = (try store.makeKey(), try store.makeKey())
        let keys = MemberKeys(signing: signing.publicKey, agreement: agreement.publicKey)
        let random = circle == nil ? BatchHash(Randomness.bytes(BatchHash.size)) : .none
        let circleID = try circle ?? self.circleID(.genesis(keys, random: random))
        let id = try identifier(of: keys)
        let own = CircleRecord.OwnKeys(
            keys: keys, id: id, backend: store.backend,
            signing: try sealPart(signing.privatePart, .signing, of: id.bytes, in: circleID),
            agreement: try sealPart(agreement.privatePart, .agreement, of: id.bytes, in: circleID))
        var record = CircleRecord(circleID, random: random, own)
        if circle == nil {
            record.addFirst()
            record.names[id] = try sealPart(
                SecretBytes(copying: Array(name.utf8).span), .name, of: id.bytes, in: circleID)
        }
        return record
    }

    func identifier(of keys: MemberKeys) throws(Refusal) -> MemberID {
        do { return try keys.identifier() } catch { throw .crypto(error) }
    }

    /// The circle that a genesis statement begins.
    func circleID(_ genesis: SyncStatement) throws(Refusal) -> CircleID {
        let body = genesis.body
        do { return CircleID(try BatchHash(sha256: body.span).bytes) } catch { throw .crypto(error) }
    }

    // MARK: - The record in the vault

    /// The circle in the vault.
    func circleRecord() throws(Refusal) -> CircleRecord {
        try state.withLock { (state) throws(Refusal) in
            try state.refresh(from: file)
            guard let record = state.vault.circle else { throw .noCircle }
            return record
        }
    }

    /// Changes the circle in the vault; the change is on disk when this returns.
    ///
    /// - Parameter most: the room that the circle may take.
    func changeCircle<Result>(
        upTo most: Int = CircleRecord.statedBytes, _ change: (inout CircleRecord) throws(Refusal) -> Result
    ) throws(Refusal) -> Result {
        var result: Result?
        try withVault { (vault) throws(Refusal) in
            guard var record = vault.circle else { throw .noCircle }
            let before = record.encoded()
            result = try change(&record)
            let after = record.encoded()
            if after == before { return }
            if after.count > CircleRecord.statedBytes { record.makeRoom() }
            // A change that takes no more room than before has it: all counts once more after each start.
            guard record.encoded().count <= max(most, before.count) else { throw .fullCircle }
            vault.keep(record)
            try keep(&vault, counting: .content)
        }
        guard let result else { throw .noCircle }
        return result
    }

    /// Changes the circle by statements that this machine's batches may have from then on.
    func stating(
        _ change: (inout CircleRecord) throws(Refusal) -> [SyncStatement]
    ) throws(Refusal) -> [SyncStatement] {
        let (made, author) = try changeCircle { (record) throws(Refusal) in (try change(&record), record.own.id) }
        // Shares for nobody are in no batch, and take no other's place.
        let meant = made.filter { if case .share(let late) = $0 { !late.shares.isEmpty } else { true } }
        stated.withLock { $0.add(meant, by: author) }
        return made
    }

    // MARK: - Boxes under class keys

    func sealPart(
        _ secret: SecretBytes, _ part: WrappingBinding.CirclePart, of whose: [UInt8], in circle: CircleID
    ) throws(Refusal) -> [UInt8] {
        let accessibility = part.accessibility
        let binding = WrappingBinding.circle(part, circle.bytes, whose: whose, accessibility)
        return try seal(secret, aad: binding, for: accessibility)
    }

    func openPart(
        _ box: [UInt8], _ part: WrappingBinding.CirclePart, of whose: [UInt8], in circle: CircleID
    ) throws(Refusal) -> SecretBytes {
        let accessibility = part.accessibility
        let binding = WrappingBinding.circle(part, circle.bytes, whose: whose, accessibility)
        return try openBox(box, aad: binding, for: accessibility)
    }

    /// A machine's name; empty where it is not known, or cannot be read now.
    func name(of member: MemberID, in record: CircleRecord) -> String {
        guard let box = record.names[member],
            let name = try? openPart(box, .name, of: member.bytes, in: record.circle)
        else { return "" }
        return name.withSpan { $0.text(0, $0.count) } ?? ""
    }
}

extension CircleRecord {
    /// Adds the machine that has begun the circle.
    fileprivate mutating func addFirst() {
        let place = SyncRecord.Origin(device: own.id, seq: 1)
        membership.add(
            own.id,
            .init(keys: own.keys, sponsor: .none, place: place, isRecoveryKey: false, reads: SyncLimits.version))
    }
}

extension WrappingBinding.CirclePart {
    /// The class key that it is under: a locked machine goes on reading and writing what needs no unlocked one.
    fileprivate var accessibility: Accessibility { self == .unlocked ? .whenUnlocked : .afterFirstUnlock }
}

extension SyncIdentifier {
    /// The first digits, for people to compare.
    var fingerprint: String {
        let digits = Array(text.prefix(16))
        return stride(from: 0, to: digits.count, by: 4).map { String(digits[$0..<$0 + 4]) }.joined(separator: "-")
    }
}
