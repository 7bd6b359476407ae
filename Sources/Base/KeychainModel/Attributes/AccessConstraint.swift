/// The requirements of an access control, read from the bits of `SecAccessControlCreateFlags` (rule
/// access-control.flags.demands).
///
/// Several requirements combine as `k` of `n`: one of them with `or`, otherwise all. The application password is
/// separate: it is a part of the key, not something that the user shows.
package struct AccessConstraint: Hashable, Sendable {
    package let flags: UInt64

    package init(flags: UInt64) { self.flags = flags }

    /// A factor that the user must show.
    package enum Demand: UInt64, CaseIterable, Sendable {
        /// Biometry or the passcode (rule access-control.flags.presence).
        case userPresence = 0x1
        /// Any finger that is enrolled when it is used (rule access-control.flags.biometry-any).
        case biometryAny = 0x2
        /// A finger that was already enrolled when the item was made (rule access-control.flags.current-set).
        case biometryCurrentSet = 0x8
        /// The passcode, with no alternative (rule access-control.flags.passcode).
        case devicePasscode = 0x10
        /// A paired device, which does not exist on Linux.
        case companion = 0x20

        /// Whether the shown factors satisfy it. `enrolmentIsCurrent` says whether the enrolment that it was bound to
        /// is the present one.
        func isMet(by factors: AuthenticationFactors, enrolmentIsCurrent: Bool) -> Bool {
            switch self {
            case .userPresence: !factors.isDisjoint(with: [.passcode, .biometry])
            case .biometryAny: factors.contains(.biometry)
            case .biometryCurrentSet: factors.contains(.biometry) && enrolmentIsCurrent
            case .devicePasscode: factors.contains(.passcode)
            case .companion: false
            }
        }
    }

    /// The factors that the user must show, in the order of the prompts.
    package var demands: [Demand] { Demand.allCases.filter { flags & $0.rawValue != 0 } }

    /// One of the demands suffices (rule access-control.flags.combined).
    package var isAlternative: Bool { flags & Self.or != 0 }

    /// A password of the program's own is mixed into the item's encryption (rule access-control.password.mixed).
    package var needsPassword: Bool { flags & Self.applicationPassword != 0 }

    /// Only an anchored program may have the item: one that the user's other programs cannot control. This is a
    /// requirement for the program, not for the user.
    package var needsAnchor: Bool { flags & Self.anchoredProgram != 0 }

    /// Whether there is any requirement, for the user or for the program.
    package var isGuard: Bool { needsAnchor || AccessControl.asksTheUser(flags) }

    /// The requirements apply to the use of a private key, not to reading a value (rule
    /// access-control.flags.private-key).
    package var guardsKeyUse: Bool { flags & AccessControl.privateKeyUsage != 0 }

    /// Whether every bit has a known meaning. An unknown bit might be a requirement.
    package var isUnderstood: Bool { flags & ~Self.known == 0 }

    /// Whether the shown factors are sufficient. An unknown bit is a requirement that nothing satisfies.
    package func isMet(by factors: AuthenticationFactors, enrolmentIsCurrent: Bool) -> Bool {
        guard isUnderstood else { return false }
        let demands = demands
        let met = demands.filter { $0.isMet(by: factors, enrolmentIsCurrent: enrolmentIsCurrent) }
        return isAlternative && !demands.isEmpty ? !met.isEmpty : met.count == demands.count
    }

    package static let or: UInt64 = 1 << 14
    package static let and: UInt64 = 1 << 15
    package static let applicationPassword: UInt64 = 1 << 31
    /// This bit is not one of Apple's.
    package static let anchoredProgram: UInt64 = 1 << 48
    private static let known =
        Demand.allCases.reduce(0) { $0 | $1.rawValue } | or | and | AccessControl.privateKeyUsage | applicationPassword
        | anchoredProgram
}

/// The factors that a user has shown.
package struct AuthenticationFactors: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let passcode = Self(rawValue: 1)
    package static let biometry = Self(rawValue: 2)
}

/// The intended use of a guarded object: the values of `LAAccessControlOperation`.
package enum GuardedOperation: UInt8, CaseIterable, Sendable {
    case createItem = 0
    case useItem = 1
    case createKey = 2
    case useKeySign = 3
    case useKeyDecrypt = 4
    case useKeyKeyExchange = 5
}
