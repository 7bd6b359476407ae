import KeychainPolicy
import LinuxSystem

/// How fast one program may ask, over all of its connections: a bucket of requests that fills again at a steady rate.
///
/// Who is faster is not refused: its connections are read from later, so that a burst takes longer and nothing fails. What the
/// loop does not read stays with the program.
final class RequestPace: Sendable {
    private struct Bucket {
        var requests: Double
        var filled: UInt64
    }

    /// As many as are refilled at once: to wait for each single one would cost more than to answer it.
    private static let step = 1_000_000 as UInt64
    private let rate: Double
    private let bucket: Lock<Bucket>

    /// - Parameter rate: requests a second; so many may also come at once.
    init(_ rate: Int) {
        self.rate = Double(rate)
        bucket = Lock(Bucket(requests: Double(rate), filled: Clock.monotonicNanoseconds))
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

    /// Whether all of the allowance is there: forgotten and begun anew, the pace would be the same.
    fileprivate var isRested: Bool {
        bucket.withLock { bucket in
            fill(&bucket)
            return bucket.requests >= rate
        }
    }

    private func fill(_ bucket: inout Bucket) {
        let now = Clock.monotonicNanoseconds
        let passed = now - min(bucket.filled, now)
        bucket.requests = min(rate, bucket.requests + rate * Double(passed) / 1e9)
        bucket.filled = now
    }
}

/// The paces of the programs that are connected, or were until lately: who leaves and comes back gains nothing by it.
final class RequestPaces: Sendable {
    private let rate: Int
    private let paces = Lock<[Owner: RequestPace]>([:])

    /// A program of one user: another's has its own pace.
    private struct Owner: Hashable {
        let user: UInt32
        let name: String
    }

    init(_ rate: Int) { self.rate = rate }

    /// The pace of a program, shared with its other connections; nil where there is no limit.
    func pace(of caller: CallerIdentity) -> RequestPace? {
        guard rate > 0 else { return nil }
        let owner = Owner(user: caller.user, name: caller.owner)
        return paces.withLock { paces in
            if let pace = paces[owner] { return pace }
            Self.forget(&paces)
            let pace = RequestPace(rate)
            paces[owner] = pace
            return pace
        }
    }

    /// Forgets the paces that no connection has and that would be the same anew.
    private static func forget(_ paces: inout [Owner: RequestPace]) {
        for owner in Array(paces.keys) where isKnownUniquelyReferenced(&paces[owner]) {
            if paces[owner]?.isRested == true { paces[owner] = nil }
        }
    }
}
