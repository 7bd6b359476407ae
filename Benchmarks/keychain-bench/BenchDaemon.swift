import KeychainEngine
import KeychainServer
import LinuxSystem

/// The daemon as `keychaind` is one, but with the enclave inside: what the hop to the enclave's process costs is a figure of its
/// own.
func serve(_ folder: String, at socket: String) throws {
    let engine = try FilledStore(folder: folder, items: 0).openEngine()
    let server = try KeychainServer(
        engine, on: [try UnixSocket.listen(at: socket)], identify: UserIdentity.identify, log: { note($0) })
    // It ends with its starter, who holds the other end.
    while readLine() != nil {}
    server.stop()
}

extension KeychainEngine: RequestHandler {}
extension EngineLane: RequestLane {}
extension PendingWrite: QueuedWrite {}
