import EnclaveWire
import Glibc
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@Suite("What the parts of the system service say to each other")
struct SystemMessageTests {
    @Test("An owner's name is a user's number, or system, and nothing else")
    func owner() {
        #expect(KeychainOwner("1000") == .user(1000) && KeychainOwner("system") == .system)
        #expect(KeychainOwner.user(7).description == "7" && KeychainOwner.system.description == "system")
        for name in ["", "root", "-1", "01", "+1", "4294967295", "4294967296", "1/..", "System"] {
            #expect(KeychainOwner(name) == nil, "\(name)")
        }
    }

    @Test("A summons arrives as it was sent", arguments: [KeychainOwner.user(0), .user(61000), .system])
    func summons(owner: KeychainOwner) throws {
        for create in [true, false] {
            let (ours, theirs) = try UnixSocket.pair()
            let sent = EnclaveStartRequest(owner: owner, createIfMissing: create)
            try sent.send(through: ours, deadline: soon)
            #expect(try EnclaveStartRequest.receive(from: theirs, deadline: soon) == sent)
        }
    }

    @Test(
        "Anything else than a summons is refused",
        arguments: [
            Array("KES2".utf8) + [0, 0, 0, 0, 0, 0, 0, 0], Array("KES1".utf8) + [0, 0, 0, 0, 2, 0, 0, 0],
            Array("KES1".utf8) + [0, 0, 0, 0], [],
        ])
    func refuses(bytes: [UInt8]) throws {
        let (ours, theirs) = try UnixSocket.pair()
        if !bytes.isEmpty { try ours.sendFully(bytes.span, deadline: soon) }
        shutdown(ours.descriptor.number, CInt(SHUT_WR))
        #expect(throws: SystemError.self) { try EnclaveStartRequest.receive(from: theirs, deadline: soon) }
    }

    @Test("Connections arrive with what they are for, and are counted")
    func hands() throws {
        let (ours, theirs) = try UnixSocket.pair()
        let credentials = Monitor(0)
        let receiver = HandoverReceiver(
            theirs, onCredential: { _ in credentials.update { $0 += 1 } }, onEnd: {})
        let sender = try HandoverSender(ours)
        #expect(try receiver.accept() == nil)
        let (client, connection) = try UnixSocket.pair()
        try sender.hand(connection, as: .credential)
        try sender.hand(UnixSocket(connection.descriptor, madeAfter: 0x1234_5678_9ABC_DEF0), as: .client)
        try sender.hand(connection, as: .client)
        let received = try #require(try receiver.accept())
        #expect(received.madeAfter == 0x1234_5678_9ABC_DEF0)
        let other = try #require(try receiver.accept())
        #expect(other.madeAfter == nil && received.witness == nil)
        #expect(credentials.update { $0 } == 1 && receiver.received == 3)
        try client.sendFully([7].span, deadline: soon)
        var byte: [UInt8] = [0]
        var span = byte.mutableSpan
        #expect(try received.receiveFully(into: &span, deadline: soon) == 1 && byte == [7])
    }

    @Test("A channel to the identifier arrives as such, and is no connection")
    func identifiers() throws {
        let (ours, theirs) = try UnixSocket.pair()
        let channels = Monitor(0)
        let receiver = HandoverReceiver(
            theirs, onCredential: { _ in }, onIdentifier: { _ in channels.update { $0 += 1 } }, onEnd: {})
        let (sender, (_, channel)) = (try HandoverSender(ours), try UnixSocket.packetPair())
        try sender.hand(channel, as: .identifier)
        #expect(try receiver.accept() == nil && channels.update { $0 } == 1)
    }

    @Test("The identifier is told whose keychain a channel is for", arguments: [KeychainOwner.user(1000), .system])
    func owners(owner: KeychainOwner) throws {
        let ((ours, theirs), (daemons, identifiers)) = (try UnixSocket.pair(), try UnixSocket.packetPair())
        #expect(try IdentifierHandover.receive(from: theirs) == nil)
        try IdentifierHandover.send(identifiers, of: owner, through: ours)
        let received = try #require(try IdentifierHandover.receive(from: theirs))
        #expect(received.owner == owner)
        try received.channel.sendFully([7].span, deadline: soon)
        var byte: [UInt8] = [0]
        var span = byte.mutableSpan
        #expect(try daemons.receiveFully(into: &span, deadline: soon) == 1 && byte == [7])
        // A message without a channel is none.
        try ours.sendFully([0, 0, 0, 0].span, deadline: soon)
        #expect(throws: SystemError.self) { try IdentifierHandover.receive(from: theirs) }
        shutdown(ours.descriptor.number, CInt(SHUT_RDWR))
        #expect(throws: SystemError.self) { try IdentifierHandover.receive(from: theirs) }
    }

    @Test("What the master has noted of the process that connected arrives with the connection")
    func witnesses() throws {
        let (ours, theirs) = try UnixSocket.pair()
        let receiver = HandoverReceiver(theirs, onCredential: { _ in }, onEnd: {})
        let (sender, (_, connection)) = (try HandoverSender(ours), try UnixSocket.pair())
        let noted = ProcessWitness(of: getpid())
        for witness in [noted, ProcessWitness(descriptor: nil, startTime: noted.startTime)] {
            try sender.hand(UnixSocket(connection.descriptor, witness: witness), as: .client)
            let received = try #require(try receiver.accept()?.witness)
            #expect(
                received.startTime == noted.startTime && (received.descriptor == nil) == (witness.descriptor == nil))
        }
        // Of a process that had ended. A later process with its number is not taken for it.
        try sender.hand(UnixSocket(connection.descriptor, witness: ProcessWitness(descriptor: nil)), as: .client)
        let ended = try #require(try receiver.accept())
        #expect(code { () throws(SystemError) in _ = try PeerCredentials(of: ended) } == ESRCH)
    }

    @Test("The daemon may end when it has had every connection, and not before")
    func offers() throws {
        let (ours, theirs) = try UnixSocket.pair()
        let ended = Monitor(0)
        let receiver = HandoverReceiver(theirs, onCredential: { _ in }, onEnd: { ended.update { $0 += 1 } })
        var sender: HandoverSender? = try HandoverSender(ours)
        let (_, connection) = try UnixSocket.pair()
        try sender?.hand(connection, as: .client)
        receiver.offerEnd(received: receiver.received)
        #expect(sender?.mayLetGo() == false)
        _ = try receiver.accept()
        receiver.offerEnd(received: receiver.received)
        #expect(sender?.mayLetGo() == true)
        sender = nil
        withExtendedLifetime(ours) { _ = shutdown(ours.descriptor.number, CInt(SHUT_RDWR)) }
        for _ in 0..<2 { #expect(throws: SystemError.self) { try receiver.accept() } }
        #expect(ended.update { $0 } == 1)
    }

    @Test("A daemon that takes no connections has a few dozen waiting, and no more")
    func bounds() throws {
        let (ours, theirs) = try UnixSocket.pair()
        let sender = try HandoverSender(ours)
        let (_, connection) = try UnixSocket.pair()
        var handed = 0
        while handed < 1000, (try? sender.hand(connection, as: .client)) != nil { handed += 1 }
        #expect((16..<200).contains(handed))
        withExtendedLifetime(theirs) {}
    }
}
