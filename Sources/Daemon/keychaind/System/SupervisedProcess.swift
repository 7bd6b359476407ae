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
    private var running: (process: ChildProcess, lifeline: UnixSocket, end: FileDescriptor)?
    private var backoff = Backoff()
    /// When it is to be started again, or to be taken for stopped.
    private(set) var patience = Deadline.never

    init(_ name: String, _ program: String, _ arguments: [String], beats: Bool = false) {
        (self.name, self.program, self.arguments, self.beats) = (name, program, arguments, beats)
    }

    /// What is readable when there is something to look at.
    var descriptors: [FileDescriptor] { running.map { beats ? [$0.end, $0.lifeline.descriptor] : [$0.end] } ?? [] }

    /// Starts it.
    ///
    /// - Parameter patience: how long to wait until it serves: milliseconds.
    /// - Returns: whether it does.
    /// - Throws: `SystemError` of `posix_spawn`.
    func start(patience milliseconds: Int) throws(SystemError) -> Bool {
        let (reader, writer) = try FileDescriptor.pipe()
        try launch(writer)
        var byte: [UInt8] = [0]
        var span = byte.mutableSpan
        return try reader.readFully(into: &span, deadline: .after(milliseconds: milliseconds)) == 1
    }

    private func launch(_ ready: consuming FileDescriptor) throws(SystemError) {
        let (ours, theirs) = try UnixSocket.pair()
        let first = ChildProcess.firstDescriptor
        let process = try ChildProcess.start(
            program, arguments + ["--until", "\(first)", "--ready-fd", "\(first + 1)"],
            handing: [theirs.descriptor, ready])
        backoff.begin()
        running = (process, ours, try process.endDescriptor())
        patience = beats ? .after(milliseconds: Watchdog.patience) : .never
    }

    /// Looks whether it has ended or stopped, and starts it again when that is due.
    func look(_ log: (String) -> Void) {
        if let running, hasEnded(running.end) {
            running.process.reap(patience: 0)
            self.running = nil
            patience = backoff.end()
            log("\(name) has ended, and is started again")
        }
        if let running, beats, hear(running.lifeline) { patience = .after(milliseconds: Watchdog.patience) }
        guard patience.hasPassed else { return }
        if let running {
            log("\(name) has stopped, and is ended")
            // Its end is seen in the next turn.
            patience = .never
            return running.process.kill()
        }
        do throws(SystemError) { try launch(try FileDescriptor.open("/dev/null", O_WRONLY)) } catch {
            patience = backoff.end()
            log("\(name) cannot be started: \(error)")
        }
    }

    /// Ends it; false when it failed. One that does not run has been told of already.
    func end(patience milliseconds: Int) -> Bool {
        guard let running else { return true }
        self.running = nil
        shutdown(running.lifeline.descriptor.number, CInt(SHUT_RDWR))
        return running.process.reap(patience: milliseconds) == 0
    }

    private func hasEnded(_ end: FileDescriptor) -> Bool { (try? end.wait(for: .readable, deadline: .now)) != nil }

    /// Whether it has given a sign of life.
    private func hear(_ lifeline: UnixSocket) -> Bool {
        var bytes = [UInt8](repeating: 0, count: 64)
        var span = bytes.mutableSpan
        guard let arrival = try? lifeline.receiveAttached(into: &span) else { return false }
        return arrival.count > 0
    }
}
