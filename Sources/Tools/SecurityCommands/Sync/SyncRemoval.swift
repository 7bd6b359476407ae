import KeychainModel
import KeychainWire
import SyncFormat

/// The outcome of `remove-device`: the machines that are out, those that stay, and those that do not know it yet.
struct SyncRemoval {
    let target: SyncStatus.Machine
    /// The machines and the recovery keys that are out besides.
    let others: [SyncStatus.Machine]
    let recoveryKeys: [SyncStatus.Machine]
    let kept: [SyncStatus.Machine]
    /// Those that stay and have not said that they know of it.
    let uninformed: [SyncStatus.Machine]
    let after: SyncStatus

    init(_ target: SyncStatus.Machine, keeping kept: [SyncStatus.Machine], _ before: SyncStatus, _ after: SyncStatus) {
        (self.target, self.kept, self.after) = (target, kept, after)
        let present = Set(before.machines.filter { !$0.flags.contains(.isRemoved) }.map(\.id))
        let gone = after.machines.filter {
            $0.flags.contains(.isRemoved) && $0.id != target.id && present.contains($0.id)
        }
        others = gone.filter { !$0.flags.contains(.isRecoveryKey) }
        recoveryKeys = gone.filter { $0.flags.contains(.isRecoveryKey) }
        uninformed = after.machines.filter { $0.flags.contains(.hasNotHeard) }
    }

    var json: JSONValue {
        func list(_ machines: [SyncStatus.Machine]) -> JSONValue { .array(machines.map(\.json)) }
        return .object([
            ("circle", .string(after.circle.text)), ("me", .string(after.me.text)), ("removed", target.json),
            ("removedAsWell", list(others)), ("kept", list(kept)),
            ("recoveryKeys", .array(recoveryKeys.map { .string($0.id.text) })), ("notHeard", list(uninformed)),
            ("items", .number(Int64(clamping: after.items))),
        ])
    }
}

extension SyncStatus.Machine {
    /// Its identifier and its name, which is empty where it is not known.
    var json: JSONValue { .object([("id", .string(id.text)), ("name", .string(name))]) }
}
