import EnclaveWire
import KeychainModel
import SyncFormat
import SyncMerging
import SyncStore

/// The circle of a machine that enters it by a recovery key, or has made one.
extension OwnCircle {
    /// A crash may have left a circle in the store that the enclave had left already.
    func forgetLeft() throws(Refusal) {
        guard try state == nil else { throw .isInCircle }
        try CircleRecords(engine).leave()
        reset()
    }

    /// The enclave has begun another circle. The store leaves the one before, and enters it with all its items.
    func replace(with circle: CircleID, _ file: CircleNotes) throws(Refusal) {
        guard try state?.circle == circle else { throw .otherCircle }
        try CircleRecords(engine).leave()
        try enter(file)
    }

    /// States this machine's own `add`, which goes out when everything was read.
    func introduce(_ statements: [SyncStatement]) throws(Refusal) {
        try perform { replica, _, _ in for statement in statements { replica.state(statement) } }
    }

    /// Whether the machine has entered by a recovery key, and has not read all that the place has. Its own changes of
    /// before would be taken for newer ones.
    var isRecovering: Bool {
        get throws(Refusal) {
            let hasLooked = try file.looked > 0
            return try perform { replica, _, _ in replica.isRecovering(hasLooked: hasLooked) }
        }
    }

    /// The statements about a new recovery key that others do not know. Its enclave removes all earlier ones once
    /// more, also those that are out.
    func news(in statements: [SyncStatement]) throws(Refusal) -> [SyncStatement] {
        try perform { replica, _, _ in
            statements.filter { statement in
                guard case .remove(let target, _, _) = statement else { return true }
                return !replica.membership.removed.contains(target)
            }
        }
    }

    /// Notes since when recovery keys are known here.
    func noteRecoveryKeys() throws(Refusal) {
        let keys = try state?.members.filter { $0.isIn && $0.isRecoveryKey }.map(\.id) ?? []
        try change { $0.noteRecoveryKeys(keys, at: Self.now) }
    }
}

extension CircleNotes {
    /// Notes when members without a log were first seen.
    mutating func noteRecoveryKeys(_ keys: [MemberID], at time: Int64) {
        for key in keys where heard[key] == nil { heard[key] = time }
    }
}

extension Replica {
    /// The recovery keys that are in.
    var recoveryKeys: [MemberID] { membership.present.filter(\.value.isRecoveryKey).map(\.key) }
}

extension Replica {
    /// Whether the machine has entered by a recovery key, and has not read all that the place has.
    func isRecovering(hasLooked: Bool) -> Bool {
        // A newcomer that has to start from a snapshot has read nothing before its parts are there.
        guard !hasLooked || isFresh else { return false }
        return unpublished.contains { statement in
            if case .add(let addition) = statement { addition.recoveryKey != .none } else { false }
        }
    }
}
