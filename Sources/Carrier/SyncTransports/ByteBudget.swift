/// The bytes that one call of ``SyncTransport/changes(after:atMost:)`` may still give.
///
/// One batch is given whatever its size, so that a large one does not hold up its reader for ever.
package struct ByteBudget: Sendable {
    private let most: Int
    private let mostBatches: Int
    private var (count, batches) = (0, 0)

    /// - Parameters:
    ///   - most: so many bytes.
    ///   - mostBatches: so many batches, where each is a request.
    package init(atMost most: Int, batches mostBatches: Int = .max) {
        (self.most, self.mostBatches) = (most, mostBatches)
    }

    /// Whether one batch more may be read.
    package var hasRoom: Bool { batches == 0 || count < most && batches < mostBatches }

    /// Counts a batch that is given.
    package mutating func take(_ bytes: [UInt8]) { (count, batches) = (count + bytes.count, batches + 1) }
}
