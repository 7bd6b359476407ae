package import LinuxSystem
package import SyncFormat
package import SyncTransports

/// A transport whose place is still to be made, or entered, by an invitation: the first call of a round does that,
/// whenever the place can be reached.
package final class InvitedTransport: SyncTransport {
    private let base: any SyncTransport
    private let isFounded = Lock(false)
    private let noteFounded: @Sendable () -> Void

    /// - Parameter noteFounded: the invitation was taken, and is of no use any more.
    package init(_ base: any SyncTransport, noteFounded: @escaping @Sendable () -> Void) {
        (self.base, self.noteFounded) = (base, noteFounded)
    }

    package func found() throws(TransportProblem) {
        guard !isFounded.withLock({ $0 }) else { return }
        try base.found()
        isFounded.withLock { $0 = true }
        noteFounded()
    }

    package func changes(
        after heads: [MemberID: UInt64], atMost most: Int
    ) throws(TransportProblem) -> TransportChanges {
        try found()
        return try base.changes(after: heads, atMost: most)
    }

    package func admit(_ newcomer: MemberID, tokenHash: [UInt8]) throws(TransportProblem) {
        try found()
        try base.admit(newcomer, tokenHash: tokenHash)
    }

    package func commit(_ bytes: [UInt8], in slot: SyncSlot) throws(TransportProblem) -> Commitment {
        try base.commit(bytes, in: slot)
    }

    package func discard(_ slots: [SyncSlot]) throws(TransportProblem) { try base.discard(slots) }
    package func read(_ slot: SyncSlot) throws(TransportProblem) -> [UInt8]? { try base.read(slot) }
    package func dismiss(_ members: [MemberID]) throws(TransportProblem) { try base.dismiss(members) }
    package func wait(until deadline: Deadline) throws(TransportProblem) -> Bool { try base.wait(until: deadline) }
}
