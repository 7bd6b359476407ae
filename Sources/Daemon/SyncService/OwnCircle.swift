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
    var file: CircleNotes
    /// The circle as it was after the last change.
    private var memory = CircleMemory()
    /// The place, as it was at the last look.
    var view = SyncView()
    /// Whether somebody wants a look now.
    var isWanted = false
    /// Whether enclave and store were compared since the start.
    private var isReady = false

    init(_ engine: KeychainEngine, _ enclave: any EnclaveService, folder: String) {
        (self.engine, self.enclave, self.folder) = (engine, enclave, folder)
        file = CircleNotes(in: folder)
    }

    /// The circle that the enclave has.
    var state: CircleState? { get throws(Refusal) { try enclave.circle() } }

    /// Does something as a member of the circle, in one transaction.
    ///
    /// - Throws: `errSecNotAvailable` in no circle; what enclave and store say. Nothing is changed then.
    func perform<Result>(
        _ body: (inout Replica<StoredRows>, _ now: UInt64, _ keys: EnclaveCircleKeys) -> Result
    ) throws(Refusal) -> Result {
        if !isReady { try prepare() }
        return try run(body)
    }

    private func run<Result>(
        _ body: (inout Replica<StoredRows>, _ now: UInt64, _ keys: EnclaveCircleKeys) -> Result
    ) throws(Refusal) -> Result {
        let keys = try EnclaveCircleKeys(enclave, known)
        return try CircleMember(engine, keys).perform(keeping: &memory) { replica, now in body(&replica, now, keys) }
    }

    /// Brings the store to where the enclave is, which comes first when a circle is entered: a crash in between is
    /// undone here.
    private func prepare() throws(Refusal) {
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
        isReady = true
    }

    /// Forgets what is in memory, of another circle or of none.
    func reset() {
        known.forgetAll()
        (memory, view, isWanted, isReady) = (CircleMemory(), SyncView(), false, false)
    }

    /// Writes the file down, if it has changed.
    func change(_ body: (inout CircleNotes) -> Void) throws(Refusal) {
        var changed = file
        body(&changed)
        guard changed != file else { return }
        try changed.write(in: folder)
        file = changed
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
