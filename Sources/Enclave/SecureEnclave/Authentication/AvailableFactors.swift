import KeychainModel
import KeychainWire

/// What the user of this device could show now.
struct AvailableFactors: Sendable {
    /// With ``BiometryStatus/State/lockedOut`` where too many fingers did not match.
    let biometry: BiometryStatus
    let hasPasscode: Bool

    /// What he can be asked for.
    var available: AuthenticationFactors { factors(biometry.state == .ready) }

    /// What there is to be shown at all, be it that the sensor looks at nothing at the moment.
    var enrolled: AuthenticationFactors { factors([.ready, .lockedOut].contains(biometry.state)) }

    private func factors(_ hasBiometry: Bool) -> AuthenticationFactors {
        AuthenticationFactors(hasPasscode ? [.passcode] : []).union(hasBiometry ? [.biometry] : [])
    }

    /// Why no finger can be shown.
    var biometryRefusal: Refusal { biometry.state == .lockedOut ? .lockedBiometry : .noBiometry }
}

extension AuthenticationFactors {
    static let all: AuthenticationFactors = [.passcode, .biometry]
}
