package import KeychainModel
package import KeychainPolicy
import KeychainWire
package import LinuxSystem

/// Finds out who is at the other end of a connection by asking the identifier, for a daemon that may not look at other
/// users' processes.
///
/// For an anchored program, and for one that connects again and again, the daemon gets what it needs to check for
/// itself that the process still executes the identified file. The daemon does not ask about such a process for a
/// second. Entitlements that root installs may take that long to count.
package final class IdentifierClient: Sendable {
    private let rules: IdentityRules
    private let channel = IdentifierChannel()
    private let processes = KnownProcesses()
    private let servedCallers: ServedCallers

    /// How long the thread that serves all connections waits for an answer: milliseconds.
    private static let shortWait = 2
    /// How long an answer counts for the process's next connections: nanoseconds.
    private static let freshness: UInt64 = 1_000_000_000

    package init(_ servedCallers: ServedCallers) {
        (self.servedCallers, rules) = (servedCallers, IdentityRules(servedCallers))
    }

    /// Asks through this from now on.
    package func use(_ socket: UnixSocket) { channel.use(socket) }

    /// The program at the other end of a connection, if it is known at once and need not be refused.
    package func recognize(_ peer: UnixSocket) -> IdentifiedCaller? {
        guard let numbers = try? PeerNumbers(of: peer) else { return nil }
        return findKnown(numbers, madeAfter: peer.madeAfter)
    }

    /// Identifies the program at the other end of a connection, or says what to do to find it out.
    ///
    /// - Throws: as ``IdentityRules/identify(_:)``.
    package func identify(_ peer: UnixSocket) throws(Refusal) -> Identification {
        let numbers: PeerNumbers
        do throws(SystemError) { numbers = try PeerNumbers(of: peer) } catch { throw .unidentified(error) }
        try rules.check(user: numbers.user)
        if let caller = findKnown(numbers, madeAfter: peer.madeAfter) { return .known(caller) }
        let credentials: PeerCredentials
        do throws(SystemError) { credentials = try PeerCredentials(numbers, of: peer) } catch {
            throw .unidentified(error)
        }
        return try ask(peer, credentials)
    }

    /// A known answer comes so soon that waiting for it takes less than having another thread do so.
    private func ask(_ peer: UnixSocket, _ credentials: PeerCredentials) throws(Refusal) -> Identification {
        guard let answer = try channel.ask(.recognize(peer), within: Self.shortWait) else {
            return .slow(slowly(peer, credentials, recognition: recognition(of: peer, credentials)))
        }
        if answer.reader.isAtEnd { return .slow(slowly(peer, credentials)) }
        return .known(try caller(in: answer, credentials))
    }

    private func slowly(
        _ peer: UnixSocket, _ credentials: PeerCredentials, recognition: SlowIdentification.Recognition? = nil
    ) -> SlowIdentification {
        SlowIdentification(
            asking: { [self] deliver in
                channel.ask(.identify(peer)) { [self] answer in deliver(caller(in: answer, credentials)) }
            }, recognition: recognition)
    }

    /// On a busy machine the short wait may be over before the answer is there.
    private func recognition(
        of peer: UnixSocket, _ credentials: PeerCredentials
    ) -> SlowIdentification.Recognition {
        { [self] deliver in
            channel.ask(.recognize(peer)) { [self] answer in
                guard case .success(let found) = answer, !found.reader.isAtEnd else { return deliver(nil) }
                deliver(try? caller(in: found, credentials))
            }
        }
    }

    /// The groups that a program file would be given, if a caller executed it.
    ///
    /// - Parameter deliver: gets what ``CallerIdentifier/examine(_:for:)`` finds or refuses.
    package func examine(
        _ file: FileDescriptor, for caller: CallerIdentity,
        then deliver: @escaping @Sendable (Result<CallerIdentity, Refusal>) -> Void
    ) {
        let question = IdentifierQuestion.examine(file, user: caller.user, process: caller.process)
        channel.ask(question) { [self] answer in
            deliver(Result { () throws(Refusal) in try identity(in: answer.get()).identity })
        }
    }

    private func caller(
        in answer: IdentifierChannel.Outcome, _ credentials: PeerCredentials
    ) -> Result<IdentifiedCaller, Refusal> {
        Result { () throws(Refusal) in try caller(in: answer.get(), credentials) }
    }

    private func caller(
        in answer: IdentifierChannel.Answer, _ credentials: PeerCredentials
    ) throws(Refusal) -> IdentifiedCaller {
        let (identity, version) = try identity(in: answer)
        // The identifier has asked the kernel the same.
        guard identity.user == credentials.user, identity.process == credentials.process else {
            throw .malformed("the identifier's answer")
        }
        guard let version, answer.descriptors.count == 2 else {
            guard version == nil, !identity.isAnchored else { throw .malformed("the identifier's answer") }
            return IdentifiedCaller(identity, process: LivingProcess(peer: credentials))
        }
        let held = HeldExecution(
            credentials, maps: answer.descriptors[0], file: answer.descriptors[1], version: version)
        if identity.isAnchored { return IdentifiedCaller(identity, process: AnchoredProcess(execution: held)) }
        let process = LivingProcess(peer: credentials)
        note(identity, process, credentials, held)
        return IdentifiedCaller(identity, process: process)
    }

    private func identity(
        in answer: IdentifierChannel.Answer
    ) throws(Refusal) -> (identity: CallerIdentity, version: FileVersion?) {
        var reader = answer.reader
        let report = try CallerReport(from: &reader)
        let version = try reader.integer(UInt8.self) == 0 ? nil : try Holding.version(from: &reader)
        let managesUnits = servedCallers == .system && report.user == 0
        guard reader.isAtEnd, let identity = CallerIdentity(report, mayManageUnits: managesUnits) else {
            throw .malformed("the identifier's answer")
        }
        return (identity, version)
    }
}

// MARK: - Processes that are known

extension IdentifierClient {
    private func findKnown(_ numbers: PeerNumbers, madeAfter: UInt64?) -> IdentifiedCaller? {
        guard let entry = processes.find(numbers, madeAfter: madeAfter), !Self.isOver(entry) else { return nil }
        return IdentifiedCaller(entry.caller, process: entry.process)
    }

    private static func isOver(_ entry: KnownProcesses.Entry) -> Bool {
        Clock.monotonicNanoseconds - entry.reading >= freshness
    }

    /// Closes the files of programs that have not come again. An open file keeps its file system from being unmounted.
    package func forget() { processes.forget(where: Self.isOver) }

    private func note(
        _ identity: CallerIdentity, _ process: LivingProcess, _ peer: PeerCredentials, _ held: HeldExecution
    ) {
        forget()
        let now = Clock.monotonicNanoseconds
        processes.note(
            KnownProcesses.Entry(
                identity, process: process, numbers: peer.numbers, program: held, mark: nil, reading: now,
                noted: now))
    }
}

/// A process that may execute what it likes, as long as it lives.
private final class LivingProcess: CallerProcess {
    private let peer: PeerCredentials
    var isUnchanged: Bool { peer.isAlive }

    init(peer: PeerCredentials) { self.peer = peer }
}

/// A process that must go on to execute what it was anchored for.
private final class AnchoredProcess: CallerProcess {
    private let execution: HeldExecution
    var isUnchanged: Bool { execution.isUnchanged }

    init(execution: HeldExecution) { self.execution = execution }
}
