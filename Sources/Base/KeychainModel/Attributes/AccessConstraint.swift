/// What an access control wants of the user, read from the bits of `SecAccessControlCreateFlags` (semantics D.5).
///
/// Several demands go together as `k` of `n`: one of them with `or`, otherwise all. The application password is apart:
/// it is a part of the key rather than something the user shows.
package struct AccessConstraint: Hashable, Sendable {
    package let flags: UInt64

    package init(flags: UInt64) { self.flags = flags }

    /// Something the user must show.
    package enum Demand: UInt64, CaseIterable, Sendable {
        /// Biometry or the passcode (S-29).
        case userPresence = 0x1
        /// Any finger that is enrolled when it is used (S-30).
        case biometryAny = 0x2
        /// A finger of those that were enrolled when the item was made (S-31).
        case biometryCurrentSet = 0x8
        /// The passcode, and nothing in its place (S-32).
        case devicePasscode = 0x10
        /// A paired device, which there is none of.
        case companion = 0x20

        /// Whether what the user has shown meets it, the enrolment it was bound to being the present one or not.
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

    /// What the user must show, in the order it is asked for.
    package var demands: [Demand] { Demand.allCases.filter { flags & $0.rawValue != 0 } }

    /// One of the demands suffices (S-33).
    package var isAlternative: Bool { flags & Self.or != 0 }

    /// A password of the program's own is mixed into the item's encryption (S-35).
    package var needsPassword: Bool { flags & Self.applicationPassword != 0 }

    /// Only a program that its user's other programs cannot reach into may have it: a demand on the program, not on the
    /// user.
    package var needsAnchor: Bool { flags & Self.anchoredProgram != 0 }

    /// Whether anything is demanded, of the user or of the program.
    package var isGuard: Bool { needsAnchor || AccessControl.asksTheUser(flags) }

    /// The demands are for using a private key, not for reading a value (S-34).
    package var guardsKeyUse: Bool { flags & AccessControl.privateKeyUsage != 0 }

    /// The bits have a meaning, every one: what is not understood might be a demand.
    package var isUnderstood: Bool { flags & ~Self.known == 0 }

    /// Whether what the user has shown is enough. A bit without a known meaning is a demand that nobody meets.
    package func isMet(by factors: AuthenticationFactors, enrolmentIsCurrent: Bool) -> Bool {
        guard isUnderstood else { return false }
        let demands = demands
        let met = demands.filter { $0.isMet(by: factors, enrolmentIsCurrent: enrolmentIsCurrent) }
        return isAlternative && !demands.isEmpty ? !met.isEmpty : met.count == demands.count
    }

    package static let or: UInt64 = 1 << 14
    package static let and: UInt64 = 1 << 15
    package static let applicationPassword: UInt64 = 1 << 31
    /// No bit of Apple's.
    package static let anchoredProgram: UInt64 = 1 << 48
    private static let known =
        Demand.allCases.reduce(0) { $0 | $1.rawValue } | or | and | AccessControl.privateKeyUsage | applicationPassword
        | anchoredProgram
}

/// What a user has shown.
package struct AuthenticationFactors: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    package static let passcode = Self(rawValue: 1)
    package static let biometry = Self(rawValue: 2)
}

/// What something guarded is to be used for: the values of `LAAccessControlOperation`.
package enum GuardedOperation: UInt8, CaseIterable, Sendable {
    case createItem = 0
    case useItem = 1
    case createKey = 2
    case useKeySign = 3
    case useKeyDecrypt = 4
    case useKeyKeyExchange = 5
}
