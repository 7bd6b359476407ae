/// How often lines of one kind are written to a log: ten at once, then one a second.
package struct LogRateLimit: Sendable {
    private static let burst = 10.0
    private var credit = burst
    private var last: UInt64 = 0
    private var passed = 0

    package init() {}

    /// Whether a line may be written now; then how many were passed over before it.
    package mutating func admit() -> Int? {
        fill()
        guard credit >= 1 else {
            passed += 1
            return nil
        }
        credit -= 1
        defer { passed = 0 }
        return passed
    }

    /// Whether nothing is kept back: forgotten and begun again, the limit would be the same.
    fileprivate mutating func isRested() -> Bool {
        fill()
        return credit == Self.burst && passed == 0
    }

    private mutating func fill() {
        let now = Clock.monotonicNanoseconds
        credit = min(Self.burst, credit + Double(now - min(last, now)) / 1e9)
        last = now
    }
}

/// How often lines are written that users cause.
package typealias LogPaces = LogPacesOfCallers<UInt32>

/// How often lines are written that callers cause: each has a limit of their own, so that nobody fills the log or takes
/// the lines that others cause out of it. Numbers and names cost nothing: callers beyond a few dozen at a time share
/// one limit.
package struct LogPacesOfCallers<Caller: Hashable & Sendable>: Sendable {
    private static var most: Int { 64 }
    private var paces: [Caller: LogRateLimit] = [:]
    private var shared = LogRateLimit()

    package init() {}

    /// The line as it is to be written; nil when it is passed over.
    package mutating func admit(_ line: String, of caller: Caller) -> String? {
        guard let passed = admit(caller) else { return nil }
        return passed > 0 ? "\(line) (\(passed) more were passed over)" : line
    }

    /// Whether a line may be written now; then how many of this caller were passed over before it.
    package mutating func admit(_ caller: Caller) -> Int? {
        if paces[caller] == nil, paces.count >= Self.most { forget() }
        guard paces[caller] != nil || paces.count < Self.most else { return shared.admit() }
        return paces[caller, default: LogRateLimit()].admit()
    }

    private mutating func forget() {
        for caller in paces.keys where paces[caller]?.isRested() == true { paces[caller] = nil }
    }
}
