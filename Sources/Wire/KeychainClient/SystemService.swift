import Glibc
package import KeychainModel
package import KeychainWire
import LinuxSystem

/// The sockets of the system service, where it is installed.
package enum SystemService {
    /// The folder of its sockets.
    package static let folder = "/run/keychaind"
    static let personal = "socket"
    static let system = "system"

    /// The socket that leads to a keychain.
    fileprivate static func name(of owner: KeychainOwner) -> String { owner == .system ? system : personal }

    /// Where the service listens; nil where it is not there. Sockets are believed in a folder that nobody but root can put any
    /// into.
    static func socket(_ name: String, in folder: String = folder) -> String? {
        guard let status = try? FileStatus(ofLink: folder), status.isDirectory, status.owner == 0,
            status.mode & 0o022 == 0
        else { return nil }
        let path = "\(folder)/\(name)"
        return (try? FileStatus(ofLink: path))?.isSocket == true ? path : nil
    }
}

extension Configuration {
    /// The same, for the system's keychain in place of the user's: at the socket that a setting names, else at the service's.
    ///
    /// - Throws: `errSecNotAvailable` where the system service is not installed.
    package func forSystemKeychain() throws(Refusal) -> Configuration {
        guard let path = socketIsGiven ? socket : SystemService.socket(SystemService.system) else {
            throw .noSystemService(SystemService.folder)
        }
        var configuration = self
        (configuration.socket, configuration.usesSystemService, configuration.mode) = (path, true, .daemon)
        return configuration
    }
}

extension Connection {
    /// Reaches anybody's keychain of the system service, in his name; root alone can.
    ///
    /// - Parameter configuration: the settings; a socket they name lies in the service's folder.
    /// - Throws: `errSecNotAvailable` where the system service is not installed, or may not be connected to as that user.
    package static func reach(_ owner: KeychainOwner, _ configuration: Configuration) throws(Refusal) -> Connection {
        let given = configuration.socketIsGiven ? PrivateDirectory.parent(of: configuration.socket) : nil
        guard let path = SystemService.socket(SystemService.name(of: owner), in: given ?? SystemService.folder) else {
            throw .noSystemService(given ?? SystemService.folder)
        }
        let user: UInt32 = if case .user(let number) = owner { number } else { 0 }
        return Connection(timeout: configuration.timeout) { () throws(Refusal) in
            do throws(SystemError) {
                return try Privileges.acting(as: user) { () throws(SystemError) in
                    try UnixSocket.connect(to: path, deadline: .after(milliseconds: Int(configuration.timeout)))
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
            do: "Install keychaind and start keychaind.socket (docs/system-service.md).")
    }
}
