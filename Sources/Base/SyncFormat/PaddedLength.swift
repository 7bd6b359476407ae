/// Padmé (Nikitin and others: Reducing metadata leakage from encrypted files, 2019): the length keeps only its first
/// bits, as many as its exponent has, so that it tells little and costs at most a ninth.
package enum PaddedLength {
    /// Shorter contents are all of this length.
    package static let least = 1024

    /// The length that contents of `count` bytes are padded to.
    package static func of(_ count: Int) -> Int {
        guard count > least else { return least }
        let exponent = Int.bitWidth - 1 - count.leadingZeroBitCount
        let kept = Int.bitWidth - exponent.leadingZeroBitCount
        let mask = (1 << (exponent - kept)) - 1
        return (count + mask) & ~mask
    }
}
