import KeychainModel
import KeychainWire

/// The next question to the user: biometry first where it helps (rule authentication.policy.order), the passcode where
/// it does not, both where both are required. It knows neither agent nor vault. Its caller reports the result of the
/// last question.
struct PromptSequence {
    /// So many fingers that do not match, or wrong passcodes, end it.
    static let mostMisses: UInt32 = 3
    /// The factors that the user may be asked for, in the order of preference.
    private static let plans: [AuthenticationFactors] = [.biometry, .passcode, [.biometry, .passcode]]

    enum Step: Equatable {
        case finger(allowsFallback: Bool, failures: UInt32)
        case passcode(failures: UInt32)
        case done
        case refused(Refusal)
    }

    private let wanted: RequiredAuthentication
    private let means: AvailableFactors
    private let hidesFallback: Bool
    private var reach: AuthenticationFactors
    private(set) var shown: AuthenticationFactors
    private var fingers: UInt32 = 0
    private var passcodes: UInt32 = 0
    /// Why no finger is asked for any more.
    private var withoutFinger: Refusal?

    /// - Parameters:
    ///   - shown: the factors that the user has shown before, in the same context.
    ///   - hidesFallback: the program wants no alternative to biometry to be offered.
    init(_ wanted: RequiredAuthentication, _ means: AvailableFactors, shown: AuthenticationFactors, hidesFallback: Bool)
    {
        (self.wanted, self.means, self.shown, self.hidesFallback) = (wanted, means, shown, hidesFallback)
        reach = means.available
    }

    var next: Step {
        if wanted.isMet(by: shown), wanted.refusal(.all, means) == nil { return .done }
        if max(fingers, passcodes) >= Self.mostMisses { return .refused(.userFailed) }
        guard let plan = plan(reaching: reach) else {
            let refusal = wanted.refusal(reach.union(shown), means) ?? .userFailed
            return .refused(refusal.isAboutBiometry ? withoutFinger ?? refusal : refusal)
        }
        guard plan.contains(.biometry) else { return .passcode(failures: passcodes) }
        let hasOther = wanted.reportsFallback || otherPlan != nil
        return .finger(allowsFallback: hasOther && !hidesFallback, failures: fingers)
    }

    /// The factors that the first sufficient plan still needs.
    private func plan(reaching reach: AuthenticationFactors) -> AuthenticationFactors? {
        guard wanted.refusal(reach.union(shown), means) == nil else { return nil }
        return Self.plans.first { plan in
            plan.subtracting(shown).isSubset(of: reach) && wanted.isMet(by: plan.union(shown))
        }?.subtracting(shown)
    }

    /// The plan for a user who shows no finger.
    private var otherPlan: AuthenticationFactors? {
        plan(reaching: reach.subtracting(.biometry))
    }

    // MARK: - What came of a question

    mutating func show(_ factor: AuthenticationFactors) { shown.formUnion(factor) }

    /// A finger that did not match.
    ///
    /// - Parameter isLockedOut: whether no further finger is accepted after it.
    mutating func missFinger(isLockedOut: Bool) {
        fingers += 1
        if isLockedOut { giveUpFinger(.lockedBiometry) }
    }

    mutating func missPasscode() { passcodes += 1 }

    /// The user wants to do something else than show a finger.
    mutating func fallBack() { giveUpFinger(.userFallback) }

    private mutating func giveUpFinger(_ reason: Refusal) {
        withoutFinger = reason
        reach.remove(.biometry)
    }
}

extension Refusal {
    fileprivate var isAboutBiometry: Bool { rule == .biometryUnavailable || rule == .biometryLockout }
}
