/// A version of an item in whose place the change of another machine has come, or to whose own place it came too late.
///
///     lost = winner:16 base:u64 [loser:16 won:u64 stamp:u64]             ; the least significant byte first
///
/// A conflict alone has the part in brackets: the author of the version that won knew nothing of this one.
package struct LostVersion: Hashable, Sendable {
    /// The machine that has written the version that won, by its identifier in the circle.
    package let winner: [UInt8]
    /// The stamp of the version that this one was made from, of those that other machines may have; 0 for none.
    package let base: UInt64
    package let conflict: Conflict?

    /// A version whose change is lost.
    package struct Conflict: Hashable, Sendable {
        /// The machine that has written the version.
        package let loser: [UInt8]
        /// The stamp of the version that won, and that of this one, in microseconds since 1970.
        package let won, stamp: UInt64

        package init(loser: [UInt8], won: UInt64, stamp: UInt64) {
            (self.loser, self.won, self.stamp) = (loser, won, stamp)
        }
    }

    private static let machineBytes = 16
    private static let shortSize = machineBytes + 8
    private static let size = shortSize + machineBytes + 2 * 8

    package init(winner: [UInt8], base: UInt64 = 0, conflict: Conflict? = nil) {
        (self.winner, self.base, self.conflict) = (winner, base, conflict)
    }

    /// - Returns: nil for what has another length.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.shortSize || bytes.count == Self.size else { return nil }
        winner = Array(bytes[..<Self.machineBytes])
        base = Self.number(bytes, at: Self.machineBytes)
        guard bytes.count == Self.size else {
            conflict = nil
            return
        }
        let (loser, numbers) = (Self.shortSize, Self.shortSize + Self.machineBytes)
        conflict = Conflict(
            loser: Array(bytes[loser..<numbers]), won: Self.number(bytes, at: numbers),
            stamp: Self.number(bytes, at: numbers + 8))
    }

    package var bytes: [UInt8] {
        let short = winner + Self.bytes(base)
        return conflict.map { short + $0.loser + Self.bytes($0.won) + Self.bytes($0.stamp) } ?? short
    }

    /// The same where nothing is lost any more.
    package var settled: LostVersion { LostVersion(winner: winner, base: base) }

    private static func number(_ bytes: [UInt8], at first: Int) -> UInt64 {
        bytes[first..<first + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    private static func bytes(_ number: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}
