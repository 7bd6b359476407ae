/// A version of an item that has lost to the change of another machine, whose author knew nothing of it.
///
///     lost = winner:16 loser:16 won:u64             ; the least significant byte first
package struct LostVersion: Hashable, Sendable {
    /// The machines that have written the version that won, and the one that lost, by their identifiers in the circle.
    package let winner, loser: [UInt8]
    /// The stamp of the version that won, in microseconds since 1970.
    package let won: UInt64

    private static let machineBytes = 16
    private static let size = 2 * machineBytes + 8

    package init(winner: [UInt8], loser: [UInt8], won: UInt64) {
        (self.winner, self.loser, self.won) = (winner, loser, won)
    }

    /// - Returns: nil for what has another length.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size else { return nil }
        winner = Array(bytes[..<Self.machineBytes])
        loser = Array(bytes[Self.machineBytes..<2 * Self.machineBytes])
        won = bytes[(2 * Self.machineBytes)...].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    package var bytes: [UInt8] {
        winner + loser + (0..<8).map { UInt8(truncatingIfNeeded: won >> ($0 * 8)) }
    }
}
