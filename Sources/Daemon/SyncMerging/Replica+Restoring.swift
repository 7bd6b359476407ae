package import SyncFormat

extension Replica {
    /// A machine as ``saved`` has it. It then merges what no longer waits (``unlock(now:_:)``).
    ///
    /// The statements are counted again, each with its signature, so that nobody who can write the file adds a member.
    ///
    /// - Throws: ``SyncMalformed`` when the pieces are not exactly those of a machine.
    package init(
        restoring entries: [StateEntry], rows: Rows, rules: MergeRules = .all, _ keys: any CircleKeys
    ) throws(SyncMalformed) {
        guard let machine = entries.first(where: { $0.kind == .machine }) else { throw .mark }
        var reader = StateReader(machine.value)
        guard try reader.integer(UInt16.self) == StateEntry.version else { throw .mark }
        let circle: CircleID = try reader.identifier()
        self.init(circle: circle, me: try reader.identifier(), rows: rows, rules: rules)
        var pieces = Pieces()
        for entry in entries.sorted(by: { $0.name.lexicographicallyPrecedes($1.name) }) {
            try pieces.take(entry, keys)
        }
        try recount(pieces.stating, keys)
        take(pieces)
        guard StateEntry.areSame(saved, entries) else { throw .value }
    }

    /// Counts statements in the order in which they were counted.
    private mutating func recount(_ batches: [SyncBatch], _ keys: any CircleKeys) throws(SyncMalformed) {
        for batch in batches {
            guard let author = author(of: batch, keys),
                keys.isSignature(batch.signature, of: batch.signed, by: author.signing)
            else { throw .value }
            for statement in batch.statements { count(statement, batch.place, 0, keys) }
        }
    }

    private mutating func take(_ pieces: Pieces) {
        logs = pieces.marks.mapValues(LogHead.init(marks:))
        (named, claims, missing) = (pieces.named, pieces.claims, pieces.missing)
        (rolledBack, quarantined) = (pieces.rolledBack, pieces.quarantined)
        (doubted, statedForked, forks) = (pieces.doubted, pieces.statedForked, pieces.forks)
        (stating, queued, renewed) = (pieces.stating, pieces.queued, pieces.renewed)
        (snapshots, pledged, covered, base) = (pieces.snapshots, pieces.pledged, pieces.covered, pieces.base)
        (introducer, isTrusted, mustPublish) = (pieces.introducer, pieces.isTrusted, pieces.mustPublish)
        (risenFloor, held, future) = (pieces.risenFloor, pieces.held, pieces.future)
        outgoing = pieces.outgoing
        outgoing?.parts = pieces.parts
        for waiting in held + future.map(\.record) {
            heldSize[waiting.place.device, default: 0] += waiting.cost
        }
    }

    /// The fields of a state, as its pieces have them.
    struct Pieces {
        var marks: [MemberID: [UInt64: LogHead.Mark]] = [:]
        var claims: [MemberID: [MemberID: SyncPosition]] = [:]
        var (named, missing, rolledBack): ([MemberID: UInt64], [MemberID: UInt64], [MemberID: UInt64]) = ([:], [:], [:])
        var quarantined: [MemberID: Int] = [:]
        var (doubted, statedForked): (Set<MemberID>, Set<MemberID>) = ([], [])
        var forks: Set<ForkEvidence> = []
        var stating: [SyncBatch] = []
        var queued: [SyncStatement] = []
        var renewed: Set<RecordID> = []
        var snapshots: [MemberID: Announced] = [:]
        var (pledged, covered, base): (Announced?, Announced?, Announced?)
        var introducer: MemberID?
        var (isTrusted, mustPublish, risenFloor) = (true, false, UInt64(0))
        var held: [WaitingRecord] = []
        var future: [ArrivedRow] = []
        var outgoing: Outgoing?
        var parts: [SnapshotPart] = []
    }
}

extension Replica.Pieces {
    /// Takes one piece. Names are unique and sorted, and what is not as it would be written is found at the end.
    mutating func take(_ entry: StateEntry, _ keys: any CircleKeys) throws(SyncMalformed) {
        var (key, value) = (StateReader(entry.key), StateReader(entry.value))
        switch entry.kind {
        case .machine: return
        case .introducer: introducer = try value.identifier()
        case .distrust: isTrusted = false
        case .publishing: mustPublish = true
        case .risenFloor: risenFloor = try value.time()
        case .mark: marks[try key.identifier(), default: [:]][try key.time()] = try value.mark()
        case .named: named[try key.identifier()] = try value.time()
        case .claim: claims[try key.identifier(), default: [:]][try key.identifier()] = try value.position()
        case .missing: missing[try key.identifier()] = try value.integer()
        case .rolledBack: rolledBack[try key.identifier()] = try value.time()
        case .quarantined: quarantined[try key.identifier()] = Int(try value.time())
        default: try takeMore(entry, &key, &value, keys)
        }
    }

    private mutating func takeMore(
        _ entry: StateEntry, _ key: inout StateReader, _ value: inout StateReader, _ keys: any CircleKeys
    ) throws(SyncMalformed) {
        switch entry.kind {
        case .doubted:
            let author: MemberID = try key.identifier()
            doubted.insert(author)
            if try value.integer(UInt8.self) == 1 { statedForked.insert(author) }
        case .fork:
            let (device, seq): (MemberID, UInt64) = (try key.identifier(), try key.time())
            forks.insert(ForkEvidence(device: device, seq: seq, witness: try key.identifier()))
        case .stating: stating.append(try SyncBatch(carried: entry.value))
        case .queued: queued.append(try value.statement())
        case .renewed: renewed.insert(try key.identifier())
        case .snapshot: snapshots[try key.identifier()] = try value.snapshot()
        case .pledged: pledged = try value.snapshot()
        case .covered: covered = try value.snapshot()
        case .base: base = try value.snapshot()
        case .held: held.append(try value.waiting())
        case .future: future.append(try value.arrived(entry.secret))
        case .outgoing: outgoing = try Replica.Outgoing(&value, keys)
        case .part: parts.append(try SnapshotPart(decoding: entry.value))
        default: throw .mark
        }
    }
}

extension Replica.Outgoing {
    fileprivate init(_ reader: inout StateReader, _ keys: any CircleKeys) throws(SyncMalformed) {
        batch = try SyncBatch(decoding: try reader.run(), hash: keys.hash)
        content = try reader.integer(UInt8.self) == 0 ? nil : try reader.content()
        var (stamps, passed): ([RecordID: SyncStamp], [RecordID: SyncRecord.Origin]) = ([:], [:])
        for _ in 0..<(try reader.count()) {
            let (rid, hlc): (RecordID, UInt64) = (try reader.identifier(), try reader.time())
            stamps[rid] = SyncStamp(hlc: hlc, device: try reader.identifier())
        }
        for _ in 0..<(try reader.count()) { passed[try reader.identifier()] = try reader.place() }
        (self.stamps, self.passed) = (stamps, passed)
    }
}

extension StateReader {
    fileprivate mutating func snapshot() throws(SyncMalformed) -> Announced {
        Announced(try position(), try manifest())
    }

    fileprivate mutating func waiting() throws(SyncMalformed) -> WaitingRecord {
        let (header, place) = (try header(), try place())
        return WaitingRecord(try record(), header, place)
    }

    fileprivate mutating func arrived(_ secret: StateEntry.Secret?) throws(SyncMalformed) -> ArrivedRow {
        guard let secret else { throw .length }
        let empty = try waiting()
        let record = empty.record.with(body: secret.body, isBoxed: false)
        return ArrivedRow(WaitingRecord(record, empty.header, empty.place), opened: record)
    }

    fileprivate mutating func content() throws(SyncMalformed) -> SyncContent {
        var (positions, records): ([SyncPosition], [SyncRecord]) = ([], [])
        for _ in 0..<(try count()) { positions.append(try position()) }
        let floor = try time()
        for _ in 0..<(try count()) { records.append(try record()) }
        return SyncContent(positions: positions, floor: floor, records: records)
    }

    fileprivate mutating func mark() throws(SyncMalformed) -> LogHead.Mark {
        let (hash, floor) = (try hash(), try time())
        var said: [MemberID: UInt64] = [:]
        for _ in 0..<(try count()) {
            let place = try place()
            said[place.device] = place.seq
        }
        return LogHead.Mark(hash: hash, floor: floor, said: said)
    }
}

extension StateEntry {
    /// Whether both have the same pieces. A secret belongs to its piece.
    fileprivate static func areSame(_ one: [StateEntry], _ other: [StateEntry]) -> Bool {
        let mine = Dictionary(one.map { ($0.name, $0.value) }) { $1 }
        let theirs = Dictionary(other.map { ($0.name, $0.value) }) { $1 }
        return one.count == other.count && mine == theirs
    }
}
