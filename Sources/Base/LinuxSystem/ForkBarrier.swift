import Glibc

/// Keeps this process from being forked while a thread of the library's own is at work in something that a child must be able
/// to take leave of.
///
/// Whoever calls `fork` waits, so what is done behind the barrier has to be short. A process that is forked without the C
/// library (`clone`) passes it.
package enum ForkBarrier {
    private static let lock = Lock(())
    private static let isRaised = pthread_atfork({ lock.lock() }, { lock.unlock() }, { lock.unlock() }) == 0

    /// Runs `body` before or after a fork, not during one.
    package static func withoutForks<Result>(_ body: () -> sending Result) -> sending Result {
        // When there was no room for it, a child that comes at the wrong moment is refused the keychain.
        _ = isRaised
        return lock.withLock { _ in body() }
    }
}
