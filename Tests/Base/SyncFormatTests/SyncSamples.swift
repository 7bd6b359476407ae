import KeychainCrypto
import KeychainModel
import LinuxSystem
import SyncFormat
import TestSupport

/// Valid values of every format, made from a seed.
struct SyncSamples {
    var random: SplitMix64
    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    static func hash(_ bytes: [UInt8]) -> BatchHash {
        guard let digest = try? Digest.sha256(bytes.span) else { return .none }
        return BatchHash(digest.span.array(0, 32))
    }

    mutating func hash() -> BatchHash { BatchHash(random.bytes(32)) }
    mutating func member() -> MemberID { MemberID(random.bytes(16)) }
    mutating func number(_ range: ClosedRange<UInt64>) -> UInt64 { UInt64.random(in: range, using: &random) }
    mutating func time() -> UInt64 { number(0...SyncLimits.endOfTime - 1) }
    mutating func count(_ most: Int) -> Int { Int.random(in: 0...most, using: &random) }
    mutating func point() -> [UInt8] { [4] + random.bytes(64) }
    mutating func keys() -> MemberKeys { MemberKeys(signing: point(), agreement: point()) }

    mutating func position() -> SyncPosition {
        SyncPosition(device: member(), seq: number(1...1 << 40), hash: hash().short)
    }

    mutating func positions() -> [SyncPosition] {
        (0..<count(4)).map { _ in position() }.sorted { $0.device < $1.device }
    }

    mutating func generation() -> Generation {
        let shares = (0..<count(3)).map { _ in
            KeyShare(recipient: member(), encapsulated: point(), box: random.bytes(KeyShare.boxSize))
        }
        return Generation(
            number: UInt32(number(1...UInt64(UInt32.max))), commitment: hash(),
            shares: shares.sorted { $0.recipient < $1.recipient })
    }

    /// One statement of each type.
    mutating func statements() -> [SyncStatement] {
        [
            .genesis(keys(), random: hash()),
            .add(
                Addition(keys(), least: 1, most: 3, recoveryKey: member(), signature: random.bytes(64), name: [1, 2])),
            .remove(member(), .cloned, kept: (0..<count(3)).map { _ in member() }.sorted()),
            .generation(generation()), .share(generation()), .recovery(keys(), announcement: hash()),
            .want(GenerationID(random.bytes(16))), .endorse(position()),
            .unknown(type: 200, body: random.bytes(count(9))),
        ]
    }

    mutating func header(seq: UInt64 = 2, isSealed: Bool = true) -> SyncHeader {
        SyncHeader(
            circle: CircleID(random.bytes(16)), device: member(), seq: seq, previous: seq == 1 ? .none : hash(),
            generation: isSealed ? GenerationID(random.bytes(16)) : .none, salt: hash())
    }

    mutating func batch(isSealed: Bool = true) -> SyncBatch {
        let sealed = isSealed ? random.bytes(40) : []
        let signature = random.bytes(64)
        return SyncBatch(header(isSealed: isSealed), statements(), sealed: sealed, sealedHash: Self.hash(sealed)) { _ in
            signature
        }
    }

    mutating func item() -> SyncItem {
        let buffer = SecretBuffer(capacity: 64)
        buffer.append(.account, .string("account"))
        buffer.append(.port, .number(Int64(count(1000))))
        guard let list = try? AttributeList(parsing: buffer.finish()) else { fatalError("no list") }
        let value = random.bytes(count(70))
        let ties = SyncItem.Ties(
            previous: count(1) == 0 ? nil : RecordID(random.bytes(16)), base: count(1) == 0 ? nil : time())
        return SyncItem(list, ties, value: SecretBytes(copying: value.span))
    }

    mutating func shelf() -> SyncShelf {
        let (id, key) = (random.bytes(ShelfID.size), random.bytes(1 + count(90)))
        return SyncShelf(
            id: ShelfID(id.span) ?? ShelfID(), made: Int64(time()), name: count(1) == 0 ? "" : "letters",
            commitment: random.bytes(SyncShelf.commitmentSize), key: SecretBytes(copying: key.span))
    }

    mutating func record() -> SyncRecord {
        SyncRecord(
            kind: UInt8(number(1...5)), itemClass: UInt8(number(0...255)), protection: UInt8(number(0...255)),
            isBoxed: count(1) == 0, rid: RecordID(random.bytes(16)), hlc: time(),
            origin: count(1) == 0 ? nil : .init(device: member(), seq: number(1...1 << 40)), body: item().encoded())
    }

    mutating func content() -> SyncContent {
        SyncContent(positions: positions(), floor: time(), records: (0..<count(6)).map { _ in record() })
    }

    mutating func manifest() -> SnapshotManifest {
        SnapshotManifest(
            logs: positions().map { log($0.device) },
            parts: (0..<count(3)).map { _ in .init(size: UInt32(count(1000)), hash: hash()) })
    }

    private mutating func log(_ device: MemberID) -> SnapshotManifest.Log {
        let said = positions().map { SyncRecord.Origin(device: $0.device, seq: $0.seq) }
        if count(3) == 0 { return .init(device: device, seq: 0, hash: .none, floor: time(), said: said) }
        return .init(device: device, seq: number(1...1 << 40), hash: hash(), floor: time(), said: said)
    }

    mutating func part() -> SnapshotPart {
        SnapshotPart(header(), carried: [batch(), batch(isSealed: false)], sealed: random.bytes(33))
    }
}

extension SecretBytes {
    var array: [UInt8] { withSpan { $0.array(0, $0.count) } }
}
