import LinuxSystem

/// A listening socket whose connections are accepted without a look at their processes. The master first refuses by
/// number what it does not serve.
struct DoorSource: ConnectionSource {
    let socket: UnixSocket

    var descriptor: FileDescriptor { socket.descriptor }
    var isWhereTheyAreMade: Bool { true }

    func accept() throws(SystemError) -> UnixSocket? { try socket.accept(notingPeer: false) }
}
