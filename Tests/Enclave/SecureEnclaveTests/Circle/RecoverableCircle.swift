import EnclaveWire
import KeychainModel
import LinuxSystem
import SyncFormat
import TestSupport
import Testing

@testable import SecureEnclave

/// A circle of two machines with a recovery key, which has all shares.
struct RecoverableCircle {
    let machines: [CircleMachine]
    let current: GenerationID
    let code: String
    private(set) var batches: [SyncBatch]

    var first: CircleMachine { machines[0] }

    /// - Parameter name: of a machine that is not here.
    init(naming name: String = "phone") throws {
        let circle = try TestCircle(2)
        (machines, current, batches) = (circle.machines, circle.current, circle.batches)
        let statements: [SyncStatement]
        (statements, code) = try machines[0].makeRecoveryKey()
        batches.append(try machines[0].publish(statements))
        // Its name is sealed with keys that the recovery key gets in a later batch.
        let phone = try CircleMachine()
        _ = try phone.enter(try machines[0].state.circle)
        batches.append(try machines[0].publish(try machines[0].add(phone, name: name), "an add", under: current))
        let keys = try machines[0].state.members.filter(\.isRecoveryKey).map(\.id)
        batches.append(try machines[0].publish([try machines[0].connection.shareGeneration(current, with: keys)]))
        for batch in batches { try machines[1].take(batch) }
    }
}

/// A snapshot as a place shows it.
struct PlacedSnapshot {
    let announcement: SyncBatch
    let parts: [SnapshotPart]

    var position: SyncPosition {
        get throws {
            let hash = try BatchHash(sha256: announcement.signed.span)
            return SyncPosition(device: announcement.header.device, seq: announcement.header.seq, hash: hash.short)
        }
    }

    /// The parts, and the announcement behind them.
    var offers: [[UInt8]] { parts.map(\.bytes) + [announcement.bytes].compactMap(\.self) }
}

extension CircleMachine {
    /// - Returns: the statements, and the code that was shown.
    func makeRecoveryKey() throws -> ([SyncStatement], String) {
        user.will(.passcode(Self.passcode), .close)
        let statements = try connection.makeRecoveryKey(asking: Self.question, by: soon)
        let shown = try #require(user.questions.last { $0.kind == .shownCode })
        return (statements, shown.digits)
    }

    @discardableResult
    func recover(_ batches: [SyncBatch], _ code: String) throws -> [SyncStatement] {
        try recover(batches.map { try #require($0.bytes) }, code)
    }

    @discardableResult
    func recover(_ offers: [[UInt8]], _ code: String) throws -> [SyncStatement] {
        try connection.forgetOffers()
        for bytes in offers { try connection.offerBatch(bytes) }
        // The question for a code is repeated after something else.
        user.forgetAnswers()
        if code.count < 30 { user.will(.passcode(code), .passcode(code)) }
        user.will(.passcode(code), .passcode(Self.passcode))
        return try connection.recoverCircle(name: "new", asking: Self.question, by: soon)
    }

    /// The next batch, with a content that has one record.
    @discardableResult
    func publish(_ record: SyncRecord, under generation: GenerationID) throws -> SyncBatch {
        let header = try header(generation)
        let content = SyncContent(positions: [], floor: 0, records: [record]).encoded()
        let sealed = try connection.sealContent(
            content, header: SyncBatch.associated(header, [], sealedSize: content.count + CircleBox.overhead))
        let batch = try sign(header, [], sealed: sealed)
        try proceed(to: batch)
        return batch
    }

    /// Makes a snapshot that covers logs to these batches, and announces it.
    ///
    /// - Parameters:
    ///   - stating: what its part carries.
    ///   - count: how often its manifest has that part.
    func publishSnapshot(
        of ends: [SyncBatch], _ stating: [SyncBatch], under generation: GenerationID, naming count: Int = 1
    ) throws -> PlacedSnapshot {
        let own = try header()
        let header = SyncHeader(
            circle: own.circle, device: own.device, seq: own.seq, previous: .none, generation: .none, salt: own.salt)
        let part = SnapshotPart(header, carried: stating.map(\.withoutSealed), sealed: [])
        let logs = try ends.map { batch in
            SnapshotManifest.Log(
                device: batch.header.device, seq: batch.header.seq, hash: try BatchHash(sha256: batch.signed.span),
                floor: 0, said: [])
        }
        let hash = try BatchHash(sha256: part.bytes.span)
        let listed = SnapshotManifest.Part(size: UInt32(part.bytes.count), hash: hash)
        let parts = [SnapshotManifest.Part](repeating: listed, count: count)
        let manifest = SnapshotManifest(logs: logs.sorted { $0.device < $1.device }, parts: parts)
        let record = SyncRecord(kind: SyncRecord.Kind.manifest, hlc: 0, body: manifest.encoded())
        return PlacedSnapshot(announcement: try publish(record, under: generation), parts: [part])
    }
}

extension SyncRecord {
    /// A tombstone of a day.
    static func dated(_ stamp: UInt64) -> SyncRecord {
        SyncRecord(kind: 2, itemClass: 1, protection: 2, rid: RecordID([1]), hlc: stamp, body: SecretBytes(count: 0))
    }
}
