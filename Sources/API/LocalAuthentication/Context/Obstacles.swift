internal import KeychainModel
internal import KeychainWire

extension LAPolicy {
    /// What stands against the policy on a device, before anybody is asked; nil for nothing (semantics G.1).
    func obstacle(_ device: AuthenticationCapabilities) -> LAError? {
        switch self {
        case .deviceOwnerAuthentication: device.passcodeObstacle
        case .deviceOwnerAuthenticationWithBiometrics, .deviceOwnerAuthenticationWithBiometricsOrCompanion:
            device.biometryObstacle
        case .deviceOwnerAuthenticationWithCompanion, .deviceOwnerAuthenticationWithWristDetection:
            .noCompanion
        }
    }

    /// A finger alone meets the policy, so the context tells who was enrolled.
    var isBiometric: Bool {
        self == .deviceOwnerAuthenticationWithBiometrics || self == .deviceOwnerAuthenticationWithBiometricsOrCompanion
    }
}

extension AccessConstraint {
    /// What stands against the demands on a device, before anybody is asked; nil for nothing (semantics D.5).
    func obstacle(_ device: AuthenticationCapabilities) -> LAError? {
        let obstacles = demands.map { (demand) -> LAError? in
            switch demand {
            case .userPresence, .devicePasscode: device.passcodeObstacle
            case .biometryAny, .biometryCurrentSet: device.sensorObstacle
            case .companion: .noCompanion
            }
        }
        if isAlternative, obstacles.contains(where: { $0 == nil }) { return nil }
        return obstacles.lazy.compactMap { $0 }.first
    }
}

extension GuardedOperation {
    /// Whether anybody has to be asked before something under an access control is made or used.
    ///
    /// Making something takes no user, for only reading does (S-86); a password of the program's own is needed for
    /// both.
    func asks(for flags: UInt64) -> Bool {
        let constraint = AccessConstraint(flags: flags)
        if self == .createItem || self == .createKey { return constraint.needsPassword }
        return constraint.needsPassword || !constraint.demands.isEmpty
    }
}

extension AuthenticationCapabilities {
    fileprivate var passcodeObstacle: LAError? { passcodeIsSet ? nil : .lacking(.passcodeNotSet) }

    /// A reader that is missing comes first: setting a passcode would not bring one.
    fileprivate var biometryObstacle: LAError? {
        biometry.state == .unavailable ? sensorObstacle : passcodeObstacle ?? sensorObstacle
    }

    /// What keeps a finger from being seen.
    fileprivate var sensorObstacle: LAError? {
        switch biometry.state {
        case .unavailable: .lacking(.biometryNotAvailable)
        case .notEnrolled: .lacking(.biometryNotEnrolled)
        case .lockedOut: .lacking(.biometryLockout)
        case .ready: nil
        }
    }
}
