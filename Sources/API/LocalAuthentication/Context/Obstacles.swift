internal import KeychainModel
internal import KeychainWire

extension LAPolicy {
    /// The reason why the policy cannot succeed on a device, before anybody is asked; nil for none (rule
    /// authentication.policy.passcode).
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
    /// The reason why the demands cannot be met on a device, before anybody is asked; nil for none (rule
    /// access-control.add.impossible).
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
    /// Whether somebody must be asked before an item or key under an access control is made or used.
    ///
    /// Making one requires no user, because only reading does (rule access-control.add.free). Both require the
    /// application password.
    func asks(for flags: UInt64) -> Bool {
        let constraint = AccessConstraint(flags: flags)
        if self == .createItem || self == .createKey { return constraint.needsPassword }
        return constraint.needsPassword || !constraint.demands.isEmpty
    }
}

extension AuthenticationCapabilities {
    fileprivate var passcodeObstacle: LAError? { passcodeIsSet ? nil : .lacking(.passcodeNotSet) }

    /// A missing reader comes first: setting a passcode would not add one.
    fileprivate var biometryObstacle: LAError? {
        biometry.state == .unavailable ? sensorObstacle : passcodeObstacle ?? sensorObstacle
    }

    /// The reason why no finger can be read.
    fileprivate var sensorObstacle: LAError? {
        switch biometry.state {
        case .unavailable: .lacking(.biometryNotAvailable)
        case .notEnrolled: .lacking(.biometryNotEnrolled)
        case .lockedOut: .lacking(.biometryLockout)
        case .ready: nil
        }
    }
}
