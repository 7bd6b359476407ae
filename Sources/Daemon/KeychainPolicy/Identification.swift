package import KeychainModel

/// What asking for a caller's identity gives at once.
package enum Identification: Sendable {
    case known(CallerIdentity)
    /// It has to be found out by a thread that may wait: a large executable is read for the first time.
    case slow(SlowIdentification)
}

/// Work that ends with an identity.
package struct SlowIdentification: Sendable {
    private let work: @Sendable () throws(Refusal) -> CallerIdentity

    package init(_ work: @escaping @Sendable () throws(Refusal) -> CallerIdentity) { self.work = work }

    /// Does it; may take long.
    ///
    /// - Throws: the refusal of every request of a caller that cannot be identified.
    package func finish() throws(Refusal) -> CallerIdentity { try work() }
}
