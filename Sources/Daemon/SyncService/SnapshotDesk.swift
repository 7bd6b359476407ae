import KeychainWire
import LinuxSystem
import SyncFormat
import SyncMerging
import SyncStore

/// Snapshots under way in one daemon: the parts that have come, and what became of them. All of it is gone with the
/// process, and comes again.
final class SnapshotDesk {
    typealias Place = SyncRecord.Origin

    /// After an attempt that has failed it waits for so many more.
    private static let patience: UInt64 = 8
    /// So many parts are asked for at once, where nobody knows their number.
    private static let window = 8
    /// The places where a newcomer looks for a snapshot at once.
    private static let places = 6

    private let batches: UInt64
    private var parts: [Place: [[UInt8]]] = [:]
    /// The parts of a place as they were at the last look: where none has come since, another place has its turn.
    private var counts: [Place: Int] = [:]
    private var passed: Set<Place> = []
    /// Snapshots that are not what this machine has.
    private var untrue: Set<SyncPosition> = []
    /// This machine's last batch when it last tried to make one.
    private var tried: UInt64 = 0
    /// Items and shelves that did not open when a snapshot was last to be made or examined.
    private(set) var unopened = 0
    /// The parts of the outgoing snapshot that the place has.
    private var sent: (seq: UInt64, count: Int) = (0, 0)

    /// - Parameter batches: a machine makes a snapshot after so many batches of its own.
    init(after batches: UInt64) { self.batches = batches }

    func forgetAll() {
        forgetParts()
        (untrue, tried, unopened, sent) = ([], 0, 0, (0, 0))
    }

    private func forgetParts() { (parts, counts, passed) = ([:], [:], []) }

    private var size: Int { parts.values.joined().reduce(0) { $0 + $1.count } }

    // MARK: - Parts that come

    /// The slots that a carrier is to bring.
    func wanted(
        _ replica: Replica<StoredRows>, _ introducer: MemberID?, _ keys: any CircleKeys
    ) -> [SyncSlot] {
        guard replica.mayStart else {
            guard let next = toExamine(replica, keys) else { return [] }
            let place = next.position.place
            return slots(place, (parts[place]?.count ?? 0)..<next.manifest.parts.count, replica)
        }
        let places = startingPlaces(replica, introducer, keys)
        return places.enumerated().flatMap { order, place in
            let count = parts[place]?.count ?? 0
            // One part of each, and of the likeliest place those that follow.
            let more = count == 0 ? 1 : order == 0 ? Self.window : 0
            return slots(place, count..<min(count + more, SyncLimits.parts), replica)
        }
    }

    private func slots(_ place: Place, _ numbers: Range<Int>, _ replica: Replica<StoredRows>) -> [SyncSlot] {
        numbers.map { SyncSlot(circle: replica.circle, device: place.device, seq: place.seq, part: UInt32($0)) }
    }

    /// Takes a part that was wanted: the one that follows those that are here.
    func take(_ bytes: [UInt8], in slot: SyncSlot, _ replica: Replica<StoredRows>, _ keys: any CircleKeys) -> Bool {
        let place = Place(device: slot.device, seq: slot.seq)
        guard let part = slot.part, Int(part) == parts[place]?.count ?? 0, bytes.count <= SyncLimits.partBytes,
            size + bytes.count <= SyncLimits.snapshotBytes + Self.places * SyncLimits.partBytes
        else { return false }
        if !replica.mayStart {
            guard let announced = replica.snapshots[place.device], announced.position.place == place,
                Int(part) < announced.manifest.parts.count,
                announced.manifest.parts[Int(part)].hash == keys.hash(bytes)
            else { return false }
        }
        parts[place, default: []].append(bytes)
        return true
    }

    /// Gives another place its turn where nothing has come since the last look.
    ///
    /// - Returns: whether nothing has come.
    @discardableResult
    private func pass(_ place: Place) -> Bool {
        let count = parts[place]?.count ?? 0
        let isIdle = counts[place] == count
        if isIdle { passed.insert(place) }
        counts[place] = isIdle ? nil : count
        return isIdle
    }

    // MARK: - Others' snapshots

    private func toExamine(_ replica: Replica<StoredRows>, _ keys: any CircleKeys) -> Announced? {
        let all = replica.worthExamining(keys).filter { !untrue.contains($0.position) }
        keepParts(of: all.map(\.position.place))
        return all.first { !passed.contains($0.position.place) }
    }

    /// Keeps what has come of places that are still of interest. When each has had its turn, all have it again.
    private func keepParts(of places: [Place]) {
        let kept = Set(places)
        parts = parts.filter { kept.contains($0.key) }
        if kept.isSubset(of: passed) { passed = [] }
    }

    /// Compares a snapshot whose parts are here with what this machine has.
    func examine(_ replica: inout Replica<StoredRows>, _ keys: any CircleKeys) {
        guard let next = toExamine(replica, keys) else { return }
        let place = next.position.place
        let here = parts[place] ?? []
        guard here.count == next.manifest.parts.count else {
            pass(place)
            return
        }
        if !replica.examine(here, of: place.device, keys) {
            untrue.insert(next.position)
            count(&replica, keys)
        }
        parts[place] = nil
    }

    // MARK: - Own snapshots

    /// Makes a snapshot, when enough was written since the last.
    func makeSnapshot(_ replica: inout Replica<StoredRows>, _ keys: any CircleKeys) {
        let last = replica.logs[replica.me]?.seq ?? 0
        guard replica.owesSnapshot(after: batches), tried == 0 || last >= tried + Self.patience else { return }
        tried = last
        if !replica.makeSnapshot(keys) { count(&replica, keys) }
    }

    /// Looks again whether items and shelves do not open that did not. When all do, nothing has been tried.
    func countAgain(_ replica: inout Replica<StoredRows>, _ keys: any CircleKeys) {
        guard unopened > 0 else { return }
        count(&replica, keys)
        if unopened == 0 { (untrue, tried) = ([], 0) }
    }

    private func count(_ replica: inout Replica<StoredRows>, _ keys: any CircleKeys) {
        unopened = replica.countUnopened(keys) ?? unopened
    }

    /// The next part of the outgoing snapshot that the place has not; nil when it has all.
    func nextPart(of replica: Replica<StoredRows>) -> (slot: SyncSlot, bytes: [UInt8])? {
        guard let outgoing = replica.outgoing else { return nil }
        if sent.seq != outgoing.batch.header.seq { sent = (outgoing.batch.header.seq, 0) }
        guard sent.count < outgoing.parts.count else { return nil }
        let part = outgoing.parts[sent.count]
        return (part.slot(sent.count), part.bytes)
    }

    /// The place has a part, or has something else in its slot.
    ///
    /// - Parameter theirs: what was there before; nil where there was nothing.
    /// - Returns: false for something else.
    func confirm(_ slot: SyncSlot, _ theirs: [UInt8]?, of replica: Replica<StoredRows>) -> Bool {
        guard let next = nextPart(of: replica), next.slot == slot else { return true }
        guard theirs.map({ $0 == next.bytes }) ?? true else { return false }
        sent.count += 1
        return true
    }

    // MARK: - Newcomers

    private func startingPlaces(
        _ replica: Replica<StoredRows>, _ introducer: MemberID?, _ keys: any CircleKeys
    ) -> [Place] {
        let all = replica.startingPlaces(introducer, keys)
        keepParts(of: all)
        return Array(all.filter { !passed.contains($0) }.prefix(Self.places))
    }

    /// A newcomer has seen all that the place shows: it reads that, or starts from a snapshot where logs are gone in
    /// part.
    func begin(
        _ replica: inout Replica<StoredRows>, _ introducer: MemberID?, _ now: UInt64, _ keys: any CircleKeys
    ) {
        if replica.hasAllLogs(now: now, keys) {
            replica.readAll(now: now, keys)
            return forgetParts()
        }
        for (order, place) in startingPlaces(replica, introducer, keys).enumerated() {
            switch start(&replica, at: place, introducer, now, keys) {
            case .done: return forgetParts()
            case .tooEarly: continue
            case .impossible:
                // The parts may have been on their way still: they are asked for again.
                if order == 0, pass(place) { parts[place] = nil }
            }
        }
    }

    private enum Start {
        case done
        /// It is as it should be, and something else has not arrived yet.
        case tooEarly
        case impossible
    }

    private func start(
        _ replica: inout Replica<StoredRows>, at place: Place, _ introducer: MemberID?, _ now: UInt64,
        _ keys: any CircleKeys
    ) -> Start {
        guard let here = parts[place] else { return .impossible }
        let before = replica
        for batch in replica.announcements(at: place) {
            guard let bytes = batch.bytes, let count = replica.partCount(of: batch, here, keys), count <= here.count,
                replica.start(
                    from: bytes, parts: Array(here.prefix(count)), introducer: introducer, now: now, keys)
            else { continue }
            if replica.canStay { return .done }
            // Nothing of it is shown before somebody vouches for it.
            replica = before
            return .tooEarly
        }
        return .impossible
    }
}

extension SyncPosition {
    fileprivate var place: SyncRecord.Origin { SyncRecord.Origin(device: device, seq: seq) }
}
