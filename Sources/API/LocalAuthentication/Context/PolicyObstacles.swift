internal import KeychainWire

extension LAPolicy {
    /// What stands against the policy on a device, before anybody is asked; nil for nothing (semantics G.1).
    ///
    /// A reader that is missing comes first: setting a passcode would not bring one.
    func obstacle(_ device: AuthenticationCapabilities) -> LAError? {
        switch self {
        case .deviceOwnerAuthentication:
            device.passcodeIsSet ? nil : .lacking(.passcodeNotSet)
        case .deviceOwnerAuthenticationWithBiometrics, .deviceOwnerAuthenticationWithBiometricsOrCompanion:
            device.biometryObstacle.map { .lacking($0) }
        case .deviceOwnerAuthenticationWithCompanion, .deviceOwnerAuthenticationWithWristDetection:
            .noCompanion
        }
    }

    /// A finger alone meets the policy, so the context tells who was enrolled.
    var isBiometric: Bool {
        self == .deviceOwnerAuthenticationWithBiometrics || self == .deviceOwnerAuthenticationWithBiometricsOrCompanion
    }
}

extension AuthenticationCapabilities {
    /// What keeps a finger from counting; nil for nothing.
    var biometryObstacle: LAError.Code? {
        switch biometry.state {
        case .unavailable: .biometryNotAvailable
        case .notEnrolled: passcodeIsSet ? .biometryNotEnrolled : .passcodeNotSet
        case .lockedOut: passcodeIsSet ? .biometryLockout : .passcodeNotSet
        case .ready: passcodeIsSet ? nil : .passcodeNotSet
        }
    }
}
