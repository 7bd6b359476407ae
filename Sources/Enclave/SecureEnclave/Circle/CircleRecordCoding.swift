import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat

/// The circle's part of a vault.
///
///     circle     = circle:16 random:32 signing:65 agreement:65 id:16 backend:u8 0:u8 signingLength:u16
///                  agreementLength:u16 members:u16 removals:u16 generations:u16 recordKey:60 signingBox agreementBox
///                  *member *removal *generation
///     member     = id:16 keys:130 sponsor:16 device:16 seq:u64 isRecoveryKey:u8 nameLength:u8 reads:u16 name
///     removal    = target:16 device:16 count:u8 *(kept:16)
///     generation = commitment:32 number:u32 keys:u8 0:u8 authors:u16 recipients:u16 [common:60 unlocked]
///                  *(number:u32 author:16) *(recipient:16)
///     unlocked   = box:60 | encapsulated:65 box:112                     ; with `keys` 1; with `keys` 2
///
/// Everything is in ascending order. A member has a row for each sponsor, its name in the first of them. `keys` is 0,
/// `number` too and no key there, where the machine has no share. The record key is zeros before the first share. An
/// author with the number 0 makes the generation good for no new batch; one that was stated has it as a recipient too.
extension CircleRecord {
    /// The bytes of the record.
    func encoded() -> [UInt8] {
        let buffer = SecretBuffer(capacity: 2048)
        appendHead(to: buffer)
        for (id, all) in membership.introductions.sorted(by: { $0.key < $1.key }) { append(id, all, to: buffer) }
        for removal in removals { buffer.append(removal.bytes.span) }
        for (id, made) in membership.generations.sorted(by: { $0.key < $1.key }) { append(id, made, to: buffer) }
        return buffer.withSpan { $0.array(0, $0.count) }
    }

    private var removals: [Membership.Removal] {
        membership.cuts.keys.sorted { $0.bytes.lexicographicallyPrecedes($1.bytes) }
    }

    private func appendHead(to buffer: SecretBuffer) {
        for bytes in [circle.bytes, random.bytes, own.keys.bytes, own.id.bytes] { buffer.append(bytes.span) }
        buffer.append([own.backend.rawValue, 0].span)
        let counts = [
            own.signing.count, own.agreement.count, membership.introductions.values.reduce(0) { $0 + $1.count },
            membership.cuts.count, membership.generations.count,
        ]
        for count in counts { buffer.append(littleEndian: UInt16(clamping: count)) }
        let key = recordKey.isEmpty ? [UInt8](repeating: 0, count: Self.boxBytes) : recordKey
        for bytes in [key, own.signing, own.agreement] { buffer.append(bytes.span) }
    }

    private func append(_ id: MemberID, _ all: [MemberID: Membership.Member], to buffer: SecretBuffer) {
        for (place, member) in all.values.sorted(by: { $0.sponsor < $1.sponsor }).enumerated() {
            append(id, member, name: place == 0 ? names[id] ?? [] : [], to: buffer)
        }
    }

    private func append(_ id: MemberID, _ member: Membership.Member, name: [UInt8], to buffer: SecretBuffer) {
        for bytes in [id.bytes, member.keys.bytes, member.sponsor.bytes, member.place.device.bytes] {
            buffer.append(bytes.span)
        }
        buffer.append(littleEndian: member.place.seq)
        buffer.append([member.isRecoveryKey ? 1 : 0, UInt8(clamping: name.count)].span)
        buffer.append(littleEndian: member.reads)
        buffer.append(name.span)
    }

    private func append(_ id: GenerationID, _ made: Membership.Made, to buffer: SecretBuffer) {
        let authors = made.authors.flatMap { number, members in members.map { (number, $0) } }.sorted { $0 < $1 }
        let recipients = membership.recipients(of: id).sorted()
        let here = held[id]
        buffer.append(made.commitment.bytes.span)
        buffer.append(littleEndian: here?.number ?? 0)
        buffer.append([here?.unlocked.code ?? 0, 0].span)
        for count in [authors.count, recipients.count] { buffer.append(littleEndian: UInt16(clamping: count)) }
        if let here { here.append(to: buffer) }
        for (number, author) in authors {
            buffer.append(littleEndian: number)
            buffer.append(author.bytes.span)
        }
        for recipient in recipients { buffer.append(recipient.bytes.span) }
    }
}

extension Membership.Removal {
    fileprivate var bytes: [UInt8] {
        target.bytes + place.device.bytes + [UInt8(clamping: kept.count)] + kept.sorted().flatMap(\.bytes)
    }
}

extension CircleRecord.Held {
    fileprivate func append(to buffer: SecretBuffer) {
        buffer.append(common.span)
        switch unlocked {
        case .boxed(let box): buffer.append(box.span)
        case .waiting(let share):
            buffer.append(share.encapsulated.span)
            buffer.append(share.box.span)
        }
    }
}

extension CircleRecord.Unlocked {
    fileprivate var code: UInt8 {
        switch self {
        case .boxed: 1
        case .waiting: 2
        }
    }
}

// MARK: - Reading

extension CircleRecord {
    private struct Counts {
        let signing, agreement, members, removals, generations: Int

        init(_ reader: inout WireReader) throws(Refusal) {
            var counts: [Int] = []
            for _ in 0..<5 { counts.append(Int(try reader.integer(UInt16.self))) }
            (signing, agreement, members) = (counts[0], counts[1], counts[2])
            (removals, generations) = (counts[3], counts[4])
        }
    }

    /// Reads the record, all of it.
    ///
    /// - Throws: `errSecParam` (`wire.malformed`) when the bytes are not exactly a record.
    init(decoding bytes: [UInt8]) throws(Refusal) {
        var reader = WireReader(SecretBytes(copying: bytes.span))
        let (circle, random) = (CircleID(try reader.array(16)), BatchHash(try reader.array(BatchHash.size)))
        let (keys, id) = (try reader.keys(), MemberID(try reader.array(16)))
        guard let backend = SealedKey.Backend(rawValue: try reader.integer(UInt8.self)),
            try reader.integer(UInt8.self) == 0
        else { throw .malformed("the circle") }
        let counts = try Counts(&reader)
        let recordKey = try reader.array(Self.boxBytes)
        let (signing, agreement) = (try reader.array(counts.signing), try reader.array(counts.agreement))
        self.init(
            circle, random: random,
            OwnKeys(keys: keys, id: id, backend: backend, signing: signing, agreement: agreement))
        self.recordKey = recordKey.allSatisfy { $0 == 0 } ? [] : recordKey
        for _ in 0..<counts.members { try readMember(&reader) }
        for _ in 0..<counts.removals { try readRemoval(&reader) }
        for _ in 0..<counts.generations { try readGeneration(&reader) }
        guard reader.isAtEnd else { throw .malformed("the end of the circle") }
    }

    private mutating func readMember(_ reader: inout WireReader) throws(Refusal) {
        let (id, keys) = (MemberID(try reader.array(16)), try reader.keys())
        let (sponsor, device) = (MemberID(try reader.array(16)), MemberID(try reader.array(16)))
        let seq = try reader.integer(UInt64.self)
        let (isRecoveryKey, length) = (try reader.integer(UInt8.self) != 0, Int(try reader.integer(UInt8.self)))
        let reads = try reader.integer(UInt16.self)
        let place = SyncRecord.Origin(device: device, seq: seq)
        membership.add(
            id, .init(keys: keys, sponsor: sponsor, place: place, isRecoveryKey: isRecoveryKey, reads: reads))
        if length > 0 { names[id] = try reader.array(length) }
    }

    private mutating func readRemoval(_ reader: inout WireReader) throws(Refusal) {
        let (target, device) = (MemberID(try reader.array(16)), MemberID(try reader.array(16)))
        var kept: [MemberID] = []
        for _ in 0..<(try reader.integer(UInt8.self)) { kept.append(MemberID(try reader.array(16))) }
        remove(target, kept: kept, by: device)
    }

    private mutating func readGeneration(_ reader: inout WireReader) throws(Refusal) {
        let commitment = BatchHash(try reader.array(BatchHash.size))
        let (number, code) = (try reader.integer(UInt32.self), try reader.integer(UInt8.self))
        guard try reader.integer(UInt8.self) == 0 else { throw .malformed("a generation") }
        let (authors, recipients) = (Int(try reader.integer(UInt16.self)), Int(try reader.integer(UInt16.self)))
        let here = try reader.held(code, number)
        var made = [UInt32: Set<MemberID>]()
        for _ in 0..<authors {
            let number = try reader.integer(UInt32.self)
            made[number, default: []].insert(MemberID(try reader.array(16)))
        }
        var got: Set<MemberID> = []
        for _ in 0..<recipients { got.insert(MemberID(try reader.array(16))) }
        let id = GenerationID(commitment.bytes)
        membership.restore(id, .init(commitment: commitment, authors: made, recipients: got))
        guard var here else { return }
        // The share that is kept is the one for this machine.
        if case .waiting(let share) = here.unlocked {
            here.unlocked = .waiting(
                KeyShare(recipient: own.id, encapsulated: share.encapsulated, box: share.box))
        }
        held[id] = here
    }

    /// Counts a removal, whose place does not matter here.
    mutating func remove(_ target: MemberID, kept: [MemberID], by device: MemberID) {
        membership.remove(target, kept: kept, at: SyncRecord.Origin(device: device, seq: 0))
    }
}

extension WireReader {
    fileprivate mutating func keys() throws(Refusal) -> MemberKeys {
        MemberKeys(signing: try array(MemberKeys.pointSize), agreement: try array(MemberKeys.pointSize))
    }

    fileprivate mutating func held(_ code: UInt8, _ number: UInt32) throws(Refusal) -> CircleRecord.Held? {
        guard code > 0 else { return nil }
        let common = try array(CircleRecord.boxBytes)
        switch code {
        case 1:
            return CircleRecord.Held(
                number: number, common: common, unlocked: .boxed(try array(CircleRecord.boxBytes)))
        case 2:
            let share = KeyShare(
                recipient: .none, encapsulated: try array(MemberKeys.pointSize), box: try array(KeyShare.boxSize))
            return CircleRecord.Held(number: number, common: common, unlocked: .waiting(share))
        default: throw .malformed("the keys of a generation")
        }
    }
}
