package import EnclaveWire
package import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The circle of machines that a keychain belongs to. The engine says who may ask; what is done needs more modules than
/// it has.
package protocol CircleOperations: AnyObject, Sendable {
    /// Moves with every change that a carrier should hear of.
    var number: StateEpoch { get }

    /// Answers a request.
    ///
    /// - Parameter files: as many as the request takes.
    /// - Throws: `errSecNotAvailable` (`circle.none`) in no circle; what enclave and store say, and nothing is changed.
    func answer(_ request: SyncRequest, _ files: [FileDescriptor]) throws(Refusal) -> SyncReply

    /// Changes the circle, after the enclave has asked its user. Others go on meanwhile.
    ///
    /// - Returns: the circle afterwards; nil for none.
    /// - Throws: what became of asking; what enclave and store say.
    func change(
        _ change: CircleChange, asking question: CircleQuestion, by deadline: Deadline
    ) throws(Refusal) -> SyncStatus?

    /// The caller of the change with this context has gone.
    func withdraw(_ context: AuthenticationContext)
}

/// The circle of an engine, which the daemon gives to it once it is made.
final class EngineCircle: Sendable {
    private let given = Lock<(any CircleOperations)?>(nil)
    private let noNumber = StateEpoch()

    var operations: (any CircleOperations)? { given.withLock { $0 } }
    var number: StateEpoch { operations?.number ?? noNumber }

    func begin(_ operations: (any CircleOperations)?) { given.withLock { $0 = operations } }
}
