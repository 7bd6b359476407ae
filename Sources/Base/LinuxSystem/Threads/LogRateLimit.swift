/// Limits the rate of log lines of one kind: ten at once, then one a second.
package struct LogRateLimit: Sendable {
    private static let burst = 10.0
    private var credit = burst
    private var last: UInt64 = 0
    private var passed = 0

    package init() {}

    /// Returns the number of lines dropped before this one; nil when this line is dropped too.
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

    /// Whether the limit is in its initial state, so that it can be discarded.
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

/// The rate limits of log lines that users cause.
package typealias LogPaces = LogPacesOfCallers<UInt32>

/// The rate limits of log lines that callers cause. Each caller has a separate limit, so that no caller fills the log
/// or displaces the lines of others. A caller can create names at no cost: callers beyond a few dozen at a time share
/// one limit.
package struct LogPacesOfCallers<Caller: Hashable & Sendable>: Sendable {
    private static var most: Int { 64 }
    private var paces: [Caller: LogRateLimit] = [:]
    private var shared = LogRateLimit()

    package init() {}

    /// The line to be written; nil when it is dropped.
    package mutating func admit(_ line: String, of caller: Caller) -> String? {
        guard let passed = admit(caller) else { return nil }
        return passed > 0 ? "\(line) (\(passed) more were passed over)" : line
    }

    /// Returns the number of this caller's lines dropped before this one; nil when this line is dropped too.
    package mutating func admit(_ caller: Caller) -> Int? {
        if paces[caller] == nil, paces.count >= Self.most { forget() }
        guard paces[caller] != nil || paces.count < Self.most else { return shared.admit() }
        return paces[caller, default: LogRateLimit()].admit()
    }

    private mutating func forget() {
        for caller in paces.keys where paces[caller]?.isRested() == true { paces[caller] = nil }
    }
}
