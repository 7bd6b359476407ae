import Synchronization

/// Counts what a process does to a store, for those who hold snapshots of it.
///
/// It is raised after a commit and before anybody is told of it. Where one process makes all changes, a reader that finds the
/// number it found before knows that nothing has happened. While it is odd, nobody is to hold anything: the log is about to be
/// moved into the database, which goes as far as the oldest snapshot.
final class ChangeCount: Sendable {
    private let count = Atomic<UInt64>(0)

    var value: UInt64 {
        @inline(__always) get { count.load(ordering: .acquiring) }
    }

    static func allowsHolding(_ value: UInt64) -> Bool { value.isMultiple(of: 2) }

    /// Something was committed.
    func raise() { count.wrappingAdd(2, ordering: .releasing) }

    /// Nobody is to hold a snapshot until ``resumeHolding()``. Those who do let go with their next read or turn, which is soon.
    func suspendHolding() { count.wrappingAdd(1, ordering: .releasing) }
    func resumeHolding() { count.wrappingAdd(1, ordering: .releasing) }
}
