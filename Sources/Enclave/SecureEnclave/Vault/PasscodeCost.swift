import KeychainCrypto
import LinuxSystem

/// The cost of a guess at a passcode (Argon2id, RFC 9106).
package enum PasscodeCost: Sendable {
    /// 64 MiB, 3 passes, 1 lane: about 85 ms on a machine of 2024. A person does not notice that, but a guesser does.
    case calibrated
    /// As little as possible, for simulated devices that protect nothing.
    case cheapest

    /// The cost of a guess at this build's passcodes: the calibrated one, but where the runner of the tests asks a
    /// debug build for less.
    package static let standard = TestSwitch.cheapPasscodes ? cheapest : calibrated

    var derivation: Argon2id {
        get throws(CryptoError) {
            switch self {
            case .calibrated: try Argon2id(memory: 64 << 10, passes: 3)
            case .cheapest: try Argon2id(memory: 8, passes: 1)
            }
        }
    }
}
