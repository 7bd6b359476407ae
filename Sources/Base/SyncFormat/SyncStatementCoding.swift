import LinuxSystem

extension SyncStatement {
    private var type: UInt8 {
        switch self {
        case .genesis: 1
        case .add: 2
        case .remove: 3
        case .generation: 4
        case .share: 5
        case .recovery: 6
        case .want: 7
        case .endorse: 8
        case .unknown(let type, _): type
        }
    }

    /// The statement's body; a circle's name is made of that of the genesis.
    package var body: [UInt8] {
        switch self {
        case .genesis(let keys, let random): keys.bytes + random.bytes
        case .add(let addition): addition.body
        case .remove(let member, let reason, let kept):
            member.bytes + [reason.rawValue, UInt8(truncatingIfNeeded: kept.count)] + kept.flatMap(\.bytes)
        case .generation(let made), .share(let made):
            made.number.bytes + made.commitment.bytes + KeyShare.bytes(made.shares)
        case .recovery(let keys, let announcement): keys.bytes + announcement.bytes
        case .want(let generation): generation.bytes
        case .endorse(let position): position.bytes
        case .unknown(_, let body): body
        }
    }

    /// The statement with its head.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = [type, 0, 0, 0]
        bytes.append(run: body)
        return bytes
    }

    /// Reads statements with nothing between them and nothing behind them.
    ///
    /// - Throws: ``SyncMalformed`` when the bytes are not exactly that.
    package static func list(decoding bytes: [UInt8]) throws(SyncMalformed) -> [SyncStatement] {
        try list(in: bytes.span, bytes.indices)
    }

    /// The statements that fill a range.
    static func list(in span: Span<UInt8>, _ range: Range<Int>) throws(SyncMalformed) -> [SyncStatement] {
        var cursor = SyncCursor(range)
        var found: [SyncStatement] = []
        while cursor.remaining > 0 {
            guard found.count < SyncLimits.statements else { throw .value }
            let type = try cursor.integer(UInt8.self, in: span)
            guard try cursor.array(3, in: span) == [0, 0, 0] else { throw .value }
            var body = SyncCursor(try cursor.run(atMost: SyncLimits.openBytes, in: span))
            found.append(try SyncStatement(type, &body, in: span))
            try body.finish()
        }
        return found
    }

    private init(_ type: UInt8, _ body: inout SyncCursor, in span: Span<UInt8>) throws(SyncMalformed) {
        switch type {
        case 1: self = .genesis(try MemberKeys(&body, in: span), random: try body.hash(in: span))
        case 2: self = .add(try Addition(&body, in: span))
        case 3: self = try Self.removal(&body, in: span)
        case 4: self = .generation(try Generation(&body, in: span))
        case 5: self = .share(try Generation(&body, in: span))
        case 6: self = .recovery(try MemberKeys(&body, in: span), announcement: try body.hash(in: span))
        case 7: self = .want(try body.identifier(GenerationID.self, in: span))
        case 8: self = .endorse(try SyncPosition(&body, in: span))
        default: self = .unknown(type: type, body: try body.array(body.remaining, in: span))
        }
    }

    private static func removal(_ body: inout SyncCursor, in span: Span<UInt8>) throws(SyncMalformed) -> Self {
        let member = try body.identifier(MemberID.self, in: span)
        guard let reason = Reason(rawValue: try body.integer(UInt8.self, in: span)) else { throw .value }
        var kept: [MemberID] = []
        for _ in 0..<(try body.integer(UInt8.self, in: span)) {
            kept.append(try body.identifier(MemberID.self, in: span))
        }
        try requireAscending(kept)
        return .remove(member, reason, kept: kept)
    }
}

extension Addition {
    fileprivate var body: [UInt8] {
        var bytes = keys.bytes
        bytes.append(littleEndian: least)
        bytes.append(littleEndian: most)
        bytes += recoveryKey.bytes + signature
        bytes.append(run: name)
        return bytes
    }

    fileprivate init(_ body: inout SyncCursor, in span: Span<UInt8>) throws(SyncMalformed) {
        keys = try MemberKeys(&body, in: span)
        least = try body.integer(UInt16.self, in: span)
        most = try body.integer(UInt16.self, in: span)
        guard least > 0, least <= most else { throw .value }
        recoveryKey = try body.identifier(MemberID.self, in: span)
        signature = try body.array(SyncBatch.signatureSize, in: span)
        let range = try body.run(atMost: SyncLimits.nameBytes, in: span)
        name = span.array(range.lowerBound, range.count)
    }
}

extension Generation {
    fileprivate init(_ body: inout SyncCursor, in span: Span<UInt8>) throws(SyncMalformed) {
        number = try body.integer(UInt32.self, in: span)
        guard number > 0 else { throw .value }
        commitment = try body.hash(in: span)
        shares = try KeyShare.list(&body, in: span)
        guard id != .none else { throw .value }
    }
}

extension UInt32 {
    fileprivate var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(littleEndian: self)
        return bytes
    }
}

/// A list has one order, and nobody twice.
func requireAscending<ID: Comparable>(_ list: [ID]) throws(SyncMalformed) {
    for (one, next) in zip(list, list.dropFirst()) where one >= next { throw .order }
}
