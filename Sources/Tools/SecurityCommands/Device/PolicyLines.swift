import KeychainWire

/// The lines of `status` about the administrator's policy.
enum PolicyLines {
    /// - Returns: no lines where there is none.
    static func lines(_ policy: AdministratorPolicy) -> [(String, String)] {
        let demands = demands(policy)
        return demands.isEmpty ? [] : [("policy:", policy.path)] + demands.map { ("", $0) }
    }

    private static func demands(_ policy: AdministratorPolicy) -> [String] {
        var demands: [String] = []
        if policy.minimumPasscode > 0 {
            demands.append("A password has \(policy.minimumPasscode) characters at least, and is not removed.")
        }
        if policy.requiresTPM { demands.append("New keychains rest on the TPM, and none is moved off it.") }
        if policy.longestIdle > 0 { demands.append("Locks after \(policy.longestIdle) s without use at the latest.") }
        if policy.locksOnSleep { demands.append("Locks on sleep.") }
        return demands + policy.fixed.map { "\($0.key) = \($0.value)" }
    }

    static func json(of policy: AdministratorPolicy) -> JSONValue {
        guard policy != .none else { return .null }
        return .object([
            ("file", .string(policy.path)), ("minimumPasscode", .number(Int64(policy.minimumPasscode))),
            ("requiresTPM", .boolean(policy.requiresTPM)), ("lockAfter", .number(Int64(policy.longestIdle))),
            ("lockOnSleep", .boolean(policy.locksOnSleep)),
            ("fixed", .object(policy.fixed.map { ($0.key, .string($0.value)) })),
        ])
    }
}
