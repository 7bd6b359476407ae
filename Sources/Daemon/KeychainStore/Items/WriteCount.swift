/// How far the store has come since it was marked, as a writer has seen it.
///
/// The count that it has seen committed never becomes less, even if others write: a store that says less was put back
/// meanwhile.
struct WriteCount {
    /// The count of a transaction.
    struct Seen: Equatable {
        var changes: Int64
        var block: Int64
        var writes: Int64

        func isOlder(than other: Seen) -> Bool {
            if block != other.block { return block < other.block }
            return writes < other.writes || changes < other.changes
        }
    }

    private(set) var last: Seen?
    /// Whether a store was put back under this writer.
    private(set) var wentBack = false
    /// The number of writes when a block was last asked for; 0 for a count that this keychain did not write.
    private var asked: Int64 = 0
    /// Transactions of this writer since then, in whatever way the count in the store was changed.
    private var own: Int64 = 0
    private var running: Seen?

    /// Writes since the last block, or since one was asked for in vain. A count that this keychain did not write has
    /// been enough.
    var writes: Int64 {
        guard let last else { return 0 }
        return last.writes < 0 ? .max : max(own, last.writes - min(asked, last.writes))
    }

    /// Notes the count inside a transaction.
    mutating func note(_ seen: Seen?) {
        running = seen
        if let last, seen.map({ $0.isOlder(than: last) || $0 == last }) ?? true { wentBack = true }
    }

    /// The transaction is on disk; one that is not has counted nothing.
    mutating func commit() {
        guard let running else { return }
        if running.block != last?.block { (asked, own) = (0, 0) }
        (last, self.running) = (running, nil)
        own += 1
    }

    mutating func rollback() { running = nil }

    /// A block is asked for.
    mutating func ask() { (asked, own) = (max(0, last?.writes ?? 0), 0) }

    /// Starts again, with a store that was accepted.
    mutating func forget() { self = WriteCount() }
}
