package import KeychainModel
package import KeychainPolicy
package import LinuxSystem

/// Finds out who calls a daemon that looks at its callers itself: at once who is known at once, and everybody else on
/// threads that a file may hold up for ever.
///
/// It asks itself as a daemon of the system service asks the identifier. A question without an answer in time is
/// refused, and nobody waits for it but programs of which as little is known.
package final class InProcessIdentifier: Sendable {
    private let identifier: CallerIdentifier
    private let client: IdentifierClient

    /// Inspections that are under way. All are one user's here, so there are more of them than of one user in the
    /// system service.
    private static let mostInspections = 8

    /// - Throws: `SystemError` when there are too many open files or threads.
    package init(_ identifier: CallerIdentifier) throws(SystemError) {
        self.identifier = identifier
        client = IdentifierClient(identifier.servedCallers)
        let (ours, theirs) = try UnixSocket.packetPair()
        var limits = ProgramInspections.Limits()
        limits.ofUser = Self.mostInspections
        let session = IdentifierSession(theirs, identifier, ProgramInspections(limits))
        _ = try Thread(named: "keychain-callers") { session.serve() }
        client.use(ours)
    }

    /// As ``CallerIdentifier/recognize(_:)``.
    package func recognize(_ peer: UnixSocket) -> IdentifiedCaller? { identifier.recognize(peer) }

    /// As ``CallerIdentifier/identify(_:)``.
    package func identify(_ peer: UnixSocket) throws(Refusal) -> Identification {
        if case .known(let caller) = try identifier.identify(peer) { return .known(caller) }
        return try client.identify(peer)
    }

    /// As ``CallerIdentifier/examine(_:for:)``.
    package func examine(
        _ file: FileDescriptor, for caller: CallerIdentity,
        then deliver: @escaping @Sendable (Result<CallerIdentity, Refusal>) -> Void
    ) { client.examine(file, for: caller, then: deliver) }
}
