import Glibc
import KeychainClient

/// The part of its environment that the program keeps.
package enum CarrierSurroundings {
    /// Forgets all variables but the keychain's own. A service manager hands on what a login has set.
    ///
    /// No other thread runs yet: the environment has no lock.
    package static func reduce() {
        let kept = CarrierVariables.names.compactMap { name in
            unsafe getenv(name).map { (name, unsafe String(cString: $0)) }
        }
        clearenv()
        for (name, value) in kept { unsafe setenv(name, value, 1) }
    }
}
