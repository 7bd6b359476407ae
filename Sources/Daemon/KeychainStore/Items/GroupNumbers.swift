package import KeychainWire
import LinuxSystem

/// How often something was committed in each access group, for programs that wait for changes of their own groups. A
/// group is known by its digest, and its number says nothing of other groups.
package final class GroupNumbers: Sendable {
    private struct State {
        /// The number of a group in which nothing has changed since.
        var first = beginning()
        var counts: [[UInt8]: UInt64] = [:]
        var total: UInt64 = 0
        /// SQLite's number of the commits of other connections.
        var version: Int64?
    }

    private let state = Lock(State())
    /// Moves with every change of a number.
    package let epoch = StateEpoch()

    /// So many groups are counted; then all begin with another number.
    private static let most = 1 << 16

    /// No number fits two daemons: a program that knows an earlier one's hears of a change.
    private static func beginning() -> UInt64 {
        let random = Randomness.bytes(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return random >> 2 | 1 << 61
    }

    /// Counts a commit in groups, after it.
    func raise(_ groups: Set<[UInt8]>) {
        let groups = groups.filter { !$0.isEmpty }
        guard !groups.isEmpty else { return }
        state.withLock { state in
            for group in groups { state.counts[group, default: 0] += 1 }
            state.total += 1
            if state.counts.count > Self.most { Self.beginAgain(&state) }
        }
        epoch.advance()
    }

    /// Notes SQLite's number. Another one says that other processes have written, in whichever groups.
    func note(version: Int64) {
        let isNews = state.withLock { state in
            defer { state.version = version }
            guard let known = state.version, known != version else { return false }
            Self.beginAgain(&state)
            return true
        }
        if isNews { epoch.advance() }
    }

    private static func beginAgain(_ state: inout State) {
        (state.first, state.counts, state.total) = (beginning(), [:], 0)
    }

    /// The number of the group with a digest.
    package func number(of group: [UInt8]) -> UInt64 {
        state.withLock { $0.first + $0.counts[group, default: 0] }
    }

    /// The number of the whole keychain, for programs that have every group.
    package var numberOfAll: UInt64 { state.withLock { $0.first + $0.total } }
}
