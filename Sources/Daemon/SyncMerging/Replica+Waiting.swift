import SyncFormat

extension Replica {
    /// Batches that wait; setting them is for a state that was just restored.
    package var waitingForTheirTurn: WaitingBatches {
        get { WaitingBatches(batches: waiting, apart: apart, size: waitingSize, areKeptBack: keepsBack) }
        set {
            (waiting, apart, waitingSize) = (newValue.batches, newValue.apart, newValue.size)
            keepsBack = newValue.areKeptBack
            findKeysInWaiting()
        }
    }
}

/// The batches that wait for their turn. They are in no store; a process keeps them from one change to the next.
package struct WaitingBatches: Sendable {
    fileprivate let batches: [MemberID: [UInt64: [SyncBatch]]]
    fileprivate let apart: [MemberID: [SyncBatch]]
    fileprivate let size: Int
    fileprivate let areKeptBack: Bool

    package var isEmpty: Bool { batches.isEmpty }
}
