package import LinuxSystem

/// Why a request was refused, in words that a person can act on and names that a program can match.
///
/// It names keys, attributes, groups and states, never values, so it may be logged and shown. The C interface returns
/// the status; the rest is the explanation that Apple's API does not give.
///
/// Nearly all functions can throw one and few do, so the value is a single reference.
package struct Refusal: Error, Sendable {
    private let content: Content

    package init(_ status: KeychainStatus, _ rule: Rule, _ subject: String, _ problem: String, do remedy: String) {
        content = Content(status, rule, subject, problem, remedy)
    }

    /// The `OSStatus` the caller gets.
    package var status: KeychainStatus { content.status }
    /// The stable name of the rule.
    package var rule: Rule { content.rule }
    /// The subject: a dictionary key, an attribute, an access group or a state.
    package var subject: String { content.subject }
    /// The problem, as a sentence.
    package var problem: String { content.problem }
    /// The remedy, as a sentence.
    package var remedy: String { content.remedy }

    private final class Content: Sendable {
        let status: KeychainStatus
        let rule: Rule
        let subject, problem, remedy: String

        init(_ status: KeychainStatus, _ rule: Rule, _ subject: String, _ problem: String, _ remedy: String) {
            (self.status, self.rule) = (status, rule)
            (self.subject, self.problem, self.remedy) = (subject, problem, remedy)
        }
    }

    /// A stable name for a rule, of the form `area.rule`.
    package struct Rule: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        package static let unknownKey = Self(rawValue: "query.unknown-key")
        package static let constantName = Self(rawValue: "query.constant-name-as-key")
        package static let wrongType = Self(rawValue: "query.wrong-type")
        package static let wrongValue = Self(rawValue: "query.wrong-value")
        package static let tooLarge = Self(rawValue: "query.too-large")
        package static let classMissing = Self(rawValue: "query.class-missing")
        package static let unknownClass = Self(rawValue: "query.unknown-class")
        package static let unknownAttribute = Self(rawValue: "query.attribute-not-in-class")
        package static let notAllowedHere = Self(rawValue: "query.key-not-allowed-here")
        package static let contradiction = Self(rawValue: "query.contradiction")
        package static let notImplemented = Self(rawValue: "keychain.not-implemented")
        package static let foreignGroup = Self(rawValue: "access.group-not-granted")
        package static let noGroups = Self(rawValue: "access.no-groups")
        package static let restrictedAttribute = Self(rawValue: "access.restricted-attribute")
        package static let locked = Self(rawValue: "state.locked")
        package static let passcodeNotSet = Self(rawValue: "state.passcode-not-set")
        package static let wrongPasscode = Self(rawValue: "state.wrong-passcode")
        package static let wrongRecoveryCode = Self(rawValue: "state.wrong-recovery-code")
        package static let wrongPIN = Self(rawValue: "state.wrong-pin")
        package static let mistypedCode = Self(rawValue: "state.mistyped-code")
        package static let noSlot = Self(rawValue: "state.no-such-slot")
        package static let needsUser = Self(rawValue: "state.needs-user")
        package static let needsPassword = Self(rawValue: "state.needs-password")
        package static let wrongPassword = Self(rawValue: "state.wrong-password")
        package static let changedEnrolment = Self(rawValue: "state.enrolment-changed")
        package static let biometryUnavailable = Self(rawValue: "state.biometry-unavailable")
        package static let biometryLockout = Self(rawValue: "state.biometry-lockout")
        package static let companionUnavailable = Self(rawValue: "state.companion-unavailable")
        package static let userFailed = Self(rawValue: "state.user-failed")
        package static let userCanceled = Self(rawValue: "state.user-canceled")
        package static let userFallback = Self(rawValue: "state.user-fallback")
        package static let withdrawn = Self(rawValue: "state.withdrawn")
        package static let unreachable = Self(rawValue: "state.user-unreachable")
        package static let keyUsage = Self(rawValue: "key.usage-not-allowed")
        package static let throttled = Self(rawValue: "state.too-many-attempts")
        package static let duplicate = Self(rawValue: "store.duplicate")
        package static let notFound = Self(rawValue: "store.not-found")
        package static let unknownOutcome = Self(rawValue: "store.outcome-unknown")
        package static let damaged = Self(rawValue: "store.damaged")
        package static let unavailable = Self(rawValue: "keychain.unavailable")
        package static let deadline = Self(rawValue: "keychain.deadline")
        package static let malformedFrame = Self(rawValue: "wire.malformed")
        package static let internalError = Self(rawValue: "keychain.internal-error")
    }
}

extension Refusal: CustomStringConvertible {
    package var description: String { "\(status.rawValue) \(rule.rawValue): \(problem)" }
}

extension Refusal: Hashable {
    package static func == (left: Refusal, right: Refusal) -> Bool {
        left.status == right.status && left.rule == right.rule && left.subject == right.subject
            && left.problem == right.problem && left.remedy == right.remedy
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(status)
        hasher.combine(rule)
        hasher.combine(subject)
    }
}

// MARK: - Refusals of several layers

extension Deadline {
    /// Refuses to begin or continue a request whose caller has stopped waiting.
    ///
    /// - Throws: `errSecNotAvailable` (`keychain.deadline`) when the deadline has passed.
    package func check() throws(Refusal) { if hasPassed { throw .expired } }
}

extension Refusal {
    /// A request that was not done when its caller stopped waiting.
    package static let expired = Refusal(
        .notAvailable, .deadline, "deadline",
        "The request was not done by its deadline and was given up; nothing was changed.",
        do: "Try again, or allow more time (KEYCHAIN_TIMEOUT).")

    /// The refusal of a request that requires authentication (`errSecAuthNeeded`) where prompts are not allowed
    /// (rule items.add.rules).
    package var forbiddenToAsk: Refusal {
        Refusal(.interactionNotAllowed, rule, subject, "\(problem) The user may not be asked now.", do: remedy)
    }
}
