/// Bounds of everything that another machine or the transport can make grow.
package enum SyncLimits {
    /// The version that is written, and the newest that is read.
    package static let version: UInt16 = 2
    /// The version that knows all but what a later one names.
    package static let firstVersion: UInt16 = 1
    /// The first version that knows shelves.
    package static let shelfVersion: UInt16 = 2
    /// Stamps and floors are smaller, so that adding to one never overflows.
    package static let endOfTime: UInt64 = 1 << 62
    /// The statements of a batch: a generation for 64 recipients has 13 KiB.
    package static let openBytes = 64 << 10
    /// The sealed part of a batch: the largest item with its attributes, and Padmé's twelfth.
    package static let sealedBytes = 2 << 20
    /// One statement.
    package static let statements = 64
    /// Machines and recovery keys that a vector names; a user has few.
    package static let members = 256
    /// Logs that the author of one log says it has read, in all its batches.
    package static let saidLogs = 4 * members
    /// Members that one member introduces.
    package static let introductions = 64
    /// Removals of one member that count.
    package static let removals = 256
    /// Members that a removal keeps: their number is one byte.
    package static let kept = 255
    /// Recipients of one generation or share.
    package static let recipients = 64
    /// The sealed name of a machine.
    package static let nameBytes = 512
    /// Records of a batch or of a part: the smallest has 28 bytes.
    package static let records = sealedBytes / 28
    /// Parts of a snapshot.
    package static let parts = 256
    /// The bytes of all parts together: who compares a snapshot has them in memory.
    package static let snapshotBytes = 64 << 20
    /// Statements that a part carries: batches without their sealed parts.
    package static let carriedBatches = 1024
    /// The carried batches of a part together.
    package static let carriedBytes = 1 << 20
    /// One part: what it carries, its sealed part, and its header of 136 bytes.
    package static let partBytes = carriedBytes + sealedBytes + 136
}

/// Why bytes are no batch, part or slot. None of them is ever read in half.
package enum SyncMalformed: Error, Equatable, Sendable {
    /// The bytes end too early, or go on behind the end.
    case length
    /// They begin with something else.
    case mark
    /// A number lies outside of its bounds, or a reserved bit is set.
    case value
    /// Something is there twice, or not in the one order.
    case order
    /// Zeros were expected.
    case padding
}
