import LinuxSystem
import SyncFormat
import SyncTransports

/// A folder that is asked as a server is, and tells what it was asked for.
final class PlayedServer: SyncTransport {
    let calls = Lock<[String]>([])
    let isAway = Lock(false)
    let refusesLooks = Lock<TransportProblem?>(nil)
    let isFull = Lock(false)
    let losesDismissal = Lock(false)
    let looks = Lock(0)
    /// So many waits for news fail.
    let losses = Lock(0)
    private let folder: any SyncTransport

    init(_ folder: any SyncTransport) { self.folder = folder }

    private func note(_ call: String) { calls.withLock { $0.append(call) } }

    func found() throws(TransportProblem) {
        if isAway.withLock({ $0 }) { throw .unreachable("it is away") }
        note("found")
    }

    func commit(_ bytes: [UInt8], in slot: SyncSlot) throws(TransportProblem) -> Commitment {
        if isFull.withLock({ $0 }) { throw .refused("it is full") }
        note("commit")
        return try folder.commit(bytes, in: slot)
    }

    func changes(
        after heads: [MemberID: UInt64], atMost most: Int
    ) throws(TransportProblem) -> TransportChanges {
        if isAway.withLock({ $0 }) { throw .unreachable("it is away") }
        looks.withLock { $0 += 1 }
        if let problem = refusesLooks.withLock({ $0 }) { throw problem }
        return try folder.changes(after: heads, atMost: most)
    }

    func dismiss(_ gone: [MemberID], cut: [MemberID], keeping members: [MemberID]) throws(TransportProblem) {
        if losesDismissal.withLock({ $0 }) { throw .unreachable("it is away") }
        guard !gone.isEmpty else { return }
        note("dismiss \(gone.map(\.text)) keeping \(members.map(\.text))")
    }

    func discard(_ slots: [SyncSlot]) throws(TransportProblem) { try folder.discard(slots) }
    func read(_ slot: SyncSlot) throws(TransportProblem) -> [UInt8]? { try folder.read(slot) }

    func wait(until deadline: Deadline) throws(TransportProblem) -> Bool {
        let isLost = losses.withLock { left in
            left -= 1
            return left >= 0
        }
        if isLost { throw .unreachable("the connection was closed") }
        return try folder.wait(until: deadline)
    }
}
