import KeychainPolicy
import LinuxSystem

/// How fast one program may ask, over all of its connections: a bucket of requests that fills again at a steady rate.
///
/// The server does not refuse a fast program. It reads that program's connections later, so that a burst takes longer
/// and nothing fails. Requests that the loop does not read stay with the program.
final class RequestRateLimit: Sendable {
    private struct Bucket {
        var requests: Double
        var filled: UInt64
    }

    /// As many as are refilled at once: to wait for each single one would cost more than to answer it.
    private static let step = 1_000_000 as UInt64
    private let rate: Double
    private let bucket: Lock<Bucket>
    private let clock: @Sendable () -> UInt64

    /// - Parameters:
    ///   - rate: requests a second; so many may also come at once.
    ///   - clock: nanoseconds; it never goes back.
    init(_ rate: Int, clock: @escaping @Sendable () -> UInt64 = { Clock.monotonicNanoseconds }) {
        (self.rate, self.clock) = (Double(rate), clock)
        bucket = Lock(Bucket(requests: Double(rate), filled: clock()))
    }

    /// Whether another request may be looked at now.
    var isExhausted: Bool {
        bucket.withLock { bucket in
            if bucket.requests >= 1 { return false }
            fill(&bucket)
            return bucket.requests < 1
        }
    }

    /// A request was taken.
    func spend() { bucket.withLock { $0.requests -= 1 } }

    /// When it is worth looking again.
    var nextFill: Deadline {
        .after(milliseconds: max(Int(Self.step / 1_000_000), Int((1000 / rate).rounded(.up))))
    }

    /// Whether all of the allowance is there: forgotten and begun again, the limit would be the same.
    fileprivate var isRested: Bool {
        bucket.withLock { bucket in
            fill(&bucket)
            return bucket.requests >= rate
        }
    }

    private func fill(_ bucket: inout Bucket) {
        let now = clock()
        let passed = now - min(bucket.filled, now)
        bucket.requests = min(rate, bucket.requests + rate * Double(passed) / 1e9)
        bucket.filled = now
    }
}

/// The rate limits of the programs that are connected, or were until lately: who leaves and comes back gains nothing by
/// it.
final class RequestPaces: Sendable {
    private let rate: Int
    private let rateLimits = Lock<[Owner: RequestRateLimit]>([:])

    /// A program of one user: another's has its own limit.
    private struct Owner: Hashable {
        let user: UInt32
        let name: String
    }

    init(_ rate: Int) { self.rate = rate }

    /// The rate limit of a program, shared with its other connections; nil where there is no limit.
    func rateLimit(of caller: CallerIdentity) -> RequestRateLimit? {
        guard rate > 0 else { return nil }
        let owner = Owner(user: caller.user, name: caller.owner)
        return rateLimits.withLock { rateLimits in
            if let rateLimit = rateLimits[owner] { return rateLimit }
            Self.forget(&rateLimits)
            let rateLimit = RequestRateLimit(rate)
            rateLimits[owner] = rateLimit
            return rateLimit
        }
    }

    /// Forgets the limits that no connection has and that are as good as new.
    private static func forget(_ rateLimits: inout [Owner: RequestRateLimit]) {
        for owner in Array(rateLimits.keys) where isKnownUniquelyReferenced(&rateLimits[owner]) {
            if rateLimits[owner]?.isRested == true { rateLimits[owner] = nil }
        }
    }
}
