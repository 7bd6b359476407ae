import LinuxSystem

/// Moves the log of a store into its database while the writer goes on writing.
///
/// To move a log that is nearly full takes some 10 ms, a sixth of what filling it took. Beside the writer that is done on the
/// other processor; the writer has only to move what came meanwhile, after which the log begins anew. Each time there is one
/// order, one move on a thread that may block, and one end, on the thread that writes.
package final class LogMover: Sendable {
    private enum State { case idle, ordered, moving, moved }

    private let path: String
    private let sharing: Database.Sharing
    private let changes: ChangeCount
    private let state = Monitor(State.idle)

    init(of path: String, sharing: Database.Sharing, counting changes: ChangeCount) {
        (self.path, self.sharing, self.changes) = (path, sharing, changes)
    }

    /// Whether ``move()`` is to be called: false when somebody was told so already.
    package func order() -> Bool { change(.idle, to: .ordered) }

    /// Moves what the log holds, as far as readers allow; nobody holds a snapshot meanwhile. What fails is done by the writer.
    package func move() {
        guard change(.ordered, to: .moving) else { return }
        defer { state.update { $0 = .moved } }
        changes.suspendHolding()
        defer { changes.resumeHolding() }
        try? moveNow()
    }

    private func moveNow() throws(DatabaseError) {
        let database = try Database(path: path, sharing: sharing)
        try database.execute("PRAGMA synchronous = FULL", "be tidied up")
        try database.moveLog()
        // The writer, who moves the rest, need not wait for all of it then.
        try database.makeDurable()
    }

    /// Whether it has moved what there was since it was told to.
    package var hasMoved: Bool { state.update { $0 == .moved } }

    /// Ends an order: from now on the writer moves the log. A move that has begun is waited for, beside which nobody else can move
    /// anything.
    package func end() {
        state.wait { state -> Void? in
            guard state != .moving else { return nil }
            state = .idle
            return ()
        }
    }

    private func change(_ old: State, to new: State) -> Bool {
        state.update { state in
            guard state == old else { return false }
            state = new
            return true
        }
    }
}
