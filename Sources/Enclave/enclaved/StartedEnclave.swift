import EnclaveWire
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem

/// An enclave of the system service, as its listener sees it: with its agent, which it cannot start itself.
///
/// An enclave whose daemon has gone ends by itself. One that has stopped is ended here, so that the next one gets the
/// vault.
final class StartedEnclave {
    private let process: ChildProcess
    /// Readable when it has ended.
    let end: FileDescriptor
    /// Readable when it wants an agent.
    let requests: FileDescriptor
    /// The enclave's end of its channel: to see when the other end is closed, not to be read.
    let connection: FileDescriptor
    private let desk: AgentQueue
    /// Its wishes for session agents.
    let seats: SessionSeats
    private var agent: ChildProcess?
    private var backoff = Backoff()
    /// When the agent that it wants is started.
    private var nextAgent = Deadline.never
    /// When it is ended by force.
    private var farewell = Deadline.never

    /// How long it may go on without a daemon: milliseconds.
    private static let longestFarewell = 3000

    /// When there is something to do.
    var deadline: Deadline { min(nextAgent, farewell, seats.due) }

    /// The user whose sessions its agent watches: the first wish says who, before the enclave has read anything of its
    /// daemon's. One in wrong hands gets nobody else's agents by another.
    private var user: UInt32??

    /// Starts it.
    ///
    /// - Throws: `SystemError` of `posix_spawn`.
    init(_ program: String, _ arguments: [String], _ connection: UnixSocket) throws(SystemError) {
        let (ours, theirs) = try UnixSocket.pair()
        let (seats, wishes) = try SessionSeats.make()
        let first = ChildProcess.firstDescriptor
        process = try ChildProcess.start(
            program,
            arguments + ["--channel", "\(first)", "--agents", "\(first + 1)", "--session-agents", "\(first + 2)"],
            handing: [connection.descriptor, theirs.descriptor, wishes.descriptor])
        self.seats = seats
        (self.connection, requests, desk) = (connection.descriptor, ours.descriptor, AgentQueue(ours))
        do throws(SystemError) { end = try process.endDescriptor() } catch {
            process.reap(timeout: 0)
            throw error
        }
    }

    /// Reads its requests; false when no more will come.
    func hear() -> Bool {
        do throws(SystemError) {
            if let wish = try desk.wish() {
                guard user == nil || user == .some(wish.user) else { return false }
                user = .some(wish.user)
                dismissAgent()
                nextAgent = backoff.end()
            }
            return true
        } catch { return false }
    }

    /// Reads its wishes for session agents; false when no more will come. It gets the agents of one user alone, whose
    /// number its first wish for an agent has; the system's keychain gets none.
    func hearOfSessions() -> Bool { seats.hear(of: user ?? nil) }

    /// Its daemon has gone.
    func beLeft() { farewell = .after(milliseconds: Self.longestFarewell) }

    /// Does the work that is due.
    ///
    /// - Parameter start: starts an agent that watches the sessions of a user.
    /// - Throws: `SystemError` of `sendmsg`: the enclave goes on without the agent that was started.
    func look(_ start: (UInt32?) -> (UnixSocket, ChildProcess)?) throws(SystemError) {
        if farewell.hasPassed {
            farewell = .never
            // Its end is seen in the next turn.
            process.kill()
        }
        guard nextAgent.hasPassed else { return }
        nextAgent = .never
        backoff.begin()
        let started = start(user ?? nil)
        agent = started?.1
        do throws(SystemError) { try desk.giveOrDeny(started?.0) } catch {
            dismissAgent()
            // The end of an enclave is seen elsewhere.
            if error.code != EPIPE { throw error }
        }
    }

    /// Lets the system forget it, and its agent.
    func bury(timeout: Int) {
        process.reap(timeout: timeout)
        dismissAgent()
        seats.end()
    }

    private func dismissAgent() {
        agent?.reap(timeout: 0)
        agent = nil
    }
}
