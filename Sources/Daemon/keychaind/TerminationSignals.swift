import Glibc
import KeychainModel
import KeychainServer
import LinuxSystem

/// The signals that end the daemon. They are blocked in all threads and waited for in one, so that no code runs inside
/// of a signal handler. The enclave inherits the block: a Ctrl-C for both must not end it before the daemon has
/// finished.
struct TerminationSignals {
    private let signals = SignalWaiter([SIGTERM, SIGINT, SIGHUP, SIGCHLD])

    /// Blocks the signals; to be made before the first thread.
    init() {
        // A log that nobody reads any more is no reason to end.
        signal(SIGPIPE, SIG_IGN)
    }

    /// Waits until a signal asks for the end, or nobody has been connected for `idleExit` seconds.
    ///
    /// - Parameters:
    ///   - idleExit: asked at the beginning and after every look; nil for as long as there is a daemon.
    ///   - isPassing: it does not matter whether somebody is connected.
    ///   - mayEnd: asked then; when it says no, it is asked again a second later.
    ///   - look: called `firstLook` seconds after the beginning, and then after as many seconds as it said.
    /// - Throws: `errSecNotAvailable` when the enclave's process has ended. Without it the daemon can do nothing; the
    ///   next client starts both afresh.
    func wait(
        idleExit: () -> UInt64?, of server: KeychainServer, isPassing: Bool = false,
        mayEnd: (_ vacancy: () -> UInt64) -> Bool = { _ in true },
        firstLook: UInt64 = 60, look: () -> UInt64 = { 600 }
    ) throws(Refusal) {
        let second: UInt64 = 1_000_000_000
        var timeout = idleExit().map { $0 * second }
        let start = Clock.monotonicNanoseconds
        let rested = { isPassing ? Clock.monotonicNanoseconds - start : server.vacancy ?? 0 }
        var nextLook = Clock.monotonicNanoseconds + firstLook * second
        while true {
            if Clock.monotonicNanoseconds >= nextLook {
                nextLook = Clock.monotonicNanoseconds + look() * second
                timeout = idleExit().map { $0 * second }
            }
            let vacancy = rested()
            if let timeout, vacancy >= timeout, mayEnd(rested) { return }
            let rest = nextLook - min(nextLook, Clock.monotonicNanoseconds)
            let limit = min(rest, timeout.map { $0 > vacancy ? $0 - vacancy : second } ?? rest)
            switch signals.wait(deadline: .after(microseconds: Int(limit / 1000))) {
            case nil: continue
            case SIGCHLD: throw .enclaveEnded
            default: return
            }
        }
    }
}

extension Refusal {
    fileprivate static let enclaveEnded = Refusal(
        .notAvailable, .unavailable, "enclave", "The process that holds the keys has ended.",
        do: "Nothing: the next program that needs the keychain starts it again.")
}
