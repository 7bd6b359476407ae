package import KeychainModel

/// A count in a root that nobody turns back, not even with a copy of all files.
package protocol RootCounter: Sendable {
    /// - Throws: when the root does not answer.
    func read() throws(Refusal) -> RootCount

    /// Makes it, in place of one that is there.
    ///
    /// - Returns: what it begins with, which is more than any that was ever in its place.
    /// - Throws: when the root has no room, or does not let everybody make one.
    func make() throws(Refusal) -> UInt64

    /// Counts on by one.
    func advance() throws(Refusal)

    func remove() throws(Refusal)
}

/// A root's answer about the counter of a vault.
package enum RootCount: Equatable, Sendable {
    /// There is none, or none that this vault's device key reads.
    case none
    case foreign
    case value(UInt64)
}
