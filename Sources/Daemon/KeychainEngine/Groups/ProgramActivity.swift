import KeychainModel
import KeychainPolicy
import LinuxSystem

/// Which programs have been here today, with which groups: noted when a connection is identified, written down when the
/// store is tidied up, once for each program and day.
final class ProgramActivity: Sendable {
    struct ProgramUse: Hashable, Sendable {
        let group: ExactText
        let program: ExactText
        let provenance: Provenance
        /// Days since 2001.
        let day: UInt32
    }

    private struct State {
        var written: Set<ProgramUse> = []
        var fresh: Set<ProgramUse> = []
        /// The caller that was recorded last, and the day: most come again at once.
        var latest: (caller: CallerIdentity, day: UInt32)?
    }

    /// More than these are forgotten and noted again.
    private static let most = 4096
    private let state = Lock(State())

    static var today: UInt32 { UInt32(clamping: Int(Clock.secondsSinceReferenceDate / 86400)) }

    func record(_ caller: CallerIdentity) {
        let day = Self.today
        state.withLock { state in
            // The next connection of a known process has this very identity, which is seen by its reference.
            defer { state.latest = (caller, day) }
            if let latest = state.latest, latest.day == day, latest.caller.isSeen(as: caller) { return }
            if state.written.count + state.fresh.count > Self.most { (state.written, state.fresh) = ([], []) }
            for group in caller.groups where group != AccessGroup.token && group != AccessGroup.any {
                let use = ProgramUse(
                    group: ExactText(group), program: ExactText(caller.program), provenance: caller.provenance,
                    day: day)
                if !state.written.contains(use) { state.fresh.insert(use) }
            }
        }
    }

    /// The uses that are still to be written down. Each is given only once.
    func take() -> [ProgramUse] {
        state.withLock { state in
            defer {
                state.written = state.written.filter { $0.day == Self.today }.union(state.fresh)
                state.fresh = []
            }
            return Array(state.fresh)
        }
    }
}

extension CallerIdentity {
    /// Whether the programs of both are the same, whatever their processes.
    fileprivate func isSeen(as other: CallerIdentity) -> Bool {
        self == other
            || program.hasBytes(of: other.program) && provenance == other.provenance
                && groups.elementsEqual(other.groups) { $0.hasBytes(of: $1) }
    }
}
