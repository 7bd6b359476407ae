import KeychainCrypto
import KeychainModel
import LinuxSystem
import SyncFormat
import SyncMerging
import TestSupport

func sha256(_ bytes: [UInt8]) -> [UInt8] {
    guard let digest = try? Digest.sha256(bytes.span) else { return [] }
    return digest.span.array(0, 32)
}

/// Cryptography of which the simulation needs only what it promises: a signature fits its key and its bytes, and a
/// sealed part opens with its generation alone. Nobody in the simulation forges.
final class SimulatedKeys: CircleKeys {
    let own: MemberKeys
    private var held: [GenerationID: [UInt8]] = [:]
    private var numbers: [GenerationID: UInt32] = [:]
    private let random: Dice
    /// The members that were introduced to these keys: they take shares of nobody else.
    private var introduced: Set<MemberID> = []
    /// The members by the statements that have counted, as an enclave keeps them for itself.
    private(set) var membership = Membership()
    /// Whether a batch was to be sealed with keys that a removed member has. Nothing is published then.
    var hasRefused = false
    /// Whether the user has locked the machine.
    var isUnlocked = true
    /// Shares of generations that this hostile machine makes are of no use for these.
    var cheats: Set<MemberID> = []
    /// How many signatures were checked.
    private(set) var verified = 0
    /// The authors of batches in which keys were sought.
    private(set) var soughtIn: Set<MemberID> = []
    /// Authors of whose batches these keys take nothing before they count.
    var seeksNothingOf: Set<MemberID> = []
    /// Whether keys are taken that do not keep the commitment, as nobody should.
    var believesShares = false
    /// Members that generations of this hostile machine leave out.
    var forgets: Set<MemberID> = []
    /// Members of whose removal these keys know nothing any more.
    var takesForMembers: [MemberID: MemberKeys] = [:]

    init(_ random: Dice) {
        self.random = random
        own = MemberKeys(signing: [4] + random.bytes(64), agreement: [4] + random.bytes(64))
    }

    /// The same keys of generations under another name, for a machine that was cloned.
    init(_ random: Dice, after other: SimulatedKeys) {
        self.random = random
        own = MemberKeys(signing: [4] + random.bytes(64), agreement: [4] + random.bytes(64))
        (held, numbers, introduced) = (other.held, other.numbers, other.introduced)
        believesShares = other.believesShares
    }

    var id: MemberID { member(own) }

    func hash(_ bytes: [UInt8]) -> BatchHash { BatchHash(sha256(bytes)) }

    func sign(_ bytes: [UInt8]) -> [UInt8] { Self.signature(own.signing, bytes) }

    private static func signature(_ key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        let digest = sha256(Array("signature".utf8) + key + bytes)
        return digest + digest
    }

    func isSignature(_ signature: [UInt8], of bytes: [UInt8], by signingKey: [UInt8]) -> Bool {
        verified += 1
        return Self.signature(signingKey, bytes) == signature
    }

    func makeSalt() -> BatchHash { BatchHash(random.bytes(32)) }

    func number(of generation: GenerationID) -> UInt32? { numbers[generation] }

    func makeGeneration(_ number: UInt32, for recipients: [MemberID: MemberKeys]) -> Generation? {
        let secret = random.bytes(32)
        let commitment = commitment(number, secret)
        keep(secret, number, commitment)
        let all = recipients.merging(takesForMembers) { $1 }.filter(\.value.arePoints).sorted { $0.key < $1.key }
        let shares = all.filter { !forgets.contains($0.key) }.map { member, keys in
            box(cheats.contains(member) ? random.bytes(32) : secret, for: member, keys)
        }
        return Generation(number: number, commitment: commitment, shares: shares)
    }

    private func commitment(_ number: UInt32, _ secret: [UInt8]) -> BatchHash {
        hash(number.littleEndianBytes + secret)
    }

    private func keep(_ secret: [UInt8], _ number: UInt32, _ commitment: BatchHash) {
        let id = GenerationID(commitment.bytes)
        (held[id], numbers[id]) = (secret, number)
    }

    private func box(_ secret: [UInt8], for member: MemberID, _ keys: MemberKeys) -> KeyShare {
        let mask = sha256(keys.agreement)
        let hidden = zip(secret, mask).map { $0 ^ $1 }
        return KeyShare(
            recipient: member, encapsulated: [4] + [UInt8](repeating: 0, count: 64),
            box: hidden + [UInt8](repeating: 0, count: KeyShare.boxSize - 32))
    }

    func share(_ generation: GenerationID, with recipients: [MemberID: MemberKeys]) -> Generation? {
        guard let secret = held[generation], let number = numbers[generation] else { return nil }
        let shares = recipients.filter(\.value.arePoints).sorted { $0.key < $1.key }.map { box(secret, for: $0, $1) }
        return Generation(number: number, commitment: commitment(number, secret), shares: shares)
    }

    func take(_ batch: SyncBatch, _ standing: BatchStanding) -> Bool {
        if standing == .sought {
            guard !seeksNothingOf.contains(batch.header.device) else { return false }
            soughtIn.insert(batch.header.device)
        } else {
            count(batch)
        }
        takeKeys(of: batch)
        return true
    }

    private func takeKeys(of batch: SyncBatch) {
        let news = batch.statements.compactMap { introduction(in: $0, by: batch.header.device) }
        guard introduced.contains(batch.header.device) || news.contains(batch.header.device) else { return }
        introduced.formUnion(news)
        for made in batch.statements.compactMap(\.madeKeys) where !holds(made.id) {
            _ = made.shares.contains { $0.recipient == id && take($0, of: made) }
        }
    }

    private func count(_ batch: SyncBatch) {
        for one in batch.additions(self) { membership.add(one.id, one.member) }
        let place = SyncRecord.Origin(device: batch.header.device, seq: batch.header.seq)
        for statement in batch.statements {
            switch statement {
            case .genesis(let keys, _):
                let first = Membership.Member(
                    keys: keys, sponsor: .none, place: place, isRecoveryKey: false, reads: SyncLimits.version)
                membership.add(member(keys), first)
            case .remove(let target, _, let kept): membership.remove(target, kept: kept, at: place)
            case .generation(let made): membership.make(made, by: place.device)
            case .share(let late): membership.share(late, by: batch.header.device)
            default: continue
            }
        }
    }

    /// The member that a statement introduces; an author is introduced by another one, by a recovery key that is
    /// known, or by the circle's name.
    private func introduction(in statement: SyncStatement, by author: MemberID) -> MemberID? {
        switch statement {
        case .genesis(let keys, _): return member(keys)
        case .recovery(let keys, _): return member(keys)
        case .add(let addition):
            let isKnown = addition.recoveryKey == .none || introduced.contains(addition.recoveryKey)
            return isKnown && (addition.recoveryKey != .none || introduced.contains(author))
                ? member(addition.keys) : nil
        default: return nil
        }
    }

    private func take(_ share: KeyShare, of generation: Generation) -> Bool {
        let secret = zip(share.box, sha256(own.agreement)).map { $0 ^ $1 }
        guard believesShares || commitment(generation.number, secret) == generation.commitment else { return false }
        keep(secret, generation.number, generation.commitment)
        return true
    }

    func seal(_ content: SecretBytes, _ header: SyncHeader, associated: (_ sealedSize: Int) -> [UInt8]) -> [UInt8] {
        let plain = content.withSpan { $0.array(0, $0.count) }
        let isKnown = membership.generations[header.generation] != nil
        if isKnown, !membership.isEligible(header.generation) { hasRefused = true }
        return plain + tag(plain, header, associated(plain.count + 32))
    }

    private func tag(_ plain: [UInt8], _ header: SyncHeader, _ associated: [UInt8]) -> [UInt8] {
        sha256((held[header.generation] ?? []) + associated + plain)
    }

    func open(_ sealed: [UInt8], _ header: SyncHeader, associated: [UInt8]) -> SecretBytes? {
        guard holds(header.generation), sealed.count >= 32 else { return nil }
        let plain = Array(sealed.dropLast(32))
        return tag(plain, header, associated) == Array(sealed.suffix(32)) ? SecretBytes(copying: plain.span) : nil
    }

    func box(_ records: [SyncRecord], _ header: SyncHeader) -> [SyncRecord]? {
        isUnlocked ? records.map { box($0, header) } : nil
    }

    private func box(_ record: SyncRecord, _ header: SyncHeader) -> SyncRecord {
        let plain = unsealed(record).withBody { $0.array(0, $0.count) }
        let body = plain + tag(plain, header, boxed(record, header))
        return record.with(body: SecretBytes(copying: body.span), isBoxed: true)
    }

    private func boxed(_ record: SyncRecord, _ header: SyncHeader) -> [UInt8] {
        Array("box".utf8) + record.rid.bytes + header.device.bytes + header.salt.bytes
    }

    func unbox(_ boxes: [(record: SyncRecord, header: SyncHeader)]) -> [SyncRecord?] {
        boxes.map { unbox($0.record, $0.header) }
    }

    private func unbox(_ record: SyncRecord, _ header: SyncHeader) -> SyncRecord? {
        let body = record.withBody { $0.array(0, $0.count) }
        guard isUnlocked, body.count >= 32 else { return nil }
        let plain = Array(body.dropLast(32))
        guard tag(plain, header, boxed(record, header)) == Array(body.suffix(32)) else { return nil }
        return sealed(record.with(body: SecretBytes(copying: plain.span), isBoxed: false))
    }

    func recordIDs(of records: [SyncRecord]) -> [RecordID?] { records.map(recordID) }

    func recordID(of record: SyncRecord) -> RecordID? {
        if let id = record.shelfID { return Self.recordID(id.bytes) }
        return record.withBody { span in
            guard let item = try? SyncItem(decoding: span), let account = item.attributes[.account] else { return nil }
            return Self.recordID(account.bytes)
        }
    }

    static func recordID(_ account: [UInt8]) -> RecordID { RecordID(sha256(account)) }
}

extension MemberKeys {
    /// Keys that nobody can agree with.
    static func pointless(_ random: Dice) -> MemberKeys {
        MemberKeys(signing: [4] + random.bytes(64), agreement: [4] + [UInt8](repeating: 0, count: 64))
    }

    fileprivate var arePoints: Bool { agreement.contains { $0 > 4 } }
}

/// All that one seed decides.
final class Dice {
    private var generator: SplitMix64
    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    func below(_ count: Int) -> Int { Int.random(in: 0..<max(1, count), using: &generator) }
    func chance(_ percent: Int) -> Bool { below(100) < percent }
    func bytes(_ count: Int) -> [UInt8] { generator.bytes(count) }
    func pick<Element>(_ list: [Element]) -> Element { list[below(list.count)] }
    func shuffled<Element>(_ list: [Element]) -> [Element] { list.shuffled(using: &generator) }
}

/// Rows in memory, with what has lost and whose name each has.
struct SimulatedRows: RowTable {
    var all: [RecordID: SyncRow] = [:]
    var losers: [RecordID: [SyncStamp]] = [:]
    var names: [RecordID: RecordID] = [:]
    /// How many items that are there have lost their name to another.
    var robbed = 0
    /// The largest stamp of a tombstone of each row that was let go.
    var gone: [RecordID: UInt64] = [:]
    /// The values of items that were there and have lost, or were replaced by a program.
    var superseded: [RecordID: Set<String>] = [:]
    /// How many rows were brought out together, each time. All have their bodies here.
    var brought: [Int] = []

    mutating func load(_ rids: [RecordID]) { brought.append(rids.count) }

    subscript(rid: RecordID) -> SyncRow? {
        get { all[rid] }
        set {
            if newValue == nil, let row = all[rid] { gone[rid] = max(gone[rid] ?? 0, row.stamp.hlc) }
            all[rid] = newValue
        }
    }

    mutating func keepLoser(_ row: SyncRow, rid: RecordID, to winner: SyncRow) {
        losers[rid, default: []].append(row.stamp)
        supersede(row, rid)
    }

    mutating func supersede(_ row: SyncRow, _ rid: RecordID) {
        if let value = row.value { superseded[rid, default: []].insert(value) }
    }

    mutating func takeName(_ rid: RecordID, from previous: RecordID) {
        if all[previous]?.isTombstone == false { robbed += 1 }
        (names[rid], names[previous]) = (names[previous] ?? previous, names[rid] ?? rid)
    }

    /// The items that programs see, by their bytes.
    var live: [RecordID: [UInt8]] {
        all.filter { !$0.value.isTombstone }.mapValues { row in
            row.stamp.device.bytes + row.stamp.hlc.littleEndianBytes
                + row.record.withCompared { $0.array(0, $0.count) }
        }
    }
}
