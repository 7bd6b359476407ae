package import KeychainModel
import KeychainPolicy
import LinuxSystem

/// The threads of the identifier that inspect programs, for all daemons.
///
/// A user decides what the program's file lies on, and a file system can answer never: the thread that looks at such a
/// file is lost for as long as it does. So few threads are a user's at a time, whichever daemons ask: who has lost them
/// waits behind their own programs alone, and others' are looked at meanwhile.
package final class ProgramInspections: Sendable {
    /// The daemon and the user that an inspection is for.
    package enum Asker: Hashable, Sendable {
        /// The maker of a connection, by the kernel's word, or the owner of the keychain that asks.
        case user(UInt32)
        /// The caller by a daemon's word.
        case said(UInt32)
    }

    /// How much may be under way and wait.
    package struct Limits: Sendable {
        /// Inspections for one user that are under way.
        package var ofUser = 2
        /// Inspections for one user that wait for those: a daemon has no more than a few of its users' questions open.
        package var waitingOfUser = 32
        /// The inspections for one daemon, running and waiting. A session that takes over its own leaves those of the
        /// others.
        package var ofDaemon = 128
        /// Inspections that are under way in all.
        package var all = 512
        /// An inspection that has taken this many milliseconds has stalled, and nothing more waits behind it. A large
        /// program on a slow disk takes less.
        package var stallTimeout = 5000
        /// How long an answer is waited for: milliseconds. A large program is read from a slow disk.
        package var timeout = ProgramInspections.timeout

        package init() {}
    }

    /// How long a daemon waits for an answer: milliseconds.
    package static let timeout = 20_000
    /// Threads that wait for the next inspection.
    private static let mostIdle = 2

    private final class Inspection: Sendable {
        let number: UInt64
        let asker: Asker
        let daemon: ObjectIdentifier
        /// Taken out to be run: its files are closed by the thread that looks at them, before it says that it has, for
        /// that can take as long.
        private let body: Lock<(@Sendable () -> Void)?>

        init(_ number: UInt64, _ asker: Asker, _ daemon: ObjectIdentifier, _ body: @escaping @Sendable () -> Void) {
            (self.number, self.asker, self.daemon) = (number, asker, daemon)
            self.body = Lock(body)
        }

        func run() { body.withLock { $0.take() }?() }
    }

    /// An inspection that is under way.
    private struct Running {
        let asker: Asker
        let daemon: ObjectIdentifier
        let start = Clock.monotonicNanoseconds

        /// How long it has been: milliseconds.
        var age: Int { Int((Clock.monotonicNanoseconds - start) / 1_000_000) }
    }

    private struct State {
        var waiting: [Inspection] = []
        var running: [UInt64: Running] = [:]
        var begun: [Asker: Int] = [:]
        var next: UInt64 = 0
        var threads = 0
        var isClosed = false
    }

    private let state = Monitor(State())
    private let limits: Limits

    package init(_ limits: Limits = Limits()) { self.limits = limits }

    /// Whether all that may be under way is, and nobody waits for the end of any of it: only the end of the process
    /// gives that back.
    package var isExhausted: Bool {
        state.update { state in
            state.running.count >= limits.all && state.running.values.allSatisfy { $0.age > limits.timeout }
        }
    }

    /// Inspects a program on a thread that may be lost by it, when it is its user's turn.
    ///
    /// - Parameter daemon: stands for the asking daemon.
    /// - Throws: `errSecNotAvailable` when too much is under way for that user already, or there can be no further
    ///   thread.
    package func enqueue(
        for asker: Asker, of daemon: AnyObject, _ body: @escaping @Sendable () -> Void
    ) throws(Refusal) {
        let (number, needsThread) = try state.update { state throws(Refusal) in
            try admit(asker, ObjectIdentifier(daemon), in: state)
            state.next += 1
            state.waiting.append(Inspection(state.next, asker, ObjectIdentifier(daemon), body))
            let needsThread = state.threads < state.running.count + due(in: state)
            if needsThread { state.threads += 1 }
            return (state.next, needsThread)
        }
        if needsThread { try startThread(for: number) }
    }

    /// No more inspections are begun, and the threads that wait for one end.
    package func close() { state.update { ($0.isClosed, $0.waiting) = (true, []) } }

    private func admit(_ asker: Asker, _ daemon: ObjectIdentifier, in state: State) throws(Refusal) {
        let own = state.running.values.filter { $0.asker == asker }
        if own.count >= limits.ofUser, own.allSatisfy({ $0.age > limits.stallTimeout }) { throw .stalledInspections }
        let ofDaemon = state.waiting.count { $0.daemon == daemon } + state.running.values.count { $0.daemon == daemon }
        let ofUser = own.count + state.waiting.count { $0.asker == asker }
        guard ofUser < limits.ofUser + limits.waitingOfUser, ofDaemon < limits.ofDaemon else {
            throw .tooManyInspections
        }
    }

    /// How many of those that wait could be under way.
    private func due(in state: State) -> Int {
        var begun = state.begun
        var count = 0
        for inspection in state.waiting where begun[inspection.asker, default: 0] < limits.ofUser {
            begun[inspection.asker, default: 0] += 1
            count += 1
        }
        return min(count, limits.all - state.running.count)
    }

    private func startThread(for number: UInt64) throws(Refusal) {
        do throws(SystemError) {
            _ = try Thread(named: "identifier-look") { [self] in
                while let inspection = begin() {
                    inspection.run()
                    end(inspection)
                }
            }
        } catch {
            let wasWaiting = state.update { state in
                state.threads -= 1
                defer { state.waiting.removeAll { $0.number == number } }
                return state.waiting.contains { $0.number == number }
            }
            // Another thread may have taken it meanwhile.
            if wasWaiting { throw .noThread(error) }
        }
    }

    /// Waits for the next inspection that may be begun; nil when there are threads enough without this one.
    private func begin() -> Inspection? {
        state.wait { state -> Inspection?? in
            if let inspection = take(from: &state) { return .some(inspection) }
            guard state.isClosed || state.threads - state.running.count > Self.mostIdle else { return nil }
            state.threads -= 1
            return .some(nil)
        } ?? nil
    }

    private func take(from state: inout State) -> Inspection? {
        guard state.running.count < limits.all,
            let index = state.waiting.firstIndex(where: { state.begun[$0.asker, default: 0] < limits.ofUser })
        else { return nil }
        let inspection = state.waiting.remove(at: index)
        state.running[inspection.number] = Running(asker: inspection.asker, daemon: inspection.daemon)
        state.begun[inspection.asker, default: 0] += 1
        return inspection
    }

    private func end(_ inspection: Inspection) {
        state.update { state in
            state.running[inspection.number] = nil
            let left = state.begun[inspection.asker, default: 0] - 1
            state.begun[inspection.asker] = left > 0 ? left : nil
        }
    }
}

extension Refusal {
    fileprivate static let stalledInspections = refused(
        "The files of other programs of this user are not read in time: their file system does not answer.",
        do: "End those programs, or what serves their file system, and try again.")
    fileprivate static let tooManyInspections = refused(
        "Too many programs of this user are being identified.", do: "Try again in a moment.")
    fileprivate static func noThread(_ error: SystemError) -> Refusal {
        refused("The identifier cannot look at another program now: \(error).", do: "Try again in a moment.")
    }

    private static func refused(_ problem: String, do remedy: String) -> Refusal {
        Refusal(.notAvailable, .unidentifiedCaller, "program", problem, do: remedy)
    }
}
