import Glibc
package import KeychainModel
package import KeychainWire
import LinuxSystem

extension Configuration {
    /// The same, for the system's keychain in place of the user's: at the socket that a setting names, else at the
    /// service's.
    ///
    /// - Throws: `errSecNotAvailable` where the system service is not installed.
    package func forSystemKeychain() throws(Refusal) -> Configuration {
        guard let path = socketIsGiven ? socket : SystemServiceSockets.socket(SystemServiceSockets.system) else {
            throw .noSystemService(SystemServiceSockets.folder)
        }
        var configuration = self
        (configuration.socket, configuration.usesSystemService, configuration.mode) = (path, true, .daemon)
        return configuration
    }
}

extension Connection {
    /// Reaches the keychain of any user of the system service, in that user's name; root alone can.
    ///
    /// - Parameter configuration: the settings; a socket they name lies in the service's folder.
    /// - Throws: `errSecNotAvailable` where the system service is not installed, or may not be connected to as that
    ///   user.
    package static func reach(_ owner: KeychainOwner, _ configuration: Configuration) throws(Refusal) -> Connection {
        let given = configuration.socketIsGiven ? PrivateDirectory.parent(of: configuration.socket) : nil
        guard
            let path = SystemServiceSockets.socket(
                SystemServiceSockets.name(of: owner), in: given ?? SystemServiceSockets.folder)
        else {
            throw .noSystemService(given ?? SystemServiceSockets.folder)
        }
        let user: UInt32 = if case .user(let number) = owner { number } else { 0 }
        return Connection(timeout: configuration.timeout) { deadline throws(Refusal) in
            do throws(SystemError) {
                return try Privileges.acting(as: user) { () throws(SystemError) in
                    try UnixSocket.connect(to: path, deadline: deadline)
                }
            } catch {
                throw Refusal(
                    .notAvailable, .unavailable, owner.description,
                    "The keychain \(owner) cannot be reached: \(error).", do: "Do it as root.")
            }
        }
    }
}

extension Refusal {
    fileprivate static func noSystemService(_ folder: String) -> Refusal {
        Refusal(
            .notAvailable, .unavailable, folder, "The system service is not installed, or does not run.",
            do: "Install keychaind and start keychaind.socket (docs/guides/system-service.md).")
    }
}
