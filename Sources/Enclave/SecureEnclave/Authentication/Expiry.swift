import KeychainWire

/// When a grant ends: at another boot, at another generation of the device's state, or at a moment on the clock that
/// nobody can set.
struct Expiry: Sendable {
    private let boot: String
    private let generation: UInt64
    private let seconds: UInt64

    init(after lifetime: UInt64, from now: Grants.Now) {
        (boot, generation) = (now.moment.boot, now.generation)
        let (sum, isTooLate) = now.moment.seconds.addingReportingOverflow(lifetime)
        seconds = isTooLate ? now.moment.seconds : sum
    }

    func isAhead(of now: Grants.Now) -> Bool {
        now.moment.boot == boot && now.generation == generation && now.moment.seconds < seconds
    }
}
