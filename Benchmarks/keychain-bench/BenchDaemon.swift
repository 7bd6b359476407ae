import CallerIdentification
import EmbeddedKeychain
import KeychainEngine
import KeychainModel
import KeychainPolicy
import KeychainServer
import KeychainStore
import LinuxSystem

/// The daemon as `keychaind` is one.
///
/// - Parameters:
///   - enclaved: the program that is its enclave; nil for an enclave inside. The hop to its process has a figure of
///     its own.
///   - caller: the identity that it gives everybody without a look; nil to identify callers.
func serve(_ folder: String, at socket: String, enclaved: String? = nil, to caller: CallerIdentity? = nil) throws {
    // As keychaind.
    DatabaseLibrary.belongsToThisProcess()
    let engine = try FilledStore(folder: folder, items: 0).openEngine(enclaved: enclaved)
    let registry: any CallerRegistry =
        if let caller { OneCaller(caller: caller) } else {
            try InProcessIdentifier(
                CallerIdentifier(IdentityRules(.user(CurrentProcess.user), anchorGroup: AnchorGroup.find())))
        }
    let server = try KeychainServer(
        engine, on: [try UnixSocket.listen(at: socket)], registry: registry, log: { note($0) })
    // It ends with its starter, who holds the other end.
    while readLine() != nil {}
    server.stop()
}

/// Takes everybody for the same program, which costs nothing; that the process lives is asked as always.
private struct OneCaller: CallerRegistry {
    let caller: CallerIdentity

    private final class Peer: CallerProcess {
        let credentials: PeerCredentials

        init(credentials: PeerCredentials) { self.credentials = credentials }

        var isUnchanged: Bool { credentials.isAlive }
    }

    func recognize(_ peer: UnixSocket) -> IdentifiedCaller? {
        (try? PeerCredentials(of: peer)).map { IdentifiedCaller(caller, process: Peer(credentials: $0)) }
    }
    func identify(_ peer: UnixSocket) throws(Refusal) -> Identification {
        guard let known = recognize(peer) else { throw .peerEnded }
        return .known(known)
    }
    func examine(
        _ file: FileDescriptor, for caller: CallerIdentity,
        then deliver: @escaping @Sendable (Result<CallerIdentity, Refusal>) -> Void
    ) {
        deliver(.success(caller))
    }
}

extension KeychainEngine: RequestHandler {}
extension InProcessIdentifier: CallerRegistry {}
extension ItemReader: RequestReader {}
extension PendingWrite: QueuedWrite {}

extension Refusal {
    fileprivate static let peerEnded = Refusal(
        .notAvailable, .unavailable, "peer", "The client has ended.", do: "Measure again.")
}
