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
///   - enclaved: the program that is its enclave; nil for an enclave inside: what the hop to its process costs is a figure of its
///     own.
///   - caller: whom it takes everybody for without a look; nil to identify callers.
func serve(_ folder: String, at socket: String, enclaved: String? = nil, to caller: CallerIdentity? = nil) throws {
    // As keychaind.
    DatabaseLibrary.belongsToThisProcess()
    let engine = try FilledStore(folder: folder, items: 0).openEngine(enclaved: enclaved)
    let registry: any CallerRegistry =
        if let caller { OneCaller(caller: caller) } else {
            CallerIdentifier(IdentityRules(.user(CurrentProcess.user), anchorGroup: try AnchorGroup.find()))
        }
    let server = try KeychainServer(
        engine, on: [try UnixSocket.listen(at: socket)], registry: registry, log: { note($0) })
    // It ends with its starter, who holds the other end.
    while readLine() != nil {}
    server.stop()
}

/// Takes everybody for the same program, which costs nothing.
private struct OneCaller: CallerRegistry {
    let caller: CallerIdentity

    func recognize(_ peer: UnixSocket) -> CallerIdentity? { caller }
    func identify(_ peer: UnixSocket) -> Identification { .known(caller) }
    func examine(_ file: FileDescriptor, for caller: CallerIdentity) -> CallerIdentity { caller }
}

extension KeychainEngine: RequestHandler {}
extension CallerIdentifier: CallerRegistry {}
extension EngineLane: RequestLane {}
extension PendingWrite: QueuedWrite {}
