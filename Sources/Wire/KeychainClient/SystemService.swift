import Glibc
package import KeychainModel
import LinuxSystem

/// The sockets of the system service, where it is installed.
package enum SystemService {
    /// The folder of its sockets.
    package static let folder = "/run/keychaind"
    static let personal = "socket"
    static let system = "system"

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
            throw Refusal(
                .notAvailable, .unavailable, SystemService.folder,
                "There is no system keychain: the system service is not installed, or does not run.",
                do: "Install keychaind and start keychaind.socket (docs/system-service.md).")
        }
        var configuration = self
        (configuration.socket, configuration.usesSystemService, configuration.mode) = (path, true, .daemon)
        return configuration
    }
}
