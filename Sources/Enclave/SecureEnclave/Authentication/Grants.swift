import KeychainModel
import KeychainWire

/// The grants: the factors that users have shown, each for one caller and one scope. They are in this process's memory
/// and nowhere else.
///
/// A grant of one context counts in no other, for no other caller, and after no lock: every grant has the generation of
/// the device's state it was given in (``DeviceState/generation``).
struct Grants {
    /// A caller has a few at a time; of too many the oldest goes.
    static let limit = 128
    /// The use that a grant allows.
    enum Scope: Equatable, Sendable {
        /// Everything that the shown factors suffice for.
        case policy
        /// Everything with this very access control, for this operation.
        case control(flags: UInt64, GuardedOperation)
        /// These things, each as often as it says, for this operation.
        case items([[UInt8]: Int], GuardedOperation)

        /// Seconds until it ends: a request is over soon, an `LAContext` may be used again for as long as
        /// `LATouchIDAuthenticationMaximumAllowableReuseDuration` says.
        var lifetime: UInt64 {
            if case .items = self { return 60 }
            return 300
        }
    }

    /// The factors that the user has shown.
    struct Shown: Equatable, Sendable {
        var factors: AuthenticationFactors = []
        /// The enrolment that a finger was matched with.
        var enrolment: [UInt8] = []
    }

    /// When something is looked up: the clock, and the generation of the device's state.
    struct Now: Sendable {
        let moment: DeviceClock.Moment
        let generation: UInt64
    }

    fileprivate struct Grant {
        let context: AuthenticationContext
        var scope: Scope
        let shown: Shown
        let expiry: Expiry
    }

    private var grants: [Grant] = []
    private var changed: [Changed] = []

    var count: Int { grants.count }

    /// Something that was bound to another enrolment was to be opened in the context: a finger does not help there.
    private struct Changed {
        let context: AuthenticationContext
        let flags: UInt64
        let expiry: Expiry
    }

    // MARK: - Giving

    /// Keeps a grant; one without factors is not kept.
    mutating func add(_ shown: Shown, for scope: Scope, in context: AuthenticationContext, at now: Now) {
        guard !shown.factors.isEmpty else { return }
        grants.removeAll { !$0.expiry.isAhead(of: now) }
        if grants.count >= Self.limit { grants.removeFirst() }
        let expiry = Expiry(after: scope.lifetime, from: now)
        grants.append(Grant(context: context, scope: scope, shown: shown, expiry: expiry))
    }

    mutating func forget(_ context: AuthenticationContext) {
        grants.removeAll { $0.context == context }
        changed.removeAll { $0.context == context }
    }

    mutating func forgetAll() { (grants, changed) = ([], []) }

    /// Remembers that the item of these flags in the context belongs to another enrolment, and has an alternative.
    mutating func noteChange(_ flags: UInt64, in context: AuthenticationContext, at now: Now) {
        changed.removeAll { !$0.expiry.isAhead(of: now) || $0.context == context && $0.flags == flags }
        if changed.count >= Self.limit { changed.removeFirst() }
        changed.append(Changed(context: context, flags: flags, expiry: Expiry(after: 300, from: now)))
    }

    /// The flags of which no finger meets `biometryCurrentSet` in the context.
    func changedFlags(in context: AuthenticationContext, at now: Now) -> Set<UInt64> {
        Set(changed.filter { $0.context == context && $0.expiry.isAhead(of: now) }.map(\.flags))
    }

    // MARK: - Looking up

    /// The factors shown in the context that also count for this scope. For single things the user is asked again.
    func shown(in context: AuthenticationContext, for scope: Scope, at now: Now) -> Shown {
        grants.filter {
            $0.isGood(in: context, at: now) && $0.scope.lasts && ($0.scope == .policy || $0.scope == scope)
        }
        .shown
    }

    /// Whether a grant suffices to use a guarded thing. This spends a grant for single things, if it takes that one.
    ///
    /// - Parameter enrolment: the present one, if the thing was bound to it; nil when it was not.
    mutating func admit(_ use: GuardedUse, enrolment: [UInt8]?, in context: AuthenticationContext, at now: Now) -> Bool
    {
        let lasting = grants.filter { $0.isGood(in: context, at: now) && $0.scope.covers(use) }
        if use.isMet(by: lasting.shownFactors, matching: lasting, enrolment) { return true }
        for index in grants.indices where grants[index].isGood(in: context, at: now) && grants[index].scope.names(use) {
            let shown = lasting + [grants[index]]
            guard use.isMet(by: shown.shownFactors, matching: shown, enrolment) else { continue }
            grants[index].scope.spend(use.identifier)
            return true
        }
        return false
    }
}

/// Something guarded that is to be used.
struct GuardedUse {
    let identifier: [UInt8]
    /// As they are authenticated in its box.
    let constraint: AccessConstraint
    let operation: GuardedOperation
}

extension GuardedUse {
    fileprivate func isMet(
        by factors: AuthenticationFactors, matching grants: [Grants.Grant], _ enrolment: [UInt8]?
    ) -> Bool {
        let isCurrent = enrolment.map { present in
            grants.contains { $0.shown.factors.contains(.biometry) && $0.shown.enrolment == present }
        }
        return constraint.isMet(by: factors, enrolmentIsCurrent: isCurrent ?? false)
    }
}

extension Grants.Scope {
    fileprivate var lasts: Bool {
        if case .items = self { return false }
        return true
    }

    /// Whether it counts for the use, and for others after it.
    fileprivate func covers(_ use: GuardedUse) -> Bool {
        self == .policy || self == .control(flags: use.constraint.flags, use.operation)
    }

    /// Whether the use is one of those it was given for, and has not been.
    fileprivate func names(_ use: GuardedUse) -> Bool {
        guard case .items(let left, let operation) = self else { return false }
        return operation == use.operation && left[use.identifier, default: 0] > 0
    }

    fileprivate mutating func spend(_ identifier: [UInt8]) {
        guard case .items(var left, let operation) = self, let uses = left[identifier] else { return }
        left[identifier] = uses > 1 ? uses - 1 : nil
        self = .items(left, operation)
    }
}

extension Grants.Grant {
    fileprivate func isGood(in other: AuthenticationContext, at now: Grants.Now) -> Bool {
        context == other && expiry.isAhead(of: now)
    }
}

extension [Grants.Grant] {
    fileprivate var shownFactors: AuthenticationFactors { reduce([]) { $0.union($1.shown.factors) } }

    fileprivate var shown: Grants.Shown {
        let match = last { $0.shown.factors.contains(.biometry) }
        return Grants.Shown(factors: shownFactors, enrolment: match?.shown.enrolment ?? [])
    }
}
