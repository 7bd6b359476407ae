import Synchronization

/// Counts the commits of the process that owns a store, for the connections that hold snapshots of it
/// (``ReadTransaction``).
///
/// It is raised after a commit and before anybody is told of it. A reader that finds the number it found before knows
/// that nothing has happened. While it is odd, nobody is to hold a snapshot: a checkpoint waits for those who read
/// older states.
final class ChangeCount: Sendable {
    private let count = Atomic<UInt64>(0)

    var value: UInt64 {
        @inline(__always) get { count.load(ordering: .acquiring) }
    }

    static func allowsHolding(_ value: UInt64) -> Bool { value.isMultiple(of: 2) }

    /// Something was committed.
    func raise() { count.wrappingAdd(2, ordering: .releasing) }

    /// Nobody is to hold a snapshot until ``resumeHolding()``. Those who do end it with their next read or turn, which
    /// is soon.
    func suspendHolding() { count.wrappingAdd(1, ordering: .releasing) }
    func resumeHolding() { count.wrappingAdd(1, ordering: .releasing) }
}
