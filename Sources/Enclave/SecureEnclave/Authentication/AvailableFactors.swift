import KeychainModel
import KeychainWire

/// The factors that the user of this device could show now.
struct AvailableFactors: Sendable {
    /// With ``BiometryStatus/State/lockedOut`` where too many fingers did not match.
    let biometry: BiometryStatus
    let hasPasscode: Bool

    /// The factors that the user can be asked for.
    var available: AuthenticationFactors { factors(biometry.state == .ready) }

    /// The factors that are set up at all, even if the sensor does not work at the moment.
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
