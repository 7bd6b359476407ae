import Glibc
import KeychainMaster
import LinuxSystem
import SystemAccounts

/// Starts the processes of the system service where systemd does not, and starts them again when they end, or say
/// nothing any more.
///
/// It stays root, as systemd does, for each of them is another user's. It has no key, and reads nothing but a sign of
/// life of the processes that it has started.
final class Supervisor {
    private let children: [SupervisedProcess]
    private let log: (String) -> Void

    /// How long each may take to start: milliseconds.
    private static let startTimeout = 10_000 * DebugPatience.factor

    /// Serves until it is told to end.
    ///
    /// - Throws: what keeps it from serving.
    static func run(_ options: SystemOptions, log: @escaping @Sendable (String) -> Void) throws {
        guard CurrentProcess.user == 0 else {
            throw DaemonArguments.Mistake("The system service is started by systemd, or by root.")
        }
        let signals = MasterSignals()
        let supervisor = Supervisor(try parts(of: options), log)
        let end = try signals.await()
        try supervisor.start()
        if let ready = options.ready { _ = try? ready.write([1].span) }
        try supervisor.watch(until: end.descriptor)
        try supervisor.end()
    }

    /// The processes, each after those it needs.
    private static func parts(of options: SystemOptions) throws -> [SupervisedProcess] {
        let (client, own) = (String(try Account(options.user).user), try Keychaind.ownPath())
        let enclaves = SupervisedProcess(
            "the enclaves' listener", own.folder + "keychain-enclaved",
            [
                "--listen", options.enclave, "--state", options.enclaveState, "--user", options.enclaveUser,
                "--accept-from", client, "--tpm", options.tpm,
            ] + (options.agentGroup.map { ["--agent-group", $0] } ?? []), at: options.enclave, beats: true)
        let identifier = SupervisedProcess(
            "the process that identifies callers", own,
            ["--identify", options.identifier, "--user", options.identifierUser, "--accept-from", client]
                + options.identification, at: options.identifier, beats: true)
        let master = SupervisedProcess(
            "the master", own, ["--master"] + options.words,
            at: "\(options.sockets)/\(Master.Purpose.personal.rawValue)", beats: true,
            isAlone: true)
        return [enclaves, identifier, master]
    }

    private init(_ children: [SupervisedProcess], _ log: @escaping (String) -> Void) {
        (self.children, self.log) = (children, log)
    }

    private func start() throws {
        for child in children where try !child.start(timeout: Self.startTimeout) {
            try end()
            throw SystemError(code: ECHILD, call: "posix_spawn", advice: "\(child.name) does not start")
        }
    }

    private func watch(until end: FileDescriptor) throws(SystemError) {
        while true {
            do throws(SystemError) {
                let watched = [end] + children.flatMap(\.descriptors)
                let deadline = children.map(\.deadline).min() ?? .never
                if try FileDescriptor.waitForAny(of: watched, deadline: deadline) == 0 { return }
            } catch  where error.code == ETIMEDOUT {}
            for child in children { child.look(log) }
        }
    }

    /// Ends them, each before those it needs.
    ///
    /// - Throws: `SystemError` with `ECHILD` when one has ended in another way than it should.
    private func end() throws(SystemError) {
        for child in children.reversed() {
            guard child.end() else {
                throw SystemError(code: ECHILD, call: "waitpid", advice: "\(child.name) has failed")
            }
        }
    }
}
