package import KeychainModel
package import LinuxSystem

/// The results of verifying executables, kept for as long as the file's content stays the same. Holds so many results
/// and drops the one that was not asked for the longest.
package final class SignatureCache: Sendable {
    package typealias Outcome = Result<ProgramMark?, Refusal>

    private struct State {
        var entries: [FileVersion: Entry] = [:]
        var clock: UInt64 = 0
        /// The mounted file systems it all belongs to.
        var generation: UInt64?
    }

    private struct Entry {
        let outcome: Outcome
        var used: UInt64
    }

    private let state = Lock(State())
    private let capacity: Int
    private let tick: Int64

    /// - Parameters:
    ///   - capacity: how many executables are remembered; about 200 bytes each, and the groups.
    ///   - tick: as of ``FileVersion/isSettled(tick:)``.
    package init(capacity: Int = 256, tick: Int64 = FileVersion.coarsestTick) {
        (self.capacity, self.tick) = (capacity, tick)
    }

    /// The facts about a file.
    package func find(_ version: FileVersion) -> Outcome? {
        state.withLock { state in
            guard let place = state.entries.index(forKey: version) else { return nil }
            state.clock += 1
            state.entries.values[place].used = state.clock
            return state.entries.values[place].outcome
        }
    }

    /// Remembers what became of verifying a file. Nothing is remembered of one that has just been changed: the next
    /// change might not show.
    package func keep(_ outcome: Outcome, for version: FileVersion) {
        guard version.isSettled(tick: tick) else { return }
        state.withLock { state in
            state.clock += 1
            state.entries[version] = Entry(outcome: outcome, used: state.clock)
            guard state.entries.count > capacity else { return }
            if let oldest = state.entries.min(by: { $0.value.used < $1.value.used }) {
                state.entries[oldest.key] = nil
            }
        }
    }

    /// Forgets everything when other file systems are mounted than before, for then a device's number may be another's.
    package func follow(_ generation: UInt64) {
        state.withLock { state in
            guard state.generation != generation else { return }
            state.entries = [:]
            state.generation = generation
        }
    }

    package var count: Int { state.withLock { $0.entries.count } }
}
