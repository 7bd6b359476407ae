package import LinuxSystem
package import SyncFormat
package import SyncTransports

/// A transport whose place is still to be made, or entered, by an invitation. The first look makes it, whenever the
/// place can be reached. A circle that is there already is entered with the first batch: a machine whose recovery was
/// cut off says nothing, and needs the invitation once more.
package final class InvitedTransport: SyncTransport {
    private let base: any SyncTransport
    /// Reads a circle that the invitation lets a machine into.
    private let visitor: (any SyncTransport)?
    private let isFounded = Lock(false)
    private let noteFounded: @Sendable () -> Void

    /// - Parameter noteFounded: the invitation was taken, and is of no use any more.
    package init(
        _ base: any SyncTransport, visitor: (any SyncTransport)? = nil, noteFounded: @escaping @Sendable () -> Void
    ) {
        (self.base, self.visitor, self.noteFounded) = (base, visitor, noteFounded)
    }

    private var mustEnter: Bool { isFounded.withLock { !$0 } }

    package func found() throws(TransportProblem) {
        guard mustEnter else { return }
        try base.found()
        isFounded.withLock { $0 = true }
        noteFounded()
    }

    package func changes(
        after heads: [MemberID: UInt64], atMost most: Int
    ) throws(TransportProblem) -> TransportChanges {
        if mustEnter, let seen = try visited(after: heads, atMost: most) { return seen }
        try found()
        return try base.changes(after: heads, atMost: most)
    }

    /// Nil where the invitation lets into no circle that is there: it is for a new one, or was taken.
    private func visited(
        after heads: [MemberID: UInt64], atMost most: Int
    ) throws(TransportProblem) -> TransportChanges? {
        do throws(TransportProblem) { return try visitor?.changes(after: heads, atMost: most) } catch {
            guard case .noEntrance = error else { throw error }
            return nil
        }
    }

    package func admit(_ newcomer: MemberID, tokenHash: [UInt8]) throws(TransportProblem) {
        try found()
        try base.admit(newcomer, tokenHash: tokenHash)
    }

    package func commit(_ bytes: [UInt8], in slot: SyncSlot) throws(TransportProblem) -> Commitment {
        try found()
        return try base.commit(bytes, in: slot)
    }

    package func discard(_ slots: [SyncSlot]) throws(TransportProblem) {
        try found()
        try base.discard(slots)
    }

    package func read(_ slot: SyncSlot) throws(TransportProblem) -> [UInt8]? {
        try (mustEnter ? visitor ?? base : base).read(slot)
    }

    package func dismiss(
        _ gone: [MemberID], cut: [MemberID], keeping members: [MemberID]
    ) throws(TransportProblem) {
        if !mustEnter { try base.dismiss(gone, cut: cut, keeping: members) }
    }

    package func wait(until deadline: Deadline) throws(TransportProblem) -> Bool { try base.wait(until: deadline) }
}
