import Glibc
import KeychainMaster
import LinuxSystem

/// A process of the system service, as its supervisor sees it: it ends when its lifeline does.
final class SupervisedProcess {
    let name: String
    private let program: String
    private let arguments: [String]
    /// Whether it gives signs of life.
    private let beats: Bool
    /// Where it listens.
    private let socket: String
    /// Whether it is started only when no other one listens there.
    private let isAlone: Bool
    private var running: (process: ChildProcess, lifeline: UnixSocket, end: FileDescriptor)?
    /// Readable when the process has ended that listens in its place.
    private var other: FileDescriptor?
    private var backoff = Backoff()
    /// When it is to be started again, or looked at for signs of life.
    private(set) var deadline = Deadline.never
    /// When it is taken for stopped.
    private var silence = Deadline.never

    /// How long to wait for a connection to what may listen there already: milliseconds.
    private static let longestConnect = 1000
    /// How long to wait before looking again whether another one listens: microseconds.
    private static let pause: UInt32 = 100_000
    /// How long it may take to end: milliseconds. The master lets its daemons finish their requests.
    private static let endTimeout = 30_000

    /// - Parameters:
    ///   - socket: where it listens; while another service's process does, it is not started.
    ///   - beats: whether it gives signs of life.
    ///   - isAlone: whether nothing works as long as another service's process listens there, whose end is waited for.
    init(
        _ name: String, _ program: String, _ arguments: [String], at socket: String, beats: Bool = false,
        isAlone: Bool = false
    ) {
        (self.name, self.program, self.arguments) = (name, program, arguments)
        (self.socket, self.beats, self.isAlone) = (socket, beats, isAlone)
    }

    /// Readable when there is something to look at. Its words do not count: it may repeat them as often as it likes.
    var descriptors: [FileDescriptor] { [running?.end ?? other].compactMap(\.self) }

    /// Starts it, unless another one listens already; it is started when that has ended, for it may just be ending.
    ///
    /// - Parameter timeout: how long to wait until it serves: milliseconds.
    /// - Returns: whether it does.
    /// - Throws: `SystemError` of `posix_spawn`.
    func start(timeout milliseconds: Int) throws(SystemError) -> Bool {
        if isAlone { awaitOther() } else if leavesToOther() { return true }
        let (reader, writer) = try FileDescriptor.pipe()
        try launch(writer)
        var byte: [UInt8] = [0]
        var span = byte.mutableSpan
        do throws(SystemError) {
            return try reader.readFully(into: &span, deadline: .after(milliseconds: milliseconds)) == 1
        } catch {
            guard error.code == ETIMEDOUT else { throw error }
            return false
        }
    }

    /// Waits for the end of another one, which finishes its work. One that does not end is named by this one when it
    /// cannot listen.
    private func awaitOther() {
        let end = Deadline.after(milliseconds: Self.endTimeout)
        while leavesToOther(), !end.hasPassed { usleep(Self.pause) }
        (other, deadline) = (nil, .never)
    }

    /// Whether a process listens in its place; it is watched from now on.
    private func leavesToOther() -> Bool {
        guard let connection = try? UnixSocket.connect(to: socket, deadline: .after(milliseconds: Self.longestConnect))
        else { return false }
        do throws(SystemError) { other = try PeerCredentials(of: connection).processDescriptor } catch {
            // It has ended meanwhile, which is looked at again soon; or this machine does not show it.
            if error.code == ESRCH { deadline = .after(milliseconds: Self.longestConnect) }
        }
        return true
    }

    private func launch(_ ready: consuming FileDescriptor) throws(SystemError) {
        let (ours, theirs) = try UnixSocket.pair()
        let first = ChildProcess.firstDescriptor
        let process = try ChildProcess.start(
            program, arguments + ["--until", "\(first)", "--ready-fd", "\(first + 1)"],
            handing: [theirs.descriptor, ready])
        backoff.begin()
        running = (process, ours, try process.endDescriptor())
        silence = beats ? .after(milliseconds: Watchdog.timeout) : .never
        deadline = beats ? .after(milliseconds: Watchdog.interval) : .never
    }

    /// Looks whether it has ended or stopped, and starts it again when that is due.
    func look(_ log: (String) -> Void) {
        if let running, hasEnded(running.end) {
            running.process.reap(timeout: 0)
            self.running = nil
            deadline = backoff.end()
            log("\(name) has ended, and is started again")
        }
        if let other, hasEnded(other) { (self.other, deadline) = (nil, .now) }
        guard deadline.hasPassed else { return }
        if let running { return listen(to: running.process, running.lifeline, log) }
        deadline = .never
        if leavesToOther() { return }
        do throws(SystemError) { try launch(try FileDescriptor.open("/dev/null", O_WRONLY)) } catch {
            deadline = backoff.end()
            log("\(name) cannot be started: \(error)")
        }
    }

    /// Looks for signs of life every few seconds, however many there are.
    private func listen(to process: ChildProcess, _ lifeline: UnixSocket, _ log: (String) -> Void) {
        deadline = .after(milliseconds: Watchdog.interval)
        if hear(lifeline) { silence = .after(milliseconds: Watchdog.timeout) }
        guard silence.hasPassed else { return }
        log("\(name) has stopped, and is ended")
        // Its end is seen in the next turn.
        (deadline, silence) = (.never, .never)
        process.kill()
    }

    /// Ends it; false when it failed. One that does not run has been told of already.
    func end() -> Bool {
        guard let running else { return true }
        self.running = nil
        shutdown(running.lifeline.descriptor.number, CInt(SHUT_RDWR))
        return running.process.reap(timeout: Self.endTimeout) == 0
    }

    private func hasEnded(_ end: FileDescriptor) -> Bool { (try? end.wait(for: .readable, deadline: .now)) != nil }

    /// Whether it has given a sign of life since it was heard last. Its words are dropped, but no more than there
    /// can have been: one that goes on and on keeps nobody here.
    private func hear(_ lifeline: UnixSocket) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var span = bytes.mutableSpan
        var hasSpoken = false
        for _ in 0..<64 {
            guard let count = try? lifeline.receiveAtOnce(into: &span), count > 0 else { break }
            hasSpoken = true
        }
        return hasSpoken
    }
}
