import LinuxSystem

/// The measurement of one round of one side of a comparison.
typealias Sample = () throws -> Double

/// Two sides measured by turns: what a shared machine does to one round it does to both halves of it, so only the ratio
/// within a round means anything.
struct Comparison {
    /// Medians of all rounds.
    let ours: Double
    let floor: Double
    /// The median of the rounds' own ratios, ours to the floor.
    let ratio: Double

    init(rounds: Int, ours: Sample, floor: Sample) throws {
        var pairs: [(ours: Double, floor: Double)] = []
        // The first round warms caches and connections.
        for round in 0...rounds {
            // The second side finds a warmer machine, so the two take turns.
            let isFirst = round.isMultiple(of: 2)
            let early = try isFirst ? ours() : floor()
            let late = try isFirst ? floor() : ours()
            if round > 0 { pairs.append(isFirst ? (early, late) : (late, early)) }
        }
        self.ours = pairs.map(\.ours).median
        self.floor = pairs.map(\.floor).median
        ratio = pairs.map { $0.ours / $0.floor }.median
    }
}

extension [Double] {
    /// The middle one; the upper of two.
    var median: Double { sorted()[count / 2] }
}

/// How long an operation takes, in nanoseconds: the median of `count` calls, which are numbered on through all rounds.
func medianTime(of count: Int, _ operation: @escaping (Int) throws -> Void) -> Sample {
    var next = 0
    return {
        var times: [Double] = []
        times.reserveCapacity(count)
        for _ in 0..<count {
            let start = Clock.monotonicNanoseconds
            try operation(next)
            times.append(Double(Clock.monotonicNanoseconds - start))
            next += 1
        }
        return times.median
    }
}

/// How long something takes that is done once a round, in nanoseconds.
func time(of operation: () throws -> Void) rethrows -> Double {
    let start = Clock.monotonicNanoseconds
    try operation()
    return Double(Clock.monotonicNanoseconds - start)
}
