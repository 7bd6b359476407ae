import EnclaveWire
import KeychainModel
import KeychainWire

/// The authentication that one prompt must reach: all of several access controls, or a policy, which is expressed as an
/// access control.
struct RequiredAuthentication {
    private let constraints: [AccessConstraint]
    /// A policy is nothing where there is no passcode to fall back on (rule authentication.policy.passcode).
    private var requiresPasscode = false
    /// A caller that asks for biometry alone is told when the user chooses the fallback.
    private(set) var reportsFallback = false
    /// Flags that guard something which belongs to another enrolment.
    private var changed: Set<UInt64> = []
    /// Whether the user chooses a new password instead of entering one.
    private(set) var makesPassword = false

    /// - Parameter changed: the flags of which is known that no finger meets `biometryCurrentSet`.
    /// - Throws: `errSecParam` for a policy that there is not, and for guards without identifiers or too many of them.
    init(_ purpose: AuthenticationTask.Purpose, changed: Set<UInt64>) throws(Refusal) {
        switch purpose {
        case .context(.policy(let number)):
            guard let policy = Policy(rawValue: number) else { throw .unknownPolicy }
            self.init(binding: AccessConstraint(flags: policy.demand.rawValue))
            requiresPasscode = true
            reportsFallback = policy.demand == .biometryAny
        case .context(.control(let flags, let operation)): self.init([flags], operation)
        case .context(.unlock):
            self.init(binding: AccessConstraint(flags: AccessConstraint.Demand.devicePasscode.rawValue))
        case .items(let guards, let operation):
            guard guards.count <= AuthenticationTask.mostGuards,
                guards.allSatisfy({ $0.identifier.count == ItemGuard.identifierBytes })
            else { throw .malformedTask }
            self.init(guards.map(\.flags), operation)
        }
        self.changed = changed
    }

    /// Making something asks nothing of the user (rule access-control.add.free) but its password.
    private init(_ flags: [UInt64], _ operation: GuardedOperation) {
        makesPassword = operation.isMaking
        let kept = operation.isMaking ? AccessConstraint.applicationPassword : .max
        constraints = Set(flags.map { $0 & kept }).sorted().map { AccessConstraint(flags: $0) }
    }

    /// The access control of something that is to be made, as far as it asks the user.
    init(binding constraint: AccessConstraint) { constraints = [constraint] }

    private enum Policy: UInt8 {
        case biometrics = 1
        case deviceOwner = 2
        case companion = 3
        case biometricsOrCompanion = 4

        var demand: AccessConstraint.Demand {
            switch self {
            case .biometrics, .biometricsOrCompanion: .biometryAny
            case .deviceOwner: .userPresence
            case .companion: .companion
            }
        }
    }

    var needsPassword: Bool { constraints.contains { $0.needsPassword } }

    /// User presence needs a passcode too, whatever fingers are enrolled (rule access-control.add.impossible).
    private var wantsPresence: Bool { constraints.contains { $0.demands.contains(.userPresence) } }

    /// Whether this is enough. Only the opening shows for sure that a finger is one of those that the thing was bound
    /// to.
    func isMet(by factors: AuthenticationFactors) -> Bool {
        constraints.allSatisfy { $0.isMet(by: factors, enrolmentIsCurrent: !changed.contains($0.flags)) }
    }

    /// Why nothing in reach of the user is enough; nil when something is.
    func refusal(_ reach: AuthenticationFactors, _ means: AvailableFactors) -> Refusal? {
        if requiresPasscode || wantsPresence, !means.hasPasscode { return .noPasscodeToShow }
        if isMet(by: reach) { return nil }
        if !isMet(by: .all) { return constraints.allSatisfy(\.isUnderstood) ? .noCompanion : .unknownDemand }
        if isMet(by: reach.union(.passcode)) { return .noPasscodeToShow }
        return isMet(by: reach.union(.biometry)) ? means.biometryRefusal : .noPasscodeToShow
    }
}

extension GuardedOperation {
    /// Whether a thing is made instead of opened.
    var isMaking: Bool { self == .createItem || self == .createKey }
}
