import Synchronization

/// Moves the log of a store into its database while the writer goes on writing.
///
/// To move a log that is nearly full takes some 10 ms, a sixth of what filling it took. Beside the writer that is done on the
/// other processor; the writer has only to move what came meanwhile, after which the log begins anew. Each time there is one
/// order, one move on a thread that may block, and one end, on the thread that writes.
package final class LogMover: Sendable {
    private enum State: UInt8, AtomicRepresentable { case idle, ordered, moving, moved }

    private let path: String
    private let sharing: Database.Sharing
    private let changes: ChangeCount
    private let state = Atomic(State.idle)

    init(of path: String, sharing: Database.Sharing, counting changes: ChangeCount) {
        (self.path, self.sharing, self.changes) = (path, sharing, changes)
    }

    /// Whether ``move()`` is to be called: false when somebody was told so already.
    package func order() -> Bool { change(.idle, to: .ordered) }

    /// Moves what the log holds, as far as readers allow; nobody holds a snapshot meanwhile. What fails is done by the writer.
    package func move() {
        guard change(.ordered, to: .moving) else { return }
        defer { state.store(.moved, ordering: .releasing) }
        changes.suspendHolding()
        defer { changes.resumeHolding() }
        try? Database(path: path, sharing: sharing).moveLog()
    }

    /// Whether it is at work, beside which nobody else can move anything.
    package var isMoving: Bool { state.load(ordering: .acquiring) == .moving }

    /// Whether it has moved what there was since it was told to.
    package var hasMoved: Bool { state.load(ordering: .acquiring) == .moved }

    /// The log was moved by its writer: what was ordered before has been done.
    package func finish() {
        if !change(.moved, to: .idle) { _ = change(.ordered, to: .idle) }
    }

    private func change(_ old: State, to new: State) -> Bool {
        state.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
    }
}
