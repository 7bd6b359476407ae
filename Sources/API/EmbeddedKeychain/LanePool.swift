import KeychainEngine
import KeychainWire
import LinuxSystem

/// The lanes of an embedded engine that no thread is using.
///
/// A lane that has been used again and again holds what it sees of the store, and would keep its log from beginning anew for as
/// long as nobody reads again. So it has to be looked after: ``letGoOfUnused()`` until nothing is held.
final class LanePool: Sendable {
    /// A lane, and where it writes answers. It is used by one thread at a time: it is in the pool or with the thread that took it.
    final class Lane: @unchecked Sendable {
        let lane: EngineLane
        private(set) var writer = ResponseWriter()
        fileprivate var isUsed = false

        init(_ lane: EngineLane) { self.lane = lane }

        /// One large answer is no reason to keep its room for ever.
        fileprivate func tidyUp() {
            if writer.buffer.count > Self.keptRoom { writer = ResponseWriter() }
            writer.buffer.removeAll()
            isUsed = true
        }

        private static let keptRoom = 64 << 10
    }

    private struct Content {
        var lanes: [Lane] = []
        var isLookedAfter = false
    }

    private let content = Lock(Content())

    /// A lane for this thread, if there is one.
    func take() -> Lane? { content.withLock { $0.lanes.popLast() } }

    /// Puts a lane back; true when the pool holds something from now on, and the caller is to have it looked after.
    func putBack(_ lane: Lane) -> Bool {
        lane.tidyUp()
        return content.withLock { content in
            content.lanes.append(lane)
            guard lane.lane.holdsSnapshot, !content.isLookedAfter else { return false }
            content.isLookedAfter = true
            return true
        }
    }

    /// Has the lanes let go that were not used since this was called last; whether others still hold something. Who is told that
    /// none do need not look after them any longer.
    func letGoOfUnused() -> Bool { letGo { !$0.isUsed } }

    /// Closes all lanes; none is in use.
    func close() { content.withLock { $0.lanes = [] } }

    /// Has all lanes let go.
    func letGo() { _ = letGo { _ in true } }

    private func letGo(where isMeant: (Lane) -> Bool) -> Bool {
        content.withLock { content in
            for lane in content.lanes {
                if isMeant(lane) { lane.lane.rest() }
                lane.isUsed = false
            }
            content.isLookedAfter = content.lanes.contains { $0.lane.holdsSnapshot }
            return content.isLookedAfter
        }
    }
}
