package import KeychainModel
package import KeychainPolicy
package import KeychainServer
package import LinuxSystem
package import TestSupport

/// Identifies callers as a test says; a program file would be what calls itself by the caller's name.
package struct Registry: CallerRegistry {
    package typealias Identify = @Sendable (_ peer: UnixSocket) throws(Refusal) -> Identification

    package typealias Recognize = @Sendable (_ peer: UnixSocket) -> CallerIdentity?

    private let recognition: Recognize
    private let body: Identify

    package init(recognize: @escaping Recognize, _ body: @escaping Identify) {
        (recognition, self.body) = (recognize, body)
    }

    package func recognize(_ peer: UnixSocket) -> IdentifiedCaller? {
        recognition(peer).map { IdentifiedCaller($0, process: StandInProcess()) }
    }

    package func identify(_ peer: UnixSocket) throws(Refusal) -> Identification { try body(peer) }

    package func examine(
        _ file: FileDescriptor, for caller: CallerIdentity,
        then deliver: @escaping @Sendable (Result<CallerIdentity, Refusal>) -> Void
    ) {
        deliver(
            .success(CallerIdentity(user: caller.user, process: 0, program: (try? file.text()) ?? "", groups: [])))
    }
}

/// A process that is what it was until a test says otherwise.
package final class StandInProcess: CallerProcess {
    private let state = Monitor(true)

    package init() {}

    package var isUnchanged: Bool { state.update { $0 } }
    package func change() { state.update { $0 = false } }
}

extension IdentifiedCaller {
    /// A caller whose process stays what it is.
    package init(lasting caller: CallerIdentity) { self.init(caller, process: StandInProcess()) }
}

/// A server in front of a stand-in, on a socket of its own.
package final class RunningServer {
    package let standIn: StandIn
    package let server: KeychainServer
    package let path: String
    private let lines: Lines
    private let identified: Monitor<Int>
    private let directory: TemporaryDirectory
    private var isStopped = false

    /// - Parameters:
    ///   - directory: where the socket goes; another server's, to take over its place.
    ///   - recognize: who is known as soon as it has connected; nobody, unless a test says so.
    package init(
        in directory: TemporaryDirectory? = nil, standIn: StandIn = StandIn(), limits: ServerLimits = ServerLimits(),
        identify: @escaping Registry.Identify = { _ in .known(IdentifiedCaller(lasting: RunningServer.caller)) },
        recognize: @escaping Registry.Recognize = { _ in nil }
    ) throws {
        self.directory = try directory ?? TemporaryDirectory()
        self.standIn = standIn
        path = self.directory.file("socket")
        let lines = Lines()
        let identified = Monitor(0)
        (self.lines, self.identified) = (lines, identified)
        server = try KeychainServer(
            standIn, on: [try UnixSocket.listen(at: path)],
            registry: Registry(recognize: recognize) { peer throws(Refusal) in
                identified.update { $0 += 1 }
                return try identify(peer)
            }, limits: limits,
            log: { line in lines.list.withLock { $0.append(line) } })
    }

    deinit { stop() }

    package func stop() {
        standIn.release()
        stopWhileHeld()
    }

    /// Stops without releasing what is held back.
    package func stopWhileHeld() {
        if !isStopped { server.stop() }
        isStopped = true
    }

    package func connect() throws -> RawClient { try RawClient(path) }

    /// How often somebody had to be identified: once for each connection that asked for something and was not known.
    package var identifications: Int { identified.update { $0 } }

    /// The server's log.
    package var log: [String] { lines.list.withLock { $0 } }

    /// The identity that a server gives everybody, unless a test asks for something else.
    package static let caller = CallerIdentity(user: 1, process: 2, program: "/bin/program", groups: ["group"])

    private final class Lines: Sendable {
        let list = Lock<[String]>([])
    }
}
