import EnclaveWire
import KeychainEngine
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncMerging
import SyncStore

/// The circle that a keychain belongs to, by its enclave, its store and the file next to it. One thread at a time has
/// it.
final class OwnCircle {
    /// It has this circle.
    unowned let engine: KeychainEngine
    let enclave: any EnclaveService
    private let known = KnownNames()
    let folder: String
    private var noted: CircleNotes?
    /// The circle as it was after the last change.
    private var memory = CircleMemory()
    /// The place, as it was at the last look.
    var view = SyncView()
    /// Snapshots that are compared, made or started from.
    let desk: SnapshotDesk
    /// Whether somebody wants a look now.
    var isWanted = false
    /// This machine in its circle, once enclave and store were compared since the start.
    private var ready: MemberID?

    init(_ engine: KeychainEngine, _ enclave: any EnclaveService, folder: String, snapshotAfter batches: UInt64) {
        (self.engine, self.enclave, self.folder) = (engine, enclave, folder)
        desk = SnapshotDesk(after: batches)
    }

    /// The circle that the enclave has.
    var state: CircleState? { get throws(Refusal) { try enclave.circle() } }

    /// Does something as a member of the circle, in one transaction.
    ///
    /// - Throws: `errSecNotAvailable` in no circle; what enclave and store say. Nothing is changed then.
    func perform<Result>(
        _ body: (inout Replica<StoredRows>, _ now: UInt64, _ keys: EnclaveCircleKeys) -> Result
    ) throws(Refusal) -> Result {
        _ = try me
        return try run(body)
    }

    /// This machine's identifier.
    var me: MemberID { get throws(Refusal) { if let ready { ready } else { try prepare() } } }

    /// A batch that removes somebody is read in a transaction of its own, after the one that has taken it.
    private func run<Result>(
        _ body: (inout Replica<StoredRows>, _ now: UInt64, _ keys: EnclaveCircleKeys) -> Result
    ) throws(Refusal) -> Result {
        let (result, noted) = try transact { (body(&$0, $1, $2), $0.notedRemovals) }
        var (before, left) = ([MemberID: UInt64](), noted)
        while !left.isEmpty, left != before {
            (before, left) = (left, try transact { replica, _, _ in replica.notedRemovals })
        }
        return result
    }

    private func transact<Result>(
        _ body: (inout Replica<StoredRows>, _ now: UInt64, _ keys: EnclaveCircleKeys) -> Result
    ) throws(Refusal) -> Result {
        let keys = try EnclaveCircleKeys(enclave, known)
        return try CircleMember(engine, keys).perform(keeping: &memory) { replica, now in
            let result = body(&replica, now, keys)
            keys.takeNames(of: replica)
            return result
        }
    }

    /// Brings the store to where the enclave is, which comes first when a circle is entered: a crash in between is
    /// undone here.
    private func prepare() throws(Refusal) -> MemberID {
        guard let state = try state else { throw .inNoCircle }
        let keys = try EnclaveCircleKeys(enclave, known)
        let (member, me) = (CircleMember(engine, keys), keys.member(state.keys))
        if let entered = try member.entered {
            guard entered == (state.circle, me) else { throw .otherCircle }
        } else {
            try member.enter(state.circle, as: me)
        }
        try run { replica, _, keys in
            replica.remind(keys)
            if let genesis = state.genesis, !replica.says(genesis), replica.membership.members[me] == nil {
                replica.state(genesis)
            }
        }
        ready = me
        return me
    }

    /// Forgets what is in memory, of another circle or of none.
    func reset() {
        known.forgetAll()
        desk.forgetAll()
        (memory, view, isWanted, ready) = (CircleMemory(), SyncView(), false, nil)
    }

    /// The content of the file, with what is noted for its next writing.
    ///
    /// - Throws: as ``CircleNotes/init(in:)``; it is read again the next time.
    var file: CircleNotes {
        get throws(Refusal) {
            if let noted { return noted }
            let read = try CircleNotes(in: folder)
            noted = read
            return read
        }
    }

    /// Notes something that is written down with the next change.
    func note(_ body: (inout CircleNotes) -> Void) throws(Refusal) {
        var changed = try file
        body(&changed)
        noted = changed
    }

    /// Changes the file, and writes it down if that has changed it.
    func change(_ body: (inout CircleNotes) -> Void) throws(Refusal) {
        let old = try file
        var changed = old
        body(&changed)
        if changed != old { try write(changed) }
    }

    /// Writes the file, in place of whatever was there.
    func write(_ new: CircleNotes) throws(Refusal) {
        try new.write(in: folder)
        noted = new
    }

    /// Seconds since 1970.
    static var now: Int64 { Clock.realtimeNanoseconds / 1_000_000_000 }
}

extension CircleState {
    /// The statement that has begun the circle; nil on a machine that has not begun it.
    var genesis: SyncStatement? { random.map { .genesis(keys, random: $0) } }
}

extension CircleState {
    /// Whether the enclave has read that a machine was removed. A machine that was removed cannot open the batch that
    /// says so; its enclave takes what is stated there.
    func isRemoved(_ member: MemberID) -> Bool { members.contains { $0.id == member && !$0.isIn } }
}

extension Replica {
    /// The statements of the next batch, and of the one that is to be committed.
    var unpublished: [SyncStatement] { queued + (outgoing?.batch.statements ?? []) }

    func says(_ statement: SyncStatement) -> Bool { unpublished.contains(statement) }
}
