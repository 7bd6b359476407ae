package import KeychainModel

/// What asking for a caller's identity gives at once.
package enum Identification: Sendable {
    case known(IdentifiedCaller)
    /// It has to be found out by a thread that may wait: a large executable is read for the first time.
    case slow(SlowIdentification)
}

/// A caller, and the process that it was found to be.
package struct IdentifiedCaller: Sendable {
    package let identity: CallerIdentity
    package let process: any CallerProcess

    package init(_ identity: CallerIdentity, process: any CallerProcess) {
        (self.identity, self.process) = (identity, process)
    }
}

/// The process that connected.
package protocol CallerProcess: AnyObject, Sendable {
    /// Whether it is what it was when it was identified, so that its number is its own: asked before each of its requests is
    /// performed, and after the request has come. Of an anchored one also whether it has executed nothing since.
    var isUnchanged: Bool { get }
}

/// Work that ends with an identity.
package struct SlowIdentification: Sendable {
    private let work: @Sendable () throws(Refusal) -> IdentifiedCaller

    package init(_ work: @escaping @Sendable () throws(Refusal) -> IdentifiedCaller) { self.work = work }

    /// Does it; may take long.
    ///
    /// - Throws: the refusal of every request of a caller that cannot be identified.
    package func finish() throws(Refusal) -> IdentifiedCaller { try work() }
}
