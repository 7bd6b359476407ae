package import KeychainModel
import LinuxSystem

/// Why this process no longer uses a store; shared by all connections of an ``ItemStore``.
///
/// After a failed write or sync the kernel may hold pages that the disk has not, and says so once. This process can
/// then not trust its view of the log: it refuses everything and ends, and the next start recovers from what the disk
/// has.
package final class StoreFailure: Sendable {
    private struct State {
        var first: Refusal?
        var onFailure: (@Sendable (Refusal) -> Void)?
    }

    private let state = Lock(State())

    /// The failure that ended the use of the store; nil while all is well.
    package var first: Refusal? { state.withLock { $0.first } }

    /// Has something done when the store fails, once.
    package func whenItHappens(_ body: @escaping @Sendable (Refusal) -> Void) { state.withLock { $0.onFailure = body } }

    /// - Throws: the refusal of everything once the store has failed.
    func check() throws(Refusal) {
        if let first { throw first }
    }

    /// Notes what ended the use of the store; only the first counts.
    func note(_ cause: Refusal) {
        let tell = state.withLock { state -> (@Sendable (Refusal) -> Void)? in
            guard state.first == nil else { return nil }
            state.first = cause.endingUse
            return state.onFailure
        }
        tell?(cause)
    }
}

extension Refusal {
    /// The answer to later requests.
    fileprivate var endingUse: Refusal {
        Refusal(
            status, .unavailable, "store", "This process no longer uses the store since an error: \(problem)",
            do: "\(remedy) Start the program again; the keychain recovers from what the disk has.")
    }
}
