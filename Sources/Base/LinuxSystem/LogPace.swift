/// How often lines of one kind are written to a log: ten at once, then one a second.
package struct LogPace: Sendable {
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

    /// Whether nothing is kept back: forgotten and begun anew, the pace would be the same.
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

/// How often lines are written that users cause: each has a pace of their own, so that nobody fills the log or takes the lines that
/// others cause out of it. Numbers cost nothing: users beyond a few dozen at a time share one pace.
package struct LogPaces: Sendable {
    private static let most = 64
    private var paces: [UInt32: LogPace] = [:]
    private var shared = LogPace()

    package init() {}

    /// The line as it is to be written; nil when it is passed over.
    package mutating func admit(_ line: String, of user: UInt32) -> String? {
        guard let passed = admit(user) else { return nil }
        return passed > 0 ? "\(line) (\(passed) more were passed over)" : line
    }

    private mutating func admit(_ user: UInt32) -> Int? {
        if paces[user] == nil, paces.count >= Self.most { forget() }
        guard paces[user] != nil || paces.count < Self.most else { return shared.admit() }
        return paces[user, default: LogPace()].admit()
    }

    private mutating func forget() {
        for user in paces.keys where paces[user]?.isRested() == true { paces[user] = nil }
    }
}
