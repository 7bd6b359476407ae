import Glibc
package import LinuxSystem
import Synchronization

/// The messages between the master of the system service and the daemon of one keychain, over a socket pair.
///
///     handed = kind:u8 witness:u8 after:u64 start:u64
///                                      ; from the master, with the connection
///     offer  = received:u64            ; from the daemon: nobody has been connected for a while
///     sign   = 2^64-1:u64              ; from the daemon, every few seconds: it goes on
///
/// - `witness` 0: the kernel says which process connected.
/// - `witness` 1: the kernel does not. The process had started at `start` when the connection was taken.
/// - `witness` 2: as 1, with a pidfd of the process attached.
/// - `after`: a time after which the connection was made, in nanoseconds of the monotonic clock; 0 where none is known.
///
/// The master closes the channel when the daemon may end: after an offer that counts all connections it has handed
/// over, so that none is lost on the way. The end of the channel is the end of the daemon.
package enum ConnectionHandoff {
    /// The purpose of a connection.
    package enum Kind: UInt8, Sendable {
        /// A client of the keychain.
        case client = 1
        /// The service manager asks for the credential of a unit.
        case credential = 2
        /// No connection, but a channel to the process that identifies callers, in place of an earlier one.
        case identifier = 3
    }

    /// How the master says which process connected.
    enum Witness: UInt8 {
        case kernel = 0
        case start = 1
        case descriptor = 2

        var descriptors: Int { self == .descriptor ? 1 : 0 }
    }

    static let handedSize = 18
    static let offerSize = 8
    /// More connections than there can be.
    private static let sign = UInt64.max

    /// Tells the master that the daemon goes on.
    package static func giveSign(over channel: UnixSocket) {
        try? channel.sendFully(littleEndian(sign).span, deadline: .now)
    }
}

/// The master's end.
package final class HandoverSender {
    /// Readable when there is an offer, or the daemon has gone.
    package var descriptor: FileDescriptor { channel.descriptor }
    private let channel: UnixSocket
    private var handed: UInt64 = 0

    /// Connections that a daemon has not taken yet, in bytes of the kernel's: a few dozen.
    private static let room: CInt = 32 << 10

    /// - Throws: `SystemError` of `setsockopt`.
    package init(_ channel: UnixSocket) throws(SystemError) {
        self.channel = channel
        try channel.limitSending(bytes: Self.room)
    }

    /// Hands a connection over.
    ///
    /// - Throws: `SystemError`: `ETIMEDOUT` when the daemon has too many waiting; `EPIPE`, `ECONNRESET` when it has
    ///   gone.
    package func hand(_ connection: UnixSocket, as kind: ConnectionHandoff.Kind) throws(SystemError) {
        let witness = connection.witness
        let form = witness.map { $0.descriptor == nil ? ConnectionHandoff.Witness.start : .descriptor } ?? .kernel
        let bytes =
            [kind.rawValue, form.rawValue] + littleEndian(connection.madeAfter ?? 0)
            + littleEndian(witness?.startTime ?? 0)
        let descriptors = [connection.descriptor] + (witness?.descriptor.map { [$0] } ?? [])
        try channel.sendFully(bytes.span, attaching: descriptors, deadline: .now)
        handed += 1
    }

    /// Whether the daemon may end: it has offered to, and has had every connection; or it has gone.
    package func mayLetGo() -> Bool {
        var offer = [UInt8](repeating: 0, count: ConnectionHandoff.offerSize)
        var span = offer.mutableSpan
        let count = try? channel.receiveFully(into: &span, deadline: .after(milliseconds: 100))
        guard count == offer.count else { return true }
        return offer.span.littleEndian(UInt64.self, at: 0) == handed
    }
}

/// The daemon's end.
package final class HandoverReceiver: ConnectionSource {
    package var descriptor: FileDescriptor { channel.descriptor }
    private let channel: UnixSocket
    private let count = Atomic<UInt64>(0)
    private let hasEnded = Atomic(false)
    private let onCredential: @Sendable (UnixSocket) -> Void
    private let onIdentifier: @Sendable (UnixSocket) -> Void
    private let onEnd: @Sendable () -> Void

    /// - Parameters:
    ///   - onCredential: takes the connections of a service manager.
    ///   - onIdentifier: takes the channels to the identifier.
    ///   - onEnd: called once, when the master lets the daemon go or is gone itself.
    package init(
        _ channel: UnixSocket, onCredential: @escaping @Sendable (UnixSocket) -> Void,
        onIdentifier: @escaping @Sendable (UnixSocket) -> Void = { _ in }, onEnd: @escaping @Sendable () -> Void
    ) {
        (self.channel, self.onCredential, self.onIdentifier, self.onEnd) = (channel, onCredential, onIdentifier, onEnd)
    }

    /// How many connections have come.
    package var received: UInt64 { count.load(ordering: .sequentiallyConsistent) }

    package func accept() throws(SystemError) -> UnixSocket? {
        while true {
            var handed = [UInt8](repeating: 0, count: ConnectionHandoff.handedSize)
            var span = handed.mutableSpan
            // The kernel gives out the bytes of one message with a descriptor at a time.
            guard let arrival = try channel.receiveAttached(into: &span) else { return nil }
            guard arrival.count == handed.count, let connection = Self.connection(handed, arrival.descriptors) else {
                throw end()
            }
            count.add(1, ordering: .sequentiallyConsistent)
            switch ConnectionHandoff.Kind(rawValue: handed[0]) {
            case .client?: return connection
            case .credential?: onCredential(connection)
            case .identifier?: onIdentifier(connection)
            case nil: throw end()
            }
        }
    }

    /// The handed connection; nil when the bytes are none.
    private static func connection(_ handed: [UInt8], _ descriptors: [FileDescriptor]) -> UnixSocket? {
        guard let form = ConnectionHandoff.Witness(rawValue: handed[1]), let first = descriptors.first,
            descriptors.count == 1 + form.descriptors
        else { return nil }
        let after = handed.span.littleEndian(UInt64.self, at: 2)
        let start = handed.span.littleEndian(UInt64.self, at: 10)
        let witness =
            form == .kernel
            ? nil : ProcessWitness(descriptor: form == .descriptor ? descriptors[1] : nil, startTime: start)
        return UnixSocket(first, witness: witness, madeAfter: after == 0 ? nil : after)
    }

    private func end() -> SystemError {
        if !hasEnded.exchange(true, ordering: .sequentiallyConsistent) { onEnd() }
        return SystemError(code: EPIPE, call: "recvmsg", advice: "the master has let go")
    }

    /// Offers to end.
    ///
    /// - Parameter received: how many connections had come when nobody had been connected for long enough.
    package func offerEnd(received: UInt64) {
        // A master that has gone needs no offer: its end is seen by itself.
        try? channel.sendFully(littleEndian(received).span, deadline: .after(milliseconds: 1000))
    }
}

private func littleEndian(_ number: UInt64) -> [UInt8] {
    (0..<UInt64(8)).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}
