import Glibc
import LinuxSystem

/// A pinentry that runs, ended with this object. Belongs to one thread.
final class Pinentry {
    /// Why there is no answer.
    enum Failure: Error, Equatable {
        /// It cannot be started, has ended, or does not speak the protocol.
        case broken
        case timedOut
        case withdrawn
        /// It said no, with this number (libgpg-error).
        case refused(UInt32)

        init(_ error: SystemError) { self = error.code == ETIMEDOUT ? .timedOut : .broken }
    }

    /// libgpg-error's numbers for a user's actions.
    static let canceled: Set<UInt32> = [99, 198]
    static let notConfirmed: UInt32 = 114
    static let timeout: UInt32 = 62

    /// Ready for reading when it has said something.
    let output: FileDescriptor
    private let input: FileDescriptor
    private let process: ChildProcess
    private let withdrawal: FileDescriptor
    private let deadline: Deadline
    private var received = SecretBuffer(capacity: 256)

    /// The most that is read ahead, and the longest secret with its encoding.
    private static let chunk = 2048
    private static let dataLimit = 16 << 10
    /// The most lines before an `OK`: a pinentry that talks on and on would never be found late.
    private static let lineLimit = 1000
    /// How long a pinentry may take to greet and to take its instructions: milliseconds.
    private static let setupTimeout = 10_000

    /// Starts it and waits for its greeting.
    ///
    /// - Parameters:
    ///   - withdrawal: ends all waiting when it is ready for reading.
    ///   - deadline: when all waiting ends.
    init(
        _ program: String, environment: [String: String], deadline: Deadline, withdrawal: FileDescriptor
    ) throws(Failure) {
        do throws(SystemError) {
            (process, input, output) = try Self.start(program, environment)
        } catch { throw .broken }
        (self.deadline, self.withdrawal) = (deadline, withdrawal)
        do throws(Failure) { try takeReply() } catch {
            end()
            throw error
        }
    }

    /// Its ends of the pipes are closed here on return, so that its death closes the last ones.
    private static func start(
        _ program: String, _ environment: [String: String]
    ) throws(SystemError) -> (ChildProcess, input: FileDescriptor, output: FileDescriptor) {
        let (theirInput, input) = try FileDescriptor.pipe()
        let (output, theirOutput) = try FileDescriptor.pipe()
        try input.setNonBlocking()
        try output.setNonBlocking()
        let process = try ChildProcess.start(
            program, [], environment: environment, input: theirInput, output: theirOutput)
        return (process, input, output)
    }

    deinit { end() }

    private func end() {
        process.kill()
        process.reap()
    }

    private var setupDeadline: Deadline { min(deadline, .after(milliseconds: Self.setupTimeout)) }

    /// Sends a command whose reply needs no user.
    func set(_ command: String, _ argument: String = "") throws(Failure) {
        try send(command, argument)
        try takeReply()
    }

    /// Reads a reply that needs no user. A pinentry that does not send it does not work.
    private func takeReply() throws(Failure) {
        do throws(Failure) { _ = try reply(by: setupDeadline) } catch {
            throw error == .timedOut && !deadline.hasPassed ? .broken : error
        }
    }

    /// The same for one that not every pinentry knows; whether this one does.
    @discardableResult
    func offer(_ command: String, _ argument: String) throws(Failure) -> Bool {
        do throws(Failure) {
            try set(command, argument)
            return true
        } catch {
            guard case .refused = error else { throw error }
            return false
        }
    }

    /// Says something, without waiting for a reply.
    func send(_ command: String, _ argument: String = "") throws(Failure) {
        let line = Array(command.utf8) + (argument.isEmpty ? [] : [0x20] + AssuanLine.encoded(argument)) + [0x0A]
        guard line.count <= AssuanLine.limit else { throw .broken }
        do throws(SystemError) { try input.writeFully(line.span, deadline: setupDeadline) } catch {
            throw Failure(error)
        }
    }

    /// The lines before an `OK`.
    struct Reply {
        let data = SecretBuffer(capacity: 64)
        var statuses: Set<String> = []
    }

    /// Waits until it says `OK`.
    func reply(by deadline: Deadline? = nil) throws(Failure) -> Reply {
        var reply = Reply()
        for _ in 0..<Self.lineLimit {
            switch try line(by: deadline ?? self.deadline) {
            case .ok: return reply
            case .error(let number): throw .refused(number)
            case .data(let data):
                guard reply.data.count + data.count <= Self.dataLimit else { throw .broken }
                data.withSpan { reply.data.append($0) }
            case .status(let name): reply.statuses.insert(name)
            case .comment: break
            }
        }
        throw .broken
    }

    /// The next line, waited for.
    private func line(by deadline: Deadline) throws(Failure) -> AssuanLine {
        while true {
            if let line = try bufferedLine() { return line }
            do throws(SystemError) {
                let ready = try FileDescriptor.waitForAny(of: [withdrawal, output], deadline: deadline)
                if ready == 0 { throw SystemError(code: ECANCELED, call: "poll") }
                try receive()
            } catch { throw error.code == ECANCELED ? .withdrawn : Failure(error) }
        }
    }

    private func receive() throws(SystemError) {
        let chunk = SecretBytes(count: Self.chunk)
        let count = try chunk.withMutableSpan { (span) throws(SystemError) in try output.read(into: &span) }
        if count == 0 { throw SystemError(code: EPIPE, call: "read") }
        chunk.withSpan { received.append($0.extracting(..<(count ?? 0))) }
    }

    private func bufferedLine() throws(Failure) -> AssuanLine? {
        let end = received.withSpan { span in span.indices.first { span[$0] == 0x0A } }
        guard let end else {
            guard received.count <= AssuanLine.limit else { throw .broken }
            return nil
        }
        let line = received.withSpan { SecretBytes(copying: $0.extracting(..<end)) }
        let rest = SecretBuffer(capacity: 256)
        received.withSpan { rest.append($0.extracting((end + 1)...)) }
        received = rest
        guard let parsed = AssuanLine(line) else { throw .broken }
        return parsed
    }
}
